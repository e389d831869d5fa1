// Tools of every kind through the real binary, in the payloads of four hosts.

import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import { readHostPayload } from '../src/hosts.ts'
import { classifyRisk } from '../src/risk/classify.ts'
import { decide } from '../src/risk/decide.ts'
import { type Ran, runArc } from './run-arc.ts'
import { makeTempFolder } from './temp-folder.ts'
import { DANGEROUS_CALLS, ORDINARY_CALLS, type ToolCall } from './tool-calls.ts'

const HOSTS = ['claude', 'codex', 'gemini', 'opencode'] as const
type Host = (typeof HOSTS)[number]

const CWD = '/srv/project'
let home: string
let calls = 0

beforeAll(() => {
  home = makeTempFolder('arc-tools-')
  mkdirSync(join(home, 'profiles'))
  writeFileSync(join(home, 'profiles/default.json'), '{"enforcement":"enforce"}')
})

function payloadOf(host: Host, { tool, args }: ToolCall): object {
  const id = `call-${++calls}`
  if (host === 'opencode') return { input: { tool, sessionID: 's', callID: id }, output: { args }, directory: CWD }
  const call = { session_id: 's', cwd: CWD, tool_name: tool, tool_input: args }
  if (host === 'gemini') return { ...call, hook_event_name: 'BeforeTool' }
  return { ...call, hook_event_name: 'PreToolUse', tool_use_id: id }
}

function hook(host: Host, call: ToolCall): Promise<Ran> {
  const event = host === 'opencode' ? ['tool.execute.before'] : []
  const input = JSON.stringify(payloadOf(host, call))
  return runArc(['hook', host, ...event], { home, input, env: { HOME: '/home/user' } })
}

const isStopped = ({ code, stdout }: Ran): boolean => code === 2 || /"(?:deny|ask|block)"/.test(stdout)

const call = (tool: string, args: Readonly<Record<string, unknown>>): ToolCall => ({ tool, args })

describe.each(HOSTS)('G8 through arc hook %s', (host) => {
  it.each([
    [call(' Bash ', { command: 'rm -rf ~' })],
    [call('mcp__x__exec', { input: { script: 'rm -rf ~' } })],
    [call('run_commands', { commands: [['rm', '-rf', '/']] })],
    [call('read_resource', { uri: 'file://localhost/home/user/%2essh/id_rsa' })],
  ])('%j is stopped', async (dangerous) => {
    expect(isStopped(await hook(host, dangerous))).toBe(true)
  })

  it('an ordinary call passes without a word', async () => {
    const ran = await hook(host, call('mcp__linear__list_issues', { query: 'delete from users', limit: 5 }))
    expect([ran.code, isStopped(ran), ran.stderr]).toEqual([0, false, ''])
  })
})

// All calls of the table, as each host's payload is read.
describe.each(HOSTS)('G8 the payload of %s', (host) => {
  const rate = (given: ToolCall): string => {
    const event = host === 'opencode' ? 'tool.execute.before' : undefined
    const step = readHostPayload(host, event, JSON.stringify(payloadOf(host, given)), {})
    const { tool, args } = (step as unknown as { readonly data: ToolCall }).data
    const facts = { home: '/home/user' }
    return decide(classifyRisk({ tool, args, cwd: CWD, workspace: CWD }, { facts }))
  }

  it('hides no dangerous call', () => {
    const passed = DANGEROUS_CALLS.filter((given) => !/ask|block/.test(rate(given)))
    expect(passed).toEqual([])
  })

  it('makes no ordinary call look dangerous', () => {
    expect(ORDINARY_CALLS.filter((given) => /ask|block/.test(rate(given)))).toEqual([])
  })
})
