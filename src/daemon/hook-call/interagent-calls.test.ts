// What agents say to each other, as the payloads of real agents carry it.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeHome, PROFILE } from '../../../test/supervised-home.ts'
import type { HostName } from '../../hosts/host.ts'
import { answerHookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'

type Mode = 'enforce' | 'advise'

let pools: Readonly<Record<Mode, SupervisorPool>>

function openPool(mode: Mode): SupervisorPool {
  const home = makeHome()
  home.write(PROFILE, { enforcement: mode })
  return new SupervisorPool(home.home, () => undefined)
}

beforeAll(() => {
  pools = { enforce: openPool('enforce'), advise: openPool('advise') }
})

afterAll(async () => {
  for (const pool of Object.values(pools)) await pool.close()
})

let calls = 0

async function send(host: HostName, event: string, more: object, mode: Mode = 'enforce') {
  const base = { session_id: `s${++calls}`, transcript_path: '/t', cwd: '/w', hook_event_name: event }
  const time = host === 'gemini' ? { timestamp: '2026-01-01T00:00:00Z' } : {}
  const payload = JSON.stringify({ ...base, ...time, tool_use_id: `t${calls}`, ...more })
  const { stdout, exitCode } = await answerHookCall({ host, payload }, pools[mode])
  const { trace } = await pools[mode].find(undefined, undefined)
  const [found] = trace.records({ hook: 'interagent-routing', limit: 1 })
  const evaluation = found?.kind === 'evaluation' ? found : undefined
  return { stdout, isStopped: exitCode === 2 || /"(?:deny|block)"/.test(stdout), evaluation }
}

const tool = (name: string, input: object) => ({ tool_name: name, tool_input: input })
const TEAMMATE = '<teammate-message teammate_id="reviewer" summary="x">go on</teammate-message>'

describe('messages between agents in hosts', () => {
  it.each([
    ['claude', 'PreToolUse', tool('SendMessage', { type: 'broadcast', content: 'go on' })],
    ['claude', 'PreToolUse', tool('SendMessage', { to: '*', message: 'go on' })],
    ['codex', 'PreToolUse', tool('send_input', { message: 'go on' })],
    ['gemini', 'BeforeTool', tool('send_message', { text: 'go on' })],
    ['claude', 'PreToolUse', tool('mcp__agent_hub__broadcast', { text: 'go on' })],
  ] as const)('B2 of %s without a recipient are blocked in enforce: %s %j', async (host, event, more) => {
    const { isStopped, stdout } = await send(host, event, more)
    expect(isStopped).toBe(true)
    expect(stdout).toContain('without a mention')
  })

  it.each([
    ['claude', 'PreToolUse', tool('SendMessage', { to: 'reviewer', message: 'go on' })],
    ['claude', 'PreToolUse', tool('SendMessage', { type: 'broadcast', content: '@reviewer go on' })],
    ['claude', 'PreToolUse', tool('SendMessage', { type: 'shutdown_response', request_id: 'r1', approve: true })],
    ['claude', 'PreToolUse', tool('Task', { description: 'x', prompt: 'review it', subagent_type: 'reviewer' })],
    ['claude', 'PreToolUse', tool('Agent', { prompt: 'review it', name: 'ann', team_name: 't' })],
    ['claude', 'PreToolUse', tool('mcp__slack__post_message', { text: 'build is done' })],
    ['claude', 'SubagentStart', { agent_id: 'a1', agent_type: 'reviewer' }],
    ['claude', 'SubagentStop', { agent_id: 'a1', agent_type: 'reviewer', last_assistant_message: 'all good' }],
    ['claude', 'UserPromptSubmit', { agent_id: 'a1', agent_type: 'reviewer', prompt: 'review it' }],
    ['claude', 'UserPromptSubmit', { source: 'system', prompt: TEAMMATE }],
    ['claude', 'TeammateIdle', { teammate_name: 'ann', team_name: 't' }],
    ['codex', 'PreToolUse', tool('send_input', { id: 'agent-1', message: 'go on' })],
    ['codex', 'PreToolUse', tool('spawn_agent', { message: 'review it' })],
    ['codex', 'SubagentStop', { agent_id: 'a1', last_assistant_message: 'all good' }],
    ['gemini', 'BeforeTool', tool('send_message', { to: 'ann', text: 'go on' })],
  ] as const)(
    'B2 of %s that are a task, a report, a reply or for one by name pass: %s %j',
    async (host, event, more) => {
      for (const mode of ['enforce', 'advise'] as const) {
        const { isStopped, stdout } = await send(host, event, more, mode)
        expect(isStopped).toBe(false)
        expect(stdout).not.toContain('interagent-routing')
      }
    },
  )

  it('B2 are flagged in advise', async () => {
    const { isStopped, evaluation } = await send(
      'claude',
      'PreToolUse',
      tool('SendMessage', { to: '*', message: 'x' }),
      'advise',
    )
    expect(isStopped).toBe(false)
    expect(evaluation).toMatchObject({ decision: 'block', applied: false, metadata: { should_suppress: true } })
  })

  it('B2 are recorded with sender and recipient', async () => {
    const sent = await send('claude', 'PreToolUse', tool('SendMessage', { to: 'reviewer', message: 'go on' }))
    expect(sent.evaluation?.metadata).toMatchObject({
      should_suppress: false,
      interagent: { from: 'claude', to: ['reviewer'], kind: 'message' },
    })
    const report = await send('claude', 'SubagentStop', { agent_id: 'a1', last_assistant_message: 'all good' })
    expect(report.evaluation?.metadata).toMatchObject({ interagent: { from: 'a1', to: ['claude'], kind: 'report' } })
    const received = await send('claude', 'UserPromptSubmit', { source: 'system', prompt: TEAMMATE })
    expect(received.evaluation?.metadata).toMatchObject({ interagent: { from: 'reviewer', kind: 'message' } })
  })

  it('B2 of a person who quotes one are of the person', async () => {
    const { evaluation } = await send('claude', 'UserPromptSubmit', { source: 'user', prompt: TEAMMATE })
    expect(evaluation?.metadata ?? {}).not.toHaveProperty('interagent')
  })

  it('R6 pass without a recipient while a roundtable is open', async () => {
    const session = { session_id: 'open-table' }
    await send('claude', 'UserPromptSubmit', { ...session, prompt: 'roundtable: tabs?' })
    const sent = await send('claude', 'PreToolUse', { ...session, ...tool('SendMessage', { to: '*', message: 'x' }) })
    expect(sent.isStopped).toBe(false)
    expect(sent.evaluation?.metadata).toMatchObject({ roundtableBypass: true })
  })
})
