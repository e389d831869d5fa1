// Every adapter against the one contract, and what holds between them.

import { readFileSync } from 'node:fs'
import { describe, expect, it } from 'vitest'
import { SUBJECTS } from '../../test/host-subjects.ts'
import type { Outcome } from '../engine/outcome.ts'
import { hostContract } from '../testing/host-contract.ts'
import { HOST_NAMES, type HostStep, isUnreadable } from './host.ts'
import { findHost, HOSTS, readHostPayload } from './list.ts'
import { buildEventKey, pairKey } from './pairing.ts'

describe.each(HOST_NAMES)('%s', (name) => {
  for (const { title, run } of hostContract) it(title, () => run(SUBJECTS[name]))
})

function fixture(path: string): string {
  return readFileSync(new URL(`./${path}`, import.meta.url), 'utf8')
}

function read(...args: Parameters<typeof readHostPayload>): HostStep {
  const step = readHostPayload(...args)
  if (isUnreadable(step)) throw new Error(step.unreadable)
  return step
}

function outcome(step: HostStep, fields: Partial<Outcome>): Outcome {
  return { decision: 'pass', blocked: false, control: 'proceed', data: step.data, metadata: {}, ...fields }
}

const BLOCK = { decision: 'block', blocked: true, control: 'stop', reason: 'no', hook: 'guard' } as const

it('an unknown host is refused with the nearest name', () => {
  expect(() => findHost('cladue')).toThrow(/Did you mean "claude"\?/)
  expect(() => findHost('constructor')).toThrow(/there are claude, codex/)
})

describe('P2 requests to the model and batches of tools', () => {
  it.each([
    ['codex', 'PreModelRequest', { model: 'm' }, 'pre:model', { model: 'm' }],
    ['gemini', 'BeforeModel', { llm_request: { model: 'm' } }, 'pre:model', { model: 'm' }],
    ...([
      [
        'gemini',
        'AfterModel',
        { llm_request: { model: 'm' }, llm_response: { text: 'hi' } },
        'post:model',
        { model: 'm', assistant: 'hi' },
      ],
      [
        'claude',
        'PostToolBatch',
        { tool_calls: [{ tool_name: 'Read' }] },
        'post:tool:batch',
        { calls: [{ tool_name: 'Read' }] },
      ],
      ['qwen', 'PostToolBatch', { tool_calls: [] }, 'post:tool:batch', { calls: [] }],
    ] as const),
  ] as const)('P2 %s %s has its fields', (name, event, fields, point, data) => {
    const payload = { session_id: 's', cwd: '/w', timestamp: '2026-01-01T00:00:00Z', hook_event_name: event, ...fields }
    expect(findHost(name).readPayload(event, payload as never, {})).toMatchObject({ point, data })
  })

  it('P2 an event of every request is registered on demand only: a hook call per request is not free', () => {
    for (const { events } of Object.values(HOSTS)) {
      const rows = Object.values(events).filter(({ point }) =>
        ['pre:model', 'post:model', 'post:tool:batch'].includes(point),
      )
      expect(rows.filter((row) => row.isInstalled || row.isOnDemand !== true)).toEqual([])
    }
  })
})

describe("Copilot that runs a hook of Claude's files", () => {
  const step = read('claude', undefined, fixture('copilot/fixtures/borrowed-PreToolUse.json'), {})

  it('is known by its payload, not by the command line', () => {
    expect([step.host, step.point, step.context.host]).toEqual(['copilot', 'pre:tool', 'copilot'])
    for (const event of [
      'SessionStart',
      'UserPromptSubmit',
      'PostToolUse',
      'Stop',
      'SessionEnd',
      'permissionRequest',
    ]) {
      const other = read('claude', undefined, fixture(`copilot/fixtures/borrowed-${event}.json`), {})
      expect([event, other.host, other.isUnknown]).toEqual([event, 'copilot', false])
    }
  })

  it("is answered in Claude's dialect with exit code 0, since it would report the code instead of the reason", () => {
    const { stdout, exitCode } = HOSTS.copilot.reply(step, outcome(step, BLOCK), {})
    expect(exitCode).toBe(0)
    expect(JSON.parse(stdout)).toMatchObject({
      hookSpecificOutput: { hookEventName: 'PreToolUse', permissionDecision: 'deny' },
    })
  })

  it('leaves Claude, Gemini and Qwen their own payloads', () => {
    for (const name of ['PreToolUse', 'Stop', 'SessionStart', 'SessionEnd']) {
      expect(read('claude', undefined, fixture(`claude/fixtures/${name}.json`), {}).host).toBe('claude')
    }
    expect(read('claude', undefined, fixture('gemini/fixtures/BeforeTool.json'), {}).host).toBe('gemini')
    expect(read('claude', undefined, fixture('qwen/fixtures/PreToolUse.json'), {}).host).toBe('qwen')
    expect(read('claude', undefined, SUBJECTS.cursor.payloadFor('PreToolUse'), {}).event).toBe('preToolUse')
  })
})

