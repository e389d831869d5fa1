// Waiting for a hook and giving up on it: time limits, signals, late answers, and no timer left behind.
// biome-ignore-all lint/suspicious/noThenProperty: thenables are part of the subject.

import { describe, expect, it, vi } from 'vitest'
import { CALL, deferred, makeBareEngine, makeEngine, NEVER, type ToolHandler } from '../../test/engine-fixture.ts'
import type { EngineOptions } from './engine.ts'
import type { HookOptions } from './hook.ts'
import type { Outcome } from './outcome.ts'

const hang = () => NEVER

/** Has the dispatch given its outcome yet? */
async function isDone(given: Outcome | Promise<Outcome>): Promise<boolean> {
  const undecided = Symbol('undecided')
  return (await Promise.race([given, Promise.resolve(undecided)])) !== undecided
}

describe('the time limit of a hook', () => {
  it.each<[string, EngineOptions, ToolHandler, HookOptions, number]>([
    ['5 000 ms by default', {}, hang, {}, 5_000],
    ["the engine's", { timeoutMs: 200 }, hang, {}, 200],
    ["the handler's before the engine's", { timeoutMs: 200 }, Object.assign(() => NEVER, { timeoutMs: 90 }), {}, 90],
    [
      "the hook's before both",
      { timeoutMs: 200 },
      Object.assign(() => NEVER, { timeoutMs: 90 }),
      { timeoutMs: 70 },
      70,
    ],
    ['a fraction of a millisecond', {}, hang, { timeoutMs: 0.5 }, 0.5],
    ['that of a thenable too', {}, () => ({ then: () => NEVER }), { timeoutMs: 10 }, 10],
  ])('D7 is %s', async (_what, engineOptions, handler, hookOptions, limitMs) => {
    const { engine, clock, dispatch, records } = makeEngine(engineOptions)
    engine.register('pre:tool', handler, { name: 'hung', ...hookOptions })
    engine.register('pre:tool', () => ({ metadata: { ran: true } }))
    const given = dispatch()
    await clock.settle()
    clock.advance(limitMs - 0.1)
    await clock.settle()
    expect(await isDone(given)).toBe(false)
    clock.advance(0.1)
    expect(await given).toMatchObject({ decision: 'flag', hook: 'hung', metadata: { ran: true } })
    expect(records[0]).toMatchObject({
      cause: 'failure:timeout',
      reason: `hook hung failed (timeout): no answer within ${limitMs} ms`,
    })
    expect(records[0]?.durationMs).toBeCloseTo(limitMs)
  })

  it('D7 is passed to the handler, and a handler that enforces it gets the requested overtime', async () => {
    const { engine, clock, dispatch } = makeEngine()
    const told: number[] = []
    const handler: ToolHandler = (_step, run) => {
      told.push(run.limitMs)
      return NEVER
    }
    engine.register('pre:tool', Object.assign(handler, { timeoutMs: 100, overtimeMs: 20 }))
    const given = dispatch()
    await clock.settle()
    clock.advance(119)
    await clock.settle()
    expect([told, await isDone(given)]).toEqual([[100], false])
    clock.advance(1)
    expect((await given).decision).toBe('flag')
  })

  it('D7 covers the inject of an object too', async () => {
    const { engine, clock, dispatch, records } = makeEngine()
    engine.register({ name: 'hung', points: ['pre:tool'], check: async () => 'flag' as const, inject: hang })
    const given = dispatch()
    await clock.settle()
    clock.advance(5_000)
    await given
    expect(records[0]?.cause).toBe('failure:timeout')
  })

  it('D7 begins anew for each hook', async () => {
    const { engine, clock, dispatch, records } = makeEngine()
    const gates = [deferred<'pass'>(), deferred<'pass'>(), deferred<'pass'>()]
    for (const { promise } of gates) engine.register('pre:tool', () => promise)
    const given = dispatch()
    for (const { resolve } of gates) {
      await clock.settle()
      clock.advance(4_000)
      resolve('pass')
    }
    expect((await given).decision).toBe('pass')
    expect(records.map(({ durationMs }) => durationMs)).toEqual([4_000, 4_000, 4_000])
  })

  it('D7 is kept for each of several dispatches, whatever the order of their limits', async () => {
    const { engine, clock, dispatch, records } = makeEngine()
    for (const [name, timeoutMs] of [
      ['slow', 300],
      ['quick', 100],
      ['middle', 200],
    ] as const) {
      engine.register('pre:tool', hang, { name, timeoutMs, match: { agent: name } })
    }
    const given = ['slow', 'quick', 'middle'].map((agent) => dispatch(CALL, { agent }))
    await clock.settle()
    expect(clock.timers).toBe(3)
    clock.advance(1_000)
    await Promise.all(given)
    expect(records.map(({ hook, durationMs }) => [hook, durationMs])).toEqual([
      ['quick', 100],
      ['middle', 200],
      ['slow', 300],
    ])
  })

  it.each<['log' | 'skip' | 'abort', Partial<Outcome>]>([
    ['log', { decision: 'flag', blocked: false }],
    ['skip', { decision: 'pass', blocked: false }],
    ['abort', { decision: 'block', blocked: true }],
  ])('D7 reached with onError %s decides as the table says', async (onError, expected) => {
    const { engine, clock, dispatch } = makeEngine()
    engine.register('pre:tool', hang, { onError })
    const given = dispatch()
    await clock.settle()
    clock.advance(5_000)
    expect(await given).toMatchObject(expected)
  })
})

