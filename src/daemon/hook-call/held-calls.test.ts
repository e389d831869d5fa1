// Held steps as agents bring them: through their own prompt, headless, in modes that bypass permissions.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import type { Approvals } from '../../approvals/approvals.ts'
import type { HookReply } from '../../protocol/hook-wire.ts'
import { answerHookCall } from './answer.ts'
import { SupervisorPool } from './supervisor-pool.ts'

let place: SupervisedHome
let pool: SupervisorPool
let calls = 0

beforeEach(() => {
  place = makeHome()
  place.write(PROFILE, { enforcement: 'enforce', approvals: { unattendedWaitMs: 0, waitMs: 0 } })
  pool = new SupervisorPool(place.home, () => undefined)
})
afterEach(async () => {
  await pool.close()
  place.remove()
})

interface Payload {
  readonly session?: string
  readonly mode?: string
  readonly command?: string
  readonly id?: string
  readonly cwd?: string
}

async function send(event: string, given: Payload = {}, more: object = {}): Promise<HookReply> {
  const { session = 's1', mode = 'default', command = 'npm publish', cwd = place.project } = given
  const { id = `toolu_${++calls}` } = given
  const isTool = /Tool/.test(event)
  const tool = isTool ? { tool_name: 'Bash', tool_input: { command }, tool_use_id: id } : {}
  const fields = { session_id: session, cwd, permission_mode: mode, hook_event_name: event, ...tool, ...more }
  return answerHookCall({ host: 'claude', event, payload: JSON.stringify(fields) }, pool)
}

const isPrompt = ({ stdout }: HookReply) => stdout.includes('"permissionDecision":"ask"')
const isDenied = ({ exitCode }: HookReply) => exitCode === 2
const isSilent = ({ stdout, exitCode }: HookReply) => exitCode === 0 && !stdout.includes('permissionDecision')

async function approvals(): Promise<Approvals> {
  return (await pool.find(undefined, undefined)).approvals
}

async function onlyPending(): Promise<string> {
  const [first, ...more] = (await approvals()).pending()
  expect(more).toEqual([])
  return first?.id ?? 'none'
}

describe("Q4 the agent's own prompt", () => {
  const ends: readonly [string, string, object][] = [
    ['the tool has run', 'PostToolUse', { tool_response: 'ok' }],
    ['the tool has run', 'PostToolUseFailure', { error: 'no' }],
    ['the turn has ended', 'Stop', {}],
    ['the turn has ended', 'StopFailure', { error: 'overloaded' }],
    ['the user has sent a new message', 'UserPromptSubmit', { prompt: 'something else' }],
    ['the session has ended', 'SessionEnd', { reason: 'other' }],
  ]
  it.each(ends)(
    'Q4 the question is over when %s (%s), and a later yes lets nothing through',
    async (why, event, more) => {
      expect(isPrompt(await send('PreToolUse', { id: 'call-1' }))).toBe(true)
      const id = await onlyPending()
      await send(event, { id: 'call-1' }, more)
      expect((await approvals()).pending()).toEqual([])
      const all = await approvals()
      expect(() => all.answer(id, 'approve')).toThrow(`it is withdrawn, because ${why}`)
      expect(isPrompt(await send('PreToolUse'))).toBe(true)
      const { trace } = await pool.find(undefined, undefined)
      expect(trace.query({ action: 'approval:withdrawn' })).toHaveLength(1)
    },
  )

  it('Q4 the result of another call, or the end of another session, ends nothing', async () => {
    await send('PreToolUse', { id: 'call-1' })
    const id = await onlyPending()
    await send('PostToolUse', { id: 'call-2', command: 'ls' }, { tool_response: 'ok' })
    await send('Stop', { session: 's2' })
    expect(await onlyPending()).toBe(id)
  })

  it('Q4 two sessions ask two questions, and each ends with its own', async () => {
    await send('PreToolUse', { session: 's1' })
    const first = await onlyPending()
    await send('PreToolUse', { session: 's2' })
    expect((await approvals()).pending()).toHaveLength(2)
    await send('Stop', { session: 's1' })
    expect(await onlyPending()).not.toBe(first)
  })
})

describe('Q4 an agent that asks no person', () => {
  const headless = { mode: 'bypassPermissions' }

  it('Q4 is refused with the id, and after a yes the same step runs once, in any session', async () => {
    const refused = await send('PreToolUse', { ...headless, session: 'run-1' })
    const id = await onlyPending()
    expect(isDenied(refused)).toBe(true)
    expect(refused.stdout).toContain(`arc approve ${id}`)
    await send('Stop', { ...headless, session: 'run-1' })
    await send('SessionEnd', { ...headless, session: 'run-1' })
    expect(await onlyPending()).toBe(id)
    const all = await approvals()
    all.answer(id, 'approve', { by: 'ada' })
    const other = { ...headless, session: 'run-2' }
    expect(isDenied(await send('PreToolUse', { ...other, command: 'npm publish --tag next' }))).toBe(true)
    expect(isDenied(await send('PreToolUse', { ...other, cwd: place.home }))).toBe(true)
    expect(isSilent(await send('PreToolUse', other))).toBe(true)
    expect(isDenied(await send('PreToolUse', other))).toBe(true)
  })

  it('Q4 that tries again before the yes brings up no second question', async () => {
    for (const session of ['run-1', 'run-2', 'run-3']) await send('PreToolUse', { ...headless, session })
    expect(await onlyPending()).not.toBe('none')
  })

  it('Q4 gets the message of a denial with its next try, and is then asked about again', async () => {
    await send('PreToolUse', { ...headless, session: 'run-1' })
    const all = await approvals()
    all.answer(await onlyPending(), 'deny', { by: 'ada', message: 'Release from the pipeline.' })
    const told = await send('PreToolUse', { ...headless, session: 'run-2' })
    expect(told.stdout).toContain('Denied by ada: Release from the pipeline.')
    expect(told.stdout).not.toContain('arc approve')
    expect((await send('PreToolUse', { ...headless, session: 'run-3' })).stdout).toContain('arc approve')
  })

  it('Q4 an answer on the page of the daemon wakes the call of another project at once', async () => {
    place.write(PROFILE, { enforcement: 'enforce', approvals: { unattendedWaitMs: 60_000 } })
    place.write('project/.arc/config.json', { enforcement: 'enforce' })
    ;(await pool.find(undefined, undefined)).reload()
    const reply = send('PreToolUse', headless)
    const all = await approvals()
    while (all.pending().length === 0) await new Promise((resolve) => setImmediate(resolve))
    all.answer(await onlyPending(), 'approve')
    expect(isSilent(await reply)).toBe(true)
  })
})

it('Q4 a project cannot change the time limits of approvals, nor the notices', async () => {
  place.write('project/.arc/config.json', { approvals: { lifetimeMs: 86_400_000 }, notify: ['desktop'] })
  const { config, problems } = await pool.find(place.project, undefined)
  expect(config).toMatchObject({ approvals: { lifetimeMs: 600_000 }, notify: [] })
  expect(problems.map(({ key }) => key)).toEqual(['approvals', 'notify'])
})
