// A verdict belongs to exactly one call: calls that share an id with another call, through the real binary.

import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { jsonLines, runArc } from '../../../test/run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { HostStep } from '../../hosts/host.ts'
import { readHostPayload } from '../../hosts/list.ts'
import { stepDigest } from '../../hosts/pairing.ts'
import { answerHookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'

let at: SupervisedHome

beforeEach(() => {
  at = makeHome()
  at.write(PROFILE, { enforcement: 'enforce' })
})

afterEach(() => at.remove())

interface Call {
  readonly command: string
  readonly tool?: string
  readonly cwd?: string
  readonly event?: string
}

function claude({ command, tool = 'Bash', cwd = at.project, event = 'PreToolUse' }: Call): string {
  const call = { session_id: 's', cwd, hook_event_name: event, tool_name: tool, tool_use_id: 'X1' }
  return JSON.stringify({ ...call, tool_input: { command }, tool_response: {} })
}

function opencode(command: string): string {
  return JSON.stringify({
    input: { tool: 'bash', sessionID: 's', callID: 'bash:0' },
    output: { args: { command } },
    directory: at.project,
  })
}

async function logged(action: string): Promise<readonly Record<string, unknown>[]> {
  const { stdout } = await runArc(['logs', '--json', '--component', 'hosts', '--action', action], { home: at.home })
  return jsonLines(stdout)
}

describe('G1 a verdict belongs to exactly one call', () => {
  it('G1 a call with the id of another is checked by its own arguments, and recorded as call:id-reused', async () => {
    const hook = (input: string) => runArc(['hook', 'claude'], { home: at.home, input })
    expect((await hook(claude({ command: 'ls' }))).code).toBe(0)
    expect((await hook(claude({ command: 'rm -rf ~' }))).code).toBe(2)
    expect((await hook(claude({ command: 'ls' }))).code).toBe(0)
    expect(await logged('call:id-reused')).toHaveLength(2)
    const { stdout } = await runArc(['logs', '--json', '--decision', 'block', '--component', 'hooks'], {
      home: at.home,
    })
    expect(jsonLines(stdout).length).toBeGreaterThan(0)
  })

  it('G1 the same holds for OpenCode, whose models number calls anew each turn', async () => {
    const hook = (command: string) =>
      runArc(['hook', 'opencode', 'tool.execute.before'], { home: at.home, input: opencode(command) })
    expect((await hook('ls')).stdout).not.toContain('deny')
    const { stdout, stderr, code } = await hook('rm -rf ~')
    expect(`${stdout}${stderr}${code}`).toMatch(/deny|block/)
    expect(await logged('call:id-reused')).toHaveLength(1)
  })

  it('G1 calls that come at the same time under one id are each checked separately', async () => {
    const pool = new SupervisorPool(at.home, () => undefined)
    try {
      const commands = ['ls', 'rm -rf ~', 'pwd', 'git reset --hard', 'ls -la', 'rm -rf /']
      const calls = commands.map((command) => answerHookCall({ host: 'claude', payload: claude({ command }) }, pool))
      const codes = (await Promise.all(calls)).map(({ exitCode }) => exitCode)
      expect(codes).toEqual([0, 2, 0, 2, 0, 2])
    } finally {
      await pool.close()
    }
  })

  it('G1 another tool, another folder or a call that already ran is another call', async () => {
    const pool = new SupervisorPool(at.home, () => undefined)
    try {
      const send = async (call: Call) => {
        await answerHookCall({ host: 'claude', payload: claude(call) }, pool)
        const { trace } = await pool.find(undefined, undefined)
        return trace.counters().steps
      }
      const first = await send({ command: 'ls' })
      expect(await send({ command: 'ls' })).toBe(first)
      expect(await send({ command: 'ls', cwd: at.root })).toBe(first + 1)
      expect(await send({ command: 'ls', tool: 'mcp__x__y', cwd: at.root })).toBe(first + 2)
      expect(await send({ command: 'ls', event: 'PostToolUse' })).toBe(first + 3)
      expect(await send({ command: 'ls' })).toBe(first + 4)
    } finally {
      await pool.close()
    }
  })

  it('G1 arguments that cannot be written down are equal to nothing', () => {
    const deep = `${'{"a":'.repeat(20_000)}1${'}'.repeat(20_000)}`
    const payload = (command: string) => claude({ command }).replace('"tool_input":{', `"tool_input":{"deep":${deep},`)
    const digests = ['ls', 'rm -rf ~', 'ls'].map((command) =>
      stepDigest(readHostPayload('claude', undefined, payload(command), {}) as HostStep, '/w'),
    )
    expect(new Set(digests).size).toBe(3)
  })

  it('G1 two digests are equal exactly when tool, arguments and workspace are', () => {
    const call = fc.record({
      tool: fc.constantFrom('Read', 'Write', 'Glob'),
      args: fc.dictionary(fc.constantFrom('a', 'b', '__proto__'), fc.jsonValue(), { maxKeys: 3 }),
      workspace: fc.constantFrom('/a', '/b'),
    })
    const digestOf = ({ tool, args, workspace }: { tool: string; args: object; workspace: string }) => {
      const payload = JSON.stringify({ hook_event_name: 'PreToolUse', tool_name: tool, tool_input: args })
      return stepDigest(readHostPayload('claude', undefined, payload, {}) as HostStep, workspace)
    }
    const textOf = (value: { args: object }) => JSON.stringify({ ...value, args: sorted(value.args) })
    fc.assert(fc.property(call, call, (a, b) => (textOf(a) === textOf(b)) === (digestOf(a) === digestOf(b))))
  })
})

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted)
  if (typeof value !== 'object' || value === null) return value
  return Object.entries(value)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([key, inner]) => [key, sorted(inner)])
}
