import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import type { SupervisionEvent } from '../hooks/builtin/services.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { canonicalize } from '../trace/canonical.ts'
import { MAX_PENDING } from './approval-index.ts'
import { Approvals, toHeldStep } from './approvals.ts'
import { MAX_WHOLE_BYTES } from './stored-args.ts'

const STEP = toHeldStep({
  point: 'pre:tool',
  data: { tool: 'shell', args: { command: 'git push -f', cwd: '/w' } },
  workspace: '/w',
  session: 's',
})
const EDITED = [
  { ...STEP, args: { command: 'git push -f ', cwd: '/w' } },
  { ...STEP, args: { command: 'git push -f', cwd: '/w', more: null } },
  { ...STEP, tool: 'bash' },
  { ...STEP, workspace: '/other' },
  { ...STEP, point: 'pre:launch' },
]

describe('approvals', () => {
  let folder = ''
  let clock = new FakeClock()
  let stores: SqliteStateStore[] = []
  let ids = 0
  beforeEach(() => {
    folder = makeTempFolder('arc-approvals-')
    clock = new FakeClock()
  })
  afterEach(() => {
    for (const store of stores) store.close()
    stores = []
  })
  // Each with its own connection, as two processes have.
  const open = () => {
    const state = new SqliteStateStore(join(folder, 'arc.db'))
    stores.push(state)
    return new Approvals({ state, clock, newId: () => `id-${++ids}`, canonicalize })
  }

  it('B5 an answer in one process wakes the one that waits within 50 ms, and is used by that', async () => {
    const [agent, person] = [open(), open()]
    const held = agent.hold(STEP, { reason: 'why', hook: 'risk-detection' })
    await clock.settle()
    const [pending] = person.list()
    expect(pending).toMatchObject({ step: STEP, reason: 'why', hook: 'risk-detection', status: 'pending' })
    person.answer(pending?.id ?? '', 'approve', { by: 'ada' })
    clock.advance(50)
    expect(await held).toMatchObject({ isApproved: true, status: 'approved' })
    expect(person.get(pending?.id ?? '')).toMatchObject({ status: 'used', answeredBy: 'ada' })
    expect(agent.consume(STEP)).toBeUndefined()
    expect(clock.timers).toBe(0)
  })

  it('B5 a denial is final, and the first answer counts', async () => {
    const [agent, person] = [open(), open()]
    const held = agent.hold(STEP, {})
    const id = person.list()[0]?.id ?? ''
    person.answer(id, 'deny')
    expect(() => person.answer(id, 'approve')).toThrow('it is denied')
    clock.advance(50)
    expect(await held).toMatchObject({ isApproved: false, status: 'denied' })
  })

  it('B5 no answer in time is a no', async () => {
    const agent = open()
    const held = agent.hold(STEP, {}, { waitMs: 1_000 })
    for (let at = 0; at < 60; at++) {
      clock.advance(20)
      await clock.settle()
    }
    expect(await held).toMatchObject({ isApproved: false, status: 'pending' })
  })

  it('B5 a step that no longer waits is not approved', async () => {
    const stop = new AbortController()
    const held = open().hold(STEP, {}, { signal: stop.signal })
    stop.abort()
    expect((await held).isApproved).toBe(false)
    expect(clock.timers).toBe(0)
  })

  it('B5 an approval given earlier is used exactly once, by one of many', () => {
    const person = open()
    person.answer(person.request(STEP, {}).id, 'approve')
    const winners = Array.from({ length: 8 }, () => open().consume(STEP)).filter((used) => used !== undefined)
    expect(winners).toHaveLength(1)
  })

  it.each(EDITED.map((step, at) => [at, step] as const))('B5 it is never used for an edited step (%i)', (_at, step) => {
    const approvals = open()
    approvals.answer(approvals.request(STEP, {}).id, 'approve')
    expect(approvals.consume(step)).toBeUndefined()
    expect(approvals.consume({ ...STEP, args: { cwd: '/w', command: 'git push -f' } })).toBeDefined()
  })

  it('B5 expires, also when the clock is set back', () => {
    const approvals = open()
    const { id } = approvals.request(STEP, {})
    clock.setWall(clock.wall() - 3_600_000)
    expect(approvals.get(id)?.status).toBe('expired')
    clock.setWall(clock.wall() + 3_600_000)
    approvals.answer(id, 'approve')
    clock.advance(600_000)
    expect(approvals.consume(STEP)).toBeUndefined()
    expect(() => approvals.answer(id, 'approve')).toThrow('it is expired')
    expect(() => approvals.answer('nobody', 'approve')).toThrow('There is no approval "nobody"')
  })

  it('G4 a long step is stored as a preview with its matched line, and is still approved by its whole hash', () => {
    const approvals = open()
    const filler = 'echo nothing to see here\n'.repeat(20_000)
    const command = `first line\n${filler}rm -rf /important\n${filler}last line`
    const step = { ...STEP, args: { command, timeout: 5 } }
    const { id } = approvals.request(step, { matched: ['rm -rf /important'] })
    const stored = approvals.get(id)?.step
    expect(stored?.preview?.bytes).toBeGreaterThan(command.length)
    const shown = (stored?.args as { command: string } | undefined)?.command
    expect(JSON.stringify(stored).length).toBeLessThan(MAX_WHOLE_BYTES)
    for (const part of ['first line', 'rm -rf /important', 'last line', 'not shown']) expect(shown).toContain(part)
    approvals.answer(id, 'approve')
    expect(approvals.consume({ ...step, args: { command: `${command} `, timeout: 5 } })).toBeUndefined()
    expect(approvals.consume({ ...step, args: (stored as { args: unknown }).args })).toBeUndefined()
    expect(approvals.consume(step)?.id).toBe(id)
  })

  it('G4 a step is found by its hash without reading all others, and the number of waiting steps is limited', () => {
    const state = new MemoryStateStore()
    const approvals = new Approvals({ state, clock, newId: () => `id-${++ids}`, canonicalize })
    approvals.request(STEP, {})
    let lists = 0
    const list = state.list.bind(state)
    state.list = (prefix) => {
      lists++
      return list(prefix)
    }
    for (let at = 1; at < MAX_PENDING; at++) approvals.request({ ...STEP, workspace: `/w${at}` }, {})
    expect(() => approvals.request({ ...STEP, workspace: '/one-more' }, {})).toThrow('ARC_APPROVALS_FULL')
    expect(approvals.request({ ...STEP, workspace: '/w7' }, {}).status).toBe('pending')
    approvals.answer(approvals.request(STEP, {}).id, 'approve')
    expect(approvals.consume(STEP)).toBeDefined()
    expect(approvals.pending()).toHaveLength(MAX_PENDING - 1)
    expect(approvals.request({ ...STEP, workspace: '/one-more' }, {}).status).toBe('pending')
    expect(lists).toBe(0)
    clock.advance(600_000)
    expect(approvals.pending()).toEqual([])
    expect(approvals.request({ ...STEP, workspace: '/later' }, {}).status).toBe('pending')
  })

  it('G4 an answer is recorded when it is given, once, with its channel, whether or not somebody waits', async () => {
    const events: SupervisionEvent[] = []
    const state = new MemoryStateStore()
    const record = (event: SupervisionEvent) => void events.push(event)
    const approvals = new Approvals({ state, clock, newId: () => `id-${++ids}`, canonicalize, record })
    const { id, hash } = approvals.request(STEP, { stepId: 'step-1' })
    approvals.answer(id, 'deny', { by: 'ada', channel: 'page', pageSession: 'p1' })
    expect(() => approvals.answer(id, 'approve')).toThrow('it is denied')
    expect(events).toMatchObject([
      { action: 'approval:denied', data: { channel: 'page', pageSession: 'p1', hash, step: 'step-1' } },
    ])
  })

  it('the same step, asked again and again, is one question; what is long over is swept away', () => {
    const approvals = open()
    for (let at = 0; at < 100; at++) approvals.request(STEP, { reason: 'x'.repeat(10_000) })
    expect(approvals.list()).toHaveLength(1)
    clock.advance(2 * 86_400_000)
    approvals.request({ ...STEP, workspace: '/later' }, {})
    expect(approvals.list().map(({ step }) => step.workspace)).toEqual(['/later'])
  })
})
