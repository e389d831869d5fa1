// The evaluations of a dispatch: duration, mode and order.

import { describe, expect, it } from 'vitest'
import { CALL, makeBareEngine, makeEngine } from '../../test/engine-fixture.ts'

describe('the duration of a hook', () => {
  it('is measured for each hook', () => {
    const { engine, clock, dispatch, records } = makeEngine()
    const costs = { a: 3, b: 0.01, c: 7, d: 0 }
    for (const [name, ms] of Object.entries(costs)) engine.register('pre:tool', () => clock.advance(ms), { name })
    for (let i = 0; i < 100; i++) void dispatch()
    expect(records).toHaveLength(400)
    for (const { hook, durationMs } of records) expect(durationMs).toBeCloseTo(costs[hook as keyof typeof costs])
  })

  it('includes the wait for a promise', async () => {
    const { engine, clock, dispatch, records } = makeEngine()
    engine.register(
      'pre:tool',
      () =>
        ({
          // biome-ignore lint/suspicious/noThenProperty: time passes while the answer is waited for
          then: (resolve: (value: 'pass') => void) => {
            clock.advance(8)
            resolve('pass')
          },
        }) as never,
    )
    await dispatch()
    expect(records[0]?.durationMs).toBe(8)
  })

  it('does not include the time of the sink', () => {
    const durations: number[] = []
    const { engine, clock, dispatch } = makeBareEngine({
      sink: ({ durationMs }) => {
        durations.push(durationMs)
        clock.advance(50)
      },
    })
    engine.register('pre:tool', () => clock.advance(1), { name: 'a' })
    engine.register('pre:tool', () => 'pass', { name: 'off' })
    engine.register('pre:tool', () => clock.advance(2), { name: 'b' })
    engine.disable('off')
    void dispatch()
    expect(durations).toEqual([1, 0, 2])
  })

  it('is 0 for a skipped hook', () => {
    const { engine, clock, dispatch, records } = makeEngine()
    for (const name of ['a', 'off', 'c']) engine.register('pre:tool', () => clock.advance(2), { name })
    engine.disable('off')
    void dispatch()
    expect(records.map(({ hook, durationMs }) => [hook, durationMs])).toEqual([
      ['a', 2],
      ['off', 0],
      ['c', 2],
    ])
  })
})

describe('the mode of an evaluation', () => {
  it('is the mode in which its hook ran', () => {
    const { engine, dispatch, records } = makeEngine({ mode: 'enforce' })
    for (const [i, mode] of (['log', 'log', 'enforce', 'advise', 'advise', 'log'] as const).entries()) {
      engine.register('pre:tool', () => undefined, { name: `${i}-${mode}`, mode })
    }
    void dispatch()
    expect(records.map(({ hook, mode }) => [hook, mode])).toEqual(records.map(({ hook }) => [hook, hook.split('-')[1]]))
    expect(records).toHaveLength(6)
  })
})

describe('the order of evaluations', () => {
  it('is the order of the hooks, for passing, slow, skipped and blocking hooks', () => {
    const { engine, clock, dispatch, records } = makeEngine()
    for (const name of ['a', 'b', 'c']) engine.register('pre:tool', () => clock.advance(3), { name })
    engine.register('pre:tool', () => 'flag', { name: 'flag' })
    engine.disable('b')
    engine.register('pre:tool', () => 'block', { name: 'block' })
    engine.register('pre:tool', () => 'flag', { name: 'after' })
    void dispatch()
    expect(records.map(({ hook }) => hook)).toEqual(['a', 'b', 'c', 'flag', 'block'])
  })
})

describe('a recorded dispatch', () => {
  it('returns the outcome, the evaluations and the canonical point, without a sink', () => {
    const { engine } = makeBareEngine()
    engine.register('pre:tool', () => 'pass', { name: 'a' })
    engine.register('pre:tool', () => 'block', { name: 'b' })
    expect(engine.dispatchRecorded('PreToolUse', CALL)).toMatchObject({
      outcome: { decision: 'block', hook: 'b' },
      evaluations: [
        { hook: 'a', decision: 'pass' },
        { hook: 'b', decision: 'block' },
      ],
      point: 'pre:tool',
    })
  })

  it('gives the sink the same evaluations, before the promise of an asynchronous hook is resolved', async () => {
    const { engine, records } = makeEngine()
    engine.register('pre:tool', async () => 'flag' as const, { name: 'a' })
    const { evaluations } = await engine.dispatchRecorded('pre:tool', CALL)
    expect(evaluations).toEqual(records)
    expect(evaluations).toHaveLength(1)
  })

  it('has no evaluations where no hook runs', () => {
    const { engine } = makeBareEngine()
    expect(engine.dispatchRecorded('pre:tool', CALL)).toMatchObject({ outcome: { decision: 'pass' }, evaluations: [] })
  })
})