describe('the signal of a run', () => {
  it('D7 is aborted at the time limit, with the reason, and not before', async () => {
    const { engine, clock, dispatch } = makeEngine()
    const aborted: unknown[] = []
    let signal: AbortSignal | undefined
    engine.register('pre:tool', (_step, run) => {
      signal = run.signal
      signal.addEventListener('abort', () => aborted.push(signal?.reason))
      return NEVER
    })
    const given = dispatch()
    await clock.settle()
    clock.advance(4_999)
    expect(signal?.aborted).toBe(false)
    clock.advance(1)
    expect(aborted).toEqual([new Error('no answer within 5000 ms')])
    await given
  })

  it('D7 is aborted also for a handler that first looks at it when the time is up', async () => {
    const { engine, clock, dispatch } = makeEngine()
    const gate = deferred<void>()
    const seen = deferred<AbortSignal>()
    engine.register('pre:tool', async (_step, run) => {
      await gate.promise
      seen.resolve(run.signal)
    })
    const given = dispatch()
    await clock.settle()
    clock.advance(5_000)
    await given
    gate.resolve()
    const signal = await seen.promise
    expect([signal.aborted, signal.reason]).toEqual([true, new Error('no answer within 5000 ms')])
  })

  it('D7 stays as it is when the hook answers in time', async () => {
    const { engine, clock, dispatch } = makeEngine()
    const signals: AbortSignal[] = []
    engine.register('pre:tool', async (_step, { signal }) => void signals.push(signal))
    engine.register('pre:tool', (_step, { signal }) => void signals.push(signal))
    await dispatch()
    clock.advance(60_000)
    expect(signals.map(({ aborted }) => aborted)).toEqual([false, false])
    expect(signals[0]).not.toBe(signals[1])
  })

  it('names the hook it belongs to', async () => {
    const { engine, dispatch } = makeEngine()
    const names: string[] = []
    for (const name of ['a', 'b']) engine.register('pre:tool', (_step, run) => void names.push(run.hook), { name })
    await dispatch()
    expect(names).toEqual(['a', 'b'])
  })
})

describe('an answer after the time limit', () => {
  it.each([
    ['a block', (late: ReturnType<typeof deferred<'block'>>) => late.resolve('block')],
    ['a failure', (late: ReturnType<typeof deferred<'block'>>) => late.reject(new Error('late'))],
  ])('D7 is ignored when it arrives while the next hook is waited for: %s', async (_what, arrive) => {
    const { engine, clock, dispatch, records } = makeEngine()
    const late = deferred<'block'>()
    const next = deferred<'flag'>()
    engine.register('pre:tool', () => late.promise, { name: 'late', onError: 'skip' })
    engine.register('pre:tool', () => next.promise, { name: 'next' })
    const given = dispatch()
    await clock.settle()
    clock.advance(5_000)
    await clock.settle()
    arrive(late)
    await clock.settle()
    expect(await isDone(given)).toBe(false)
    next.resolve('flag')
    expect(await given).toMatchObject({ decision: 'flag', hook: 'next' })
    expect(records.map(({ hook, cause }) => [hook, cause])).toEqual([
      ['late', 'failure:timeout'],
      ['next', 'policy'],
    ])
  })

  it('D7 is ignored when it arrives after the outcome', async () => {
    const { engine, clock, dispatch, records } = makeEngine()
    const late = deferred<'block'>()
    engine.register('pre:tool', () => late.promise)
    const given = dispatch()
    await clock.settle()
    clock.advance(5_000)
    const outcome = await given
    late.resolve('block')
    await clock.settle()
    expect(outcome.decision).toBe('flag')
    expect(records).toHaveLength(1)
  })
})

describe('timers', () => {
  it('D7 are never set for hooks that answer before the present run of code is over', async () => {
    const { engine, clock, dispatch } = makeEngine()
    const after = vi.spyOn(clock, 'after')
    for (let i = 0; i < 5; i++) engine.register('pre:tool', async () => void (await Promise.resolve()))
    await dispatch()
    await clock.settle()
    expect(after).not.toHaveBeenCalled()
  })

  it.each<[string, ToolHandler, Partial<HookOptions>]>([
    ['passes', () => 'pass', {}],
    ['blocks', () => 'block', {}],
    [
      'throws',
      () => {
        throw new Error('bug')
      },
      {},
    ],
    [
      'fails with abort',
      () => {
        throw new Error('bug')
      },
      { onError: 'abort' },
    ],
  ])('D7 none is left after a waited-for hook that %s', async (_what, handler, options) => {
    const { engine, clock, dispatch } = makeBareEngine()
    const gate = deferred<void>()
    engine.register(
      'pre:tool',
      async (step, run) => {
        await gate.promise
        return handler(step, run)
      },
      options,
    )
    const given = dispatch()
    await clock.settle()
    expect(clock.timers).toBe(1)
    gate.resolve()
    await given
    expect(clock.timers).toBe(0)
  })

  it('D7 none is left after time-outs', async () => {
    const { engine, clock, dispatch } = makeBareEngine()
    for (const timeoutMs of [10, 20, 30]) engine.register('pre:tool', hang, { timeoutMs })
    const given = dispatch()
    await clock.settle()
    clock.advance(60)
    await given
    expect(clock.timers).toBe(0)
  })

  it('D7 one is set for each dispatch that waits, and removed with its answer', async () => {
    const { engine, clock, dispatch } = makeBareEngine()
    const gates = Array.from({ length: 20 }, () => deferred<'pass'>())
    engine.register('pre:tool', ({ turn }) => gates[Number(turn)]?.promise)
    const given = gates.map((_gate, turn) => dispatch(CALL, { turn: `${turn}` }))
    await clock.settle()
    for (const [i, gate] of gates.entries()) {
      expect(clock.timers).toBe(gates.length - i)
      gate.resolve('pass')
      await given[i]
    }
    expect(clock.timers).toBe(0)
  })
})