describe('keys', () => {
  it.each([
    ['claude', 'PreToolUse', 'PostToolUse'],
    ['codex', 'PreToolUse', 'PostToolUse'],
    ['gemini', 'BeforeTool', 'AfterTool'],
    ['qwen', 'PreToolUse', 'PostToolUse'],
    ['copilot', 'preToolUse', 'postToolUse'],
    ['cline', 'PreToolUse', 'PostToolUse'],
    ['opencode', 'tool.execute.before', 'tool.execute.after'],
    ['pi', 'tool_call', 'tool_result'],
    ['kimi', 'PreToolUse', 'PostToolUse'],
  ] as const)('%s: a call has one key before and after it ran', (host, pre, post) => {
    const before = pairKey(read(host, pre, fixture(`${host}/fixtures/${pre}.json`), {}))
    const after = pairKey(read(host, post, fixture(`${host}/fixtures/${post}.json`), {}))
    expect(before).toBeDefined()
    expect(after).toEqual(before)
    // Only these two give their calls no id.
    expect(before?.isExact).toBe(host !== 'gemini' && host !== 'copilot')
  })

  it('differ between calls, sessions and hosts', () => {
    const payload = (session: string, id: string): string =>
      JSON.stringify({ ...BASE, session_id: session, tool_use_id: id })
    const key = (host: 'claude' | 'codex', session: string, id: string) =>
      pairKey(read(host, 'PreToolUse', payload(session, id), {}))?.key
    const keys = [key('claude', 's', '1'), key('claude', 's', '2'), key('claude', 't', '1'), key('codex', 's', '1')]
    expect(new Set(keys).size).toBe(4)
  })

  const BASE = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command: 'ls' } }

  it("one call that fires in two of Copilot's files has one firing key", () => {
    const camel = {
      sessionId: 's',
      timestamp: 1,
      cwd: '/p',
      toolName: 'bash',
      toolArgs: { command: 'ls', description: 'x' },
    }
    const pascal = {
      ...BASE,
      session_id: 's',
      timestamp: 'T',
      cwd: '/p',
      tool_input: { description: 'x', command: 'ls' },
    }
    const own = buildEventKey(read('copilot', 'preToolUse', JSON.stringify(camel), {}))
    expect(buildEventKey(read('claude', undefined, JSON.stringify(pascal), {}))).toEqual(own)
    expect(own.isExact).toBe(false)
    const other = { ...camel, toolArgs: { command: 'pwd' } }
    expect(buildEventKey(read('copilot', 'preToolUse', JSON.stringify(other), {})).key).not.toBe(own.key)
  })

  it('before and after do not count as one firing', () => {
    const pre = buildEventKey(read('claude', undefined, fixture('claude/fixtures/PreToolUse.json'), {}))
    const post = buildEventKey(read('claude', undefined, fixture('claude/fixtures/PostToolUse.json'), {}))
    expect(pre.key).not.toBe(post.key)
  })
})

