// How long each hook took, without a reading of the clock for each.

import { describe, expect, it } from 'vitest'
import { makeBareEngine, makeEngine } from '../../test/engine-fixture.ts'

const RUNS_TO_PROVE = 32

/** An engine with hooks that each take as long as `costs` says at the time, and a clock that counts its readings. */
function timedEngine(names: readonly string[]) {
  const made = makeEngine()
  const { engine, clock, dispatch, records } = made
  const costs: Record<string, number> = {}
  const readings = { count: 0 }
  const now = clock.now.bind(clock)
  clock.now = () => {
    readings.count++
    return now()
  }
  for (const name of names) engine.register('pre:tool', () => clock.advance(costs[name] ?? 0), { name })
  /** Dispatches once; gives what was recorded and how often the clock was read. */
  const run = (given: Record<string, number> = {}) => {
    for (const name of names) costs[name] = given[name] ?? 0
    records.length = 0
    readings.count = 0
    void dispatch()
    const durations = Object.fromEntries(records.map(({ hook, durationMs }) => [hook, durationMs]))
    return { order: records.map(({ hook }) => hook), durations, readings: readings.count }
  }
  const prove = () => {
    for (let i = 0; i < RUNS_TO_PROVE; i++) run()
  }
  return { ...made, run, prove }
}

describe('the time of a hook', () => {
  it('is measured alone until the hook has proved quick', () => {
    const { run } = timedEngine(['a', 'b', 'c'])
    expect(run({ a: 3, b: 0.01, c: 7 }).durations).toEqual({ a: 3, b: expect.closeTo(0.01), c: expect.closeTo(7) })
  })

  it('is shared by neighbours that have, at the price of two readings for all', () => {
    const { run, prove } = timedEngine(['a', 'b', 'c'])
    expect(run().readings).toBeGreaterThanOrEqual(4)
    prove()
    const { durations, readings } = run({ a: 0.06 })
    expect(readings).toBe(2)
    expect(durations).toEqual({ a: expect.closeTo(0.02), b: expect.closeTo(0.02), c: expect.closeTo(0.02) })
  })

  it('is measured alone again after a slow stretch, for all of it', () => {
    const { run, prove } = timedEngine(['a', 'b', 'c'])
    prove()
    expect(run({ b: 6 }).durations).toEqual({ a: expect.closeTo(2), b: expect.closeTo(2), c: expect.closeTo(2) })
    expect(run({ b: 6 }).durations).toEqual({ a: 0, b: expect.closeTo(6), c: 0 })
    prove()
    expect(run().readings).toBe(2)
  })

  it('takes as many quick runs in a row as the first time to be trusted again', () => {
    const { run, prove } = timedEngine(['a', 'b'])
    prove()
    run({ a: 6 })
    for (let i = 0; i < RUNS_TO_PROVE - 1; i++) run()
    expect(run({ a: 0.01 }).durations).toEqual({ a: expect.closeTo(0.01), b: 0 })
    expect(run({ a: 0.01 }).durations).toEqual({ a: expect.closeTo(0.005), b: expect.closeTo(0.005) })
  })

  it('of a slow hook is not shared with the quick ones around it', () => {
    const { run } = timedEngine(['a', 'slow', 'c'])
    for (let i = 0; i < RUNS_TO_PROVE; i++) run({ slow: 1 })
    expect(run({ a: 0.01, slow: 5, c: 0.02 }).durations).toEqual({
      a: expect.closeTo(0.01),
      slow: expect.closeTo(5),
      c: expect.closeTo(0.02),
    })
  })

  it('is the wait too, for a hook that is waited for', async () => {
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

  it("does not hold what the sink took for another's record", () => {
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

  it('is nothing for a hook that did not run', () => {
    const { engine, run, prove } = timedEngine(['a', 'off', 'c'])
    prove()
    engine.disable('off')
    const { durations, order } = run({ a: 0.01, c: 0.02 })
    expect(order).toEqual(['a', 'off', 'c'])
    expect(durations).toEqual({ a: expect.closeTo(0.01), off: 0, c: expect.closeTo(0.02) })
  })
})

describe('the mode in a record', () => {
  it('is the one its hook ran in, also where quick neighbours ran in others', () => {
    const { engine, dispatch, records } = makeEngine({ mode: 'enforce' })
    for (const [i, mode] of (['log', 'log', 'enforce', 'advise', 'advise', 'log'] as const).entries()) {
      engine.register('pre:tool', () => undefined, { name: `${i}-${mode}`, mode })
    }
    for (let i = 0; i < RUNS_TO_PROVE; i++) void dispatch()
    records.length = 0
    void dispatch()
    expect(records.map(({ hook, mode }) => [hook, mode])).toEqual(records.map(({ hook }) => [hook, hook.split('-')[1]]))
    expect(records).toHaveLength(6)
  })
})

describe('the order of records', () => {
  it('is the order of hooks, whatever mixture of quick, slow, skipped and blocking', () => {
    const { engine, run, prove } = timedEngine(['a', 'b', 'c', 'd'])
    prove()
    engine.register('pre:tool', () => 'flag', { name: 'new' })
    engine.disable('b')
    expect(run({ c: 3 }).order).toEqual(['a', 'b', 'c', 'd', 'new'])
    engine.register('pre:tool', () => 'block', { name: 'block' })
    engine.register('pre:tool', () => 'flag', { name: 'after' })
    expect(run().order).toEqual(['a', 'b', 'c', 'd', 'new', 'block'])
  })
})
