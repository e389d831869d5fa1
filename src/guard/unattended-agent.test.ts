import { expect, it } from 'vitest'
import { AGENT_FACTS } from '../hosts/facts/list.ts'
import type { ProcessDetails, ProcessTable } from './process-table.ts'
import { isUnattendedAgent, isUnattendedRun } from './unattended-agent.ts'

const LINES: readonly (readonly [host: string, line: string, isUnattended: boolean])[] = [
  ['claude', '-p go', true],
  ['claude', '--print --model x go', true],
  ['claude', '--permission-mode bypassPermissions', true],
  ['claude', '--permission-mode=bypassPermissions', true],
  ['claude', '--permission-mode plan', false],
  ['claude', '-p --permission-prompt-tool mcp__ask__user go', false],
  ['claude', '--resume', false],
  ['claude', '-- -p', false],
  ['codex', 'exec --json go', true],
  ['codex', '-a never', true],
  ['codex', '-a on-request', false],
  ['codex', '', false],
  ['gemini', '-p go', true],
  ['gemini', '--approval-mode yolo', true],
  ['gemini', '-i go', false],
  ['qwen', '--prompt=go', true],
  ['copilot', '--allow-all-tools', true],
  ['copilot', '--resume', false],
  ['cline', '--auto-approve true', true],
  ['opencode', 'run go', true],
  ['opencode', '', false],
  ['pi', '-p go', true],
  ['pi', '--mode json go', true],
  ['pi', '', false],
  ['kimi', '--prompt=go', true],
  ['kimi', '--auto', true],
  ['kimi', '-y', false],
  ['cursor', '--print go', true],
]

it.each(LINES)('Q4 %s %s: asks no person: %s', (host, line, expected) => {
  const facts = AGENT_FACTS.find(({ name }) => name === host)
  expect(isUnattendedRun(line.split(' '), facts ?? {})).toBe(expected)
})

function process(pid: number, parent: number, args: readonly string[]): ProcessDetails {
  const program = args[0]?.split('/').at(-1) ?? ''
  const facts = { group: pid, session: pid, tty: 0, uid: 0, environment: [], exe: args[0] }
  return { ...facts, pid, parent, start: String(pid), program, args }
}

function tableOf(...all: readonly ProcessDetails[]): ProcessTable {
  return { read: (pid) => all.find((one) => one.pid === pid), pids: () => all.map(({ pid }) => pid) }
}

it('Q4 the agent is found above the shell of the hook, and only the agent that called counts', () => {
  const shell = process(30, 20, ['/bin/sh', '-c', '/h/.arc/bin/arc hook claude'])
  const headless = process(20, 10, ['/usr/bin/claude', '-p', 'go'])
  const script = process(20, 10, ['/usr/bin/node', '/lib/@google/gemini-cli/dist/index.js', '-p', 'go'])
  const attended = process(20, 10, ['/usr/bin/claude', '--resume'])
  const outer = process(10, 2, ['/usr/bin/claude', '-p', 'outer'])
  expect(isUnattendedAgent('claude', 30, tableOf(shell, headless))).toBe(true)
  expect(isUnattendedAgent('gemini', 20, tableOf(script))).toBe(true)
  expect(isUnattendedAgent('claude', 30, tableOf(shell, attended, outer))).toBe(false)
  const test = process(20, 10, ['/usr/bin/node', '/work/vitest.mjs', '-p'])
  expect(isUnattendedAgent('claude', 20, tableOf(test, outer))).toBe(false)
  expect(isUnattendedAgent('claude', undefined)).toBe(false)
})