describe('edits', () => {
  it('Gemini merges arguments, so one that takes an argument away stops the call and shows the corrected one', () => {
    const payload = JSON.stringify({
      hook_event_name: 'BeforeTool',
      tool_name: 'run_shell_command',
      tool_input: { command: 'ls', dir: '/' },
    })
    const step = read('gemini', undefined, payload, {})
    const reply = HOSTS.gemini.reply(step, outcome(step, { data: { ...step.data, args: { command: 'ls' } } }), {})
    expect(JSON.parse(reply.stdout)).toMatchObject({ decision: 'deny' })
    expect(reply.stderr).toContain('{"command":"ls"}')
  })

  it('Cline gets a changed command back in its list', () => {
    const step = read('cline', 'PreToolUse', fixture('cline/fixtures/PreToolUse.json'), {})
    const reply = HOSTS.cline.reply(step, outcome(step, { data: { ...step.data, args: { command: 'ls' } } }), {})
    expect(JSON.parse(reply.stdout)).toEqual({ overrideInput: { commands: ['ls'] } })
  })

  it('rules for a spawned agent reach it as context, and are no noise where they cannot', () => {
    const payload = JSON.stringify({ hook_event_name: 'SubagentStart', agent_id: 'a', agent_type: 'explore' })
    const step = read('claude', undefined, payload, {})
    const data = { ...step.data, config: { type: 'explore', prompt: 'the rules' } }
    expect(JSON.parse(HOSTS.claude.reply(step, outcome(step, { data }), {}).stdout)).toEqual({
      hookSpecificOutput: { hookEventName: 'SubagentStart', additionalContext: 'the rules' },
    })
    const other = read('copilot', 'subagentStart', '{"sessionId":"s","agentName":"explore"}', {})
    const reply = HOSTS.copilot.reply(other, outcome(other, { data: { ...other.data, config: data.config } }), {})
    expect(reply).toMatchObject({ stdout: '', exitCode: 0, unsupported: ['config'] })
  })

  it('an edit to what was there already is none', () => {
    const step = read('qwen', undefined, fixture('qwen/fixtures/PreToolUse.json'), {})
    const same = structuredClone(step.data)
    expect(HOSTS.qwen.reply(step, outcome(step, { data: same }), {}).stdout).toBe('')
  })

  it("Claude's changed result keeps the shape that its tool has", () => {
    const step = read('claude', undefined, fixture('claude/fixtures/PostToolUse.json'), {})
    const reply = HOSTS.claude.reply(step, outcome(step, { data: { ...step.data, result: 'redacted' } }), {})
    expect(JSON.parse(reply.stdout)).toMatchObject({
      hookSpecificOutput: { updatedToolOutput: { stdout: 'redacted', interrupted: false } },
    })
  })

  it('a result that a hook gave instead of the call is shown in the denial', () => {
    const step = read('codex', undefined, fixture('codex/fixtures/PreToolUse.json'), {})
    const answered = outcome(step, { answer: { result: 'cached output', isError: false } })
    expect(HOSTS.codex.reply(step, answered, {})).toMatchObject({
      exitCode: 2,
      stderr: expect.stringContaining('cached output'),
    })
  })
})

it('a block that ends the turn says so where that is understood, and never to Codex', () => {
  const ending = { ...BLOCK, control: 'break' } as const
  const claude = read('claude', undefined, fixture('claude/fixtures/PreToolUse.json'), {})
  expect(JSON.parse(HOSTS.claude.reply(claude, outcome(claude, ending), {}).stdout)).toMatchObject({ continue: false })
  const codex = read('codex', undefined, fixture('codex/fixtures/PreToolUse.json'), {})
  expect(JSON.parse(HOSTS.codex.reply(codex, outcome(codex, ending), {}).stdout)).not.toHaveProperty('continue')
})

it.each(['bypassPermissions', 'yolo'])('in the permission mode %s nothing is left to a prompt', (mode) => {
  const payload = { ...JSON.parse(fixture('claude/fixtures/PreToolUse.json')), permission_mode: mode }
  const step = read('claude', undefined, JSON.stringify(payload), {})
  const reply = HOSTS.claude.reply(step, outcome(step, { ...BLOCK, decision: 'ask' }), {
    traceId: 'T-1',
    approvalId: 'A-1',
  })
  expect(reply).toMatchObject({ exitCode: 2, stderr: expect.stringContaining('arc approve A-1') })
})

it('L2 what must be seen, such as an open breaker, is in the message', () => {
  const step = read('claude', undefined, fixture('claude/fixtures/PreToolUse.json'), {})
  const notes = ['ARC: the breaker is open; hooks only log.']
  expect(HOSTS.claude.reply(step, outcome(step, BLOCK), { notes }).stderr).toContain(notes[0])
  expect(JSON.parse(HOSTS.claude.reply(step, outcome(step, {}), { notes }).stdout).systemMessage).toContain(notes[0])
})

it('no message is longer than a host will take, however long its parts', () => {
  const step = read('claude', undefined, fixture('claude/fixtures/PreToolUse.json'), {})
  const long = 'x'.repeat(1_000_000)
  const reply = HOSTS.claude.reply(step, outcome(step, { ...BLOCK, reason: long, suggestion: long }), {})
  expect(reply.stderr.length).toBeLessThan(10_000)
})
