import { describe, expect, it } from 'vitest'
import { sendPast } from '../../test/one-hook.ts'
import { POINTS, type PointName } from './points.ts'

// Point, may it abort, what may be modified, and a step's data there: the table of the hook system's own documentation.
const ACTIONS: readonly (readonly [PointName, boolean, readonly string[], Readonly<Record<string, unknown>>])[] = [
  ['pre:message', true, ['prompt'], { prompt: 'hello', sender: 'ada' }],
  ['post:message', false, ['output'], { output: 'hi', prompt: 'hello' }],
  ['pre:tool', true, ['args'], { tool: 'shell', args: { command: 'ls' }, callId: 'c1' }],
  ['post:tool', false, ['result'], { tool: 'shell', args: { command: 'ls' }, result: 'a.txt' }],
  ['pre:agent:spawn', true, ['config'], { agent: 'helper', config: { model: 'small' } }],
  ['post:agent:complete', false, [], { agent: 'helper', output: 'done' }],
  ['pre:session:phase', true, [], { from: 'plan', to: 'build' }],
  ['post:session:phase', false, [], { from: 'plan', to: 'build' }],
  ['pre:git:write', true, ['content'], { path: 'a.txt', content: 'old' }],
  ['post:git:write', false, [], { path: 'a.txt', content: 'old' }],
  ['pre:view:render', false, ['renderData'], { renderData: { lines: 1 } }],
]

const fieldsOf = (isEditable: boolean) =>
  ACTIONS.flatMap(([point, , modify, data]) =>
    Object.keys(data)
      .filter((field) => modify.includes(field) === isEditable)
      .map((field) => [point, field, data] as const),
  )

describe('the table of points', () => {
  it.each(ACTIONS)('P1 %s can abort: %s, can modify: %j', (point, canAbort, modify) => {
    expect(POINTS[point]).toMatchObject({ canAbort, modify })
  })

  it('P1 gives a way to modify to no field that is not in the data', () => {
    for (const [point, , modify, data] of ACTIONS) {
      expect(Object.keys(data), point).toEqual(expect.arrayContaining([...modify]))
    }
  })

  it('names each point by its time: pre: points come before and post: points after', () => {
    for (const [name, { when }] of Object.entries(POINTS)) {
      expect(when, name).toMatch(name.startsWith('pre:') ? /^Before / : name.startsWith('post:') ? /^After / : /^When /)
    }
  })
})

describe('a block', () => {
  it.each(ACTIONS.filter(([, canAbort]) => canAbort))(
    'P1 stops the action at %s',
    async (point, _can, _modify, data) => {
      const { outcome, evaluations } = await sendPast({ abort: true, reason: 'no' }, { point, data })
      expect(outcome).toMatchObject({ decision: 'block', blocked: true, control: 'stop', reason: 'no', hook: 'hook' })
      expect(evaluations).toMatchObject([{ decision: 'block', applied: true }])
      expect(evaluations[0]?.dropped).toBeUndefined()
    },
  )

  it.each(ACTIONS.filter(([, canAbort]) => !canAbort))(
    'P1 is recorded and not applied at %s',
    async (point, _can, _modify, data) => {
      const { outcome, evaluations } = await sendPast({ abort: true, reason: 'no' }, { point, data })
      expect(outcome).toMatchObject({ decision: 'flag', blocked: false, control: 'proceed' })
      expect(evaluations).toMatchObject([
        {
          decision: 'block',
          applied: false,
          reason: 'no',
          dropped: [{ field: 'block', why: 'this point cannot be aborted' }],
        },
      ])
    },
  )

  it('P1 a hold for a human at a point that cannot abort holds nothing and is recorded', async () => {
    const { outcome, evaluations } = await sendPast('ask', { point: 'post:tool' })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, control: 'proceed' })
    expect(evaluations).toMatchObject([{ decision: 'ask', applied: false, dropped: [{ field: 'ask' }] }])
  })

  it('P1 does not lose its edit at a point that cannot abort but can modify', async () => {
    const answer = { abort: true, modify: { output: 'redacted' } }
    const { outcome, evaluations } = await sendPast(answer, { point: 'post:message', data: { output: 'secret' } })
    expect(outcome).toMatchObject({ blocked: false, data: { output: 'redacted' } })
    expect(evaluations).toMatchObject([{ decision: 'block', applied: true, dropped: [{ field: 'block' }] }])
  })
})

describe('a modify', () => {
  it.each(fieldsOf(true))('P1 of %s changes %s and leaves the rest and the caller’s object alone', async (...row) => {
    const [point, field, data] = row
    const before = structuredClone(data)
    const { outcome, evaluations } = await sendPast({ modify: { [field]: { changed: true } } }, { point, data })
    expect(outcome).toMatchObject({ decision: 'pass', data: { ...data, [field]: { changed: true } } })
    expect(evaluations).toMatchObject([{ applied: true, modify: { [field]: { changed: true } } }])
    expect(evaluations[0]?.dropped).toBeUndefined()
    expect(data).toEqual(before)
  })

  it.each(fieldsOf(false))('P1 at %s of the field %s is dropped and recorded', async (point, field, data) => {
    const { outcome, evaluations } = await sendPast({ modify: { [field]: 'changed' } }, { point, data })
    expect(outcome).toMatchObject({ decision: 'pass', data })
    expect(evaluations).toMatchObject([
      {
        decision: 'pass',
        applied: false,
        cause: 'policy',
        dropped: [{ field, why: 'cannot be modified at this point' }],
      },
    ])
    expect(evaluations[0]?.modify).toBeUndefined()
  })

  it('P1 keeps what may be modified when it is mixed with what may not', async () => {
    const answer = { modify: { args: { command: 'ls -a' }, tool: 'eval', invented: 1 } }
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome.data).toEqual({ tool: 'shell', args: { command: 'ls -a' } })
    expect(evaluations).toMatchObject([{ applied: true, dropped: [{ field: 'tool' }, { field: 'invented' }] }])
  })

  it('P1 cannot add a field that the point does not have', async () => {
    const { outcome } = await sendPast({ modify: { invented: 1 } }, { point: 'pre:session:phase', data: { to: 'x' } })
    expect(outcome.data).toEqual({ to: 'x' })
  })
})
