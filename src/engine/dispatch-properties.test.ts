// What holds for every mixture of hooks, data and answers.
// biome-ignore-all lint/suspicious/noThenProperty: thenables that misbehave are part of the subject.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { CALL, makeEngine, NEVER, type ToolHandler } from '../../test/engine-fixture.ts'
import { HandlerTable } from '../platform/hook-engine.ts'
import { Failure } from './degradation.ts'
import type { HookOptions } from './hook.ts'
import { MODES, type Mode } from './mode.ts'
import type { Outcome } from './outcome.ts'
import type { ToolCallData } from './points.ts'
import type { StepContext } from './step.ts'
import { DECISIONS } from './verdict.ts'

// --- what is generated ---

const decision = fc.constantFrom(...DECISIONS)
const mode = fc.constantFrom(...(Object.keys(MODES) as Mode[]))
const key = fc.oneof(
  fc.string({ maxLength: 5 }),
  fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'then'),
)
// Through JSON, which knows no -0.
const plain = fc.jsonValue({ maxDepth: 3 }).map((value): unknown => JSON.parse(JSON.stringify(value)))
const fields = fc.dictionary(key, plain, { maxKeys: 4 }) as fc.Arbitrary<Record<string, unknown>>
const call: fc.Arbitrary<ToolCallData> = fc.record({ tool: fc.constantFrom('shell', 'write', ''), args: fields })
const context: fc.Arbitrary<StepContext> = fc.record(
  { session: fc.string(), agent: fc.string(), source: fc.string(), metadata: fields },
  { requiredKeys: [] },
)

// Verdicts as hooks give them when they do what they should.
const verdict = fc.oneof(
  fc.constantFrom(undefined, null, {}),
  decision,
  fc.record(
    { decision, reason: fc.string(), suggestion: fc.string(), metadata: fields, modify: fc.record({ args: fields }) },
    { requiredKeys: [] },
  ),
  fc.record({ abort: fc.boolean(), reason: fc.string() }),
  fc.record({
    control: fc.constantFrom('proceed', 'continue', 'skip', 'veto', 'break', null),
    additional_context: fc.array(fc.string()),
  }),
  fc.record({ result: plain, is_error: fc.boolean() }),
)

interface Spec {
  readonly answer: () => unknown
  readonly options: HookOptions
}

const options: fc.Arbitrary<HookOptions> = fc.record(
  {
    priority: fc.integer({ min: 0, max: 3 }),
    mode,
    onError: fc.constantFrom('log', 'skip', 'abort'),
    match: fc.constantFrom({ tool: 'shell' }, { tool: 'write' }, { minTier: 3 }),
  },
  { requiredKeys: [] },
)

const boom = () => {
  throw new Error('boom')
}
const cyclic = () => {
  const loop: Record<string, unknown> = { decision: 'flag', metadata: {} }
  loop.metadata = { loop }
  return loop
}
const huge = (n: number) => ({ decision: 'flag', metadata: { list: Array.from({ length: n }, (_, i) => i) } })
const deep = (depth: number) => {
  let value: unknown = 1
  for (let i = 0; i < depth; i++) value = [value]
  return { modify: { args: { value } } }
}

// Every way to answer badly that we could think of.
const nonsense: fc.Arbitrary<() => unknown> = fc.oneof(
  fc
    .anything({
      withNullPrototype: true,
      withBigInt: true,
      withDate: true,
      withMap: true,
      withSet: true,
      withTypedArray: true,
      withSparseArray: true,
    })
    .map((value) => () => value),
  fc.constantFrom<() => unknown>(
    boom,
    cyclic,
    () => huge(200_000),
    () => deep(50),
    () => deep(100_000),
    () => Promise.reject(new Error('boom')),
    async () => cyclic(),
    () => NEVER,
    () => Symbol('verdict'),
    () => 10n,
    () => Object.create(null),
    () => new Failure('odd' as never, 'x'),
    () => new Failure('toString' as never, 'x'),
    () => Object.create(Failure.prototype),
    () => Object.defineProperty({}, 'then', { get: boom }),
    () => Object.defineProperty({ modify: {} }, 'decision', { get: boom, enumerable: true }),
    () => ({
      decision: 'block',
      reason: { toString: boom },
      metadata: Object.defineProperty({}, 'a', { get: boom, enumerable: true }),
    }),
    () => ({ metadata: JSON.parse('{"__proto__":{"evil":1},"a":{"constructor":{"prototype":{"evil":1}}}}') }),
    () => ({ modify: JSON.parse('{"__proto__":{"evil":1},"args":{"__proto__":{"evil":1}}}') }),
    () => new Proxy({}, { get: boom, has: boom, ownKeys: boom, getPrototypeOf: boom, getOwnPropertyDescriptor: boom }),
    () => new Proxy({ decision: 'flag' }, { ownKeys: boom }),
    () => new Proxy([], { get: (_target, name) => (name === 'length' ? 2 ** 32 : undefined) }),
    () => new Proxy(() => undefined, { apply: boom }),
    () => ({ then: (yes: (value: unknown) => void) => [yes('flag'), yes('block')] }),
    () => ({ then: (yes: (value: unknown) => void, no: (error: unknown) => void) => [no(boom), yes('block')] }),
    () => ({ then: boom }),
  ),
)

/** Sends one step through hooks made of these specs and gives all there is to see of it. */
async function run(
  specs: readonly Spec[],
  given: { call: ToolCallData; context: StepContext; mode: Mode },
  isAsync: boolean,
) {
  const { engine, clock, dispatch, records, notices, faults } = makeEngine({ mode: given.mode })
  for (const [i, { answer, options }] of specs.entries()) {
    const handler = isAsync ? async () => answer() : answer
    engine.register('pre:tool', handler as ToolHandler, { ...options, name: `h${i}` })
  }
  const outcome = await settled(dispatch(given.call, given.context), clock)
  const timeless = records.map(({ durationMs, ...record }) => record)
  return { outcome, records: timeless, notices, faults, timers: clock.timers }
}

// A hung hook is given up on as often as there can be hooks.
async function settled<D>(
  given: Outcome<D> | Promise<Outcome<D>>,
  clock: ReturnType<typeof makeEngine>['clock'],
): Promise<Outcome<D>> {
  if (!(given instanceof Promise)) return given
  let outcome: Outcome<D> | undefined
  void given.then((value) => {
    outcome = value
  })
  for (let i = 0; outcome === undefined && i < 50; i++) {
    await clock.settle()
    if (outcome === undefined) clock.advance(5_000)
  }
  return given
}

const spec: fc.Arbitrary<Spec> = fc.record({ answer: verdict.map((value) => () => value), options })
const step = fc.record({ call, context, mode })

describe('whatever the hooks', () => {
  it('D1 they run in order of priority, then of registration', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.record({ priority: fc.integer({ min: -2, max: 2 }), isAsync: fc.boolean() })),
        async (hooks) => {
          const { engine, dispatch } = makeEngine()
          const ran: number[] = []
          for (const [i, { priority, isAsync }] of hooks.entries()) {
            const handler = () => void ran.push(i)
            engine.register('pre:tool', isAsync ? async () => handler() : handler, { priority })
          }
          await dispatch()
          const expected = [...hooks.entries()].sort(([, a], [, b]) => a.priority - b.priority).map(([i]) => i)
          expect(ran).toEqual(expected)
        },
      ),
    )
  })

  it('D3 their edits compose from left to right', async () => {
    const edits = fc.array(fc.record({ args: fc.option(fields, { nil: undefined }), isAsync: fc.boolean() }), {
      maxLength: 8,
    })
    await fc.assert(
      fc.asyncProperty(call, edits, async (data, list) => {
        const { engine, dispatch } = makeEngine()
        const seen: unknown[] = []
        for (const { args, isAsync } of list) {
          const handler: ToolHandler = (step) => {
            seen.push(step.data)
            return args === undefined ? undefined : { modify: { args: { ...step.data.args, ...args } } }
          }
          engine.register('pre:tool', isAsync ? async (step, run) => handler(step, run) : handler)
        }
        const outcome = await dispatch(data)
        // The reference: a plain reduce over plain copies, in which no key reaches a prototype.
        const states = [clean(data)]
        for (const { args } of list) {
          const last = states.at(-1) as ToolCallData
          states.push(args === undefined ? last : { ...last, args: { ...last.args, ...(clean(args) as object) } })
        }
        expect(seen).toEqual(states.slice(0, list.length))
        expect(clean(outcome.data)).toEqual(states.at(-1))
      }),
    )
  })

  it('D6 a failing one never changes what the others see', async () => {
    const others = fc.array(fc.record({ args: fields, metadata: fields, isAsync: fc.boolean() }), {
      minLength: 1,
      maxLength: 4,
    })
    await fc.assert(
      fc.asyncProperty(
        others,
        fc.array(fc.tuple(fc.nat(4), nonsenseThatFails), { maxLength: 3 }),
        async (list, failures) => {
          const look = async (isWithFailures: boolean) => {
            const { engine, clock, dispatch } = makeEngine({ onError: 'skip' })
            const seen: unknown[] = []
            const fail = (place: number) => {
              if (!isWithFailures) return
              for (const [at, answer] of failures) if (at === place) engine.register('pre:tool', answer as ToolHandler)
            }
            for (const [i, { args, metadata, isAsync }] of list.entries()) {
              fail(i)
              const handler: ToolHandler = ({ data, metadata: given }) => {
                seen.push([data, given])
                return { modify: { args }, metadata }
              }
              engine.register('pre:tool', isAsync ? async (step, run) => handler(step, run) : handler)
            }
            fail(4)
            const { data, metadata } = await settled(dispatch(), clock)
            return { seen, data, metadata: withoutSuggestions(metadata) }
          }
          const [without, having] = [await look(false), await look(true)]
          expect({ ...having, seen: having.seen.map(forget) }).toEqual({ ...without, seen: without.seen.map(forget) })
        },
      ),
      { numRuns: 60 },
    )
  })

  it('D6 no answer, however hostile, gets out of dispatch as an exception or leaves a timer', async () => {
    const specs = fc.array(fc.record({ answer: nonsense, options }), { minLength: 1, maxLength: 4 })
    await fc.assert(
      fc.asyncProperty(specs, step, fc.boolean(), async (list, given, isAsync) => {
        const { outcome, records, timers } = await run(list, given, isAsync)
        expect(DECISIONS).toContain(outcome.decision)
        expect(outcome.blocked).toBe(outcome.decision === 'ask' || outcome.decision === 'block')
        for (const record of records) expect(DECISIONS).toContain(record.decision)
        expect(timers).toBe(0)
        expect({}).not.toHaveProperty('evil')
      }),
      { numRuns: 200 },
    )
  })

  it('D5 each that matches leaves one record, in order, up to the block that ends it', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(spec, { maxLength: 6 }), step, fc.boolean(), async (list, given, isAsync) => {
        const { outcome, records } = await run(list, given, isAsync)
        const names = records.map(({ hook }) => hook)
        expect(new Set(names).size).toBe(names.length)
        const order = [...list.entries()].sort(([, a], [, b]) => priorityOf(a) - priorityOf(b)).map(([i]) => `h${i}`)
        expect(names).toEqual(order.filter((name) => names.includes(name)))
        const ends = records.findIndex(({ decision, applied }) => decision === 'block' && applied)
        expect(ends).toBe(outcome.decision === 'block' ? records.length - 1 : -1)
        if (given.mode === 'off') expect(records).toEqual([])
      }),
    )
  })

  it('answering at once or later makes no difference to outcome, records, notices or faults', async () => {
    const answer = fc.oneof(
      { weight: 4, arbitrary: verdict.map((value) => () => value as unknown) },
      { weight: 1, arbitrary: fc.constantFrom<() => unknown>(boom, () => 42, cyclic) },
    )
    await fc.assert(
      fc.asyncProperty(fc.array(fc.record({ answer, options }), { maxLength: 6 }), step, async (list, given) => {
        expect(await run(list, given, true)).toEqual(await run(list, given, false))
      }),
    )
  })

  it('D3 no object that is given in is ever changed, whatever hooks try', async () => {
    const attack = fc.constantFrom<(target: object) => unknown>(
      (target) => Object.assign(target, { evil: 1 }),
      (target) => Object.defineProperty(target, 'evil', { value: 1 }),
      (target) => Object.setPrototypeOf(target, { evil: 1 }),
      (target) => Reflect.deleteProperty(target, 'args'),
      (target) => Reflect.set(target, 'tool', 'evil'),
      (target) => Object.keys(target).map((name) => Reflect.set(target, name, 'evil')),
    )
    const target = fc.constantFrom<(step: Parameters<ToolHandler>[0], run: object) => object>(
      (step) => step,
      ({ data }) => data,
      ({ data }) => data.args,
      ({ metadata }) => metadata,
      ({ metadata }) => (metadata.nested ?? {}) as object,
      (_step, run) => run,
    )
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.tuple(attack, target, verdict), { maxLength: 5 }),
        call,
        fields,
        async (attacks, data, facts) => {
          const context = { session: 's', metadata: { ...facts, nested: { a: [1] } } }
          const hookOptions = { priority: 3, match: { tool: ['shell', 'write'] } }
          const before = structuredClone({ data, context, hookOptions })
          const { engine, dispatch } = makeEngine()
          const seen: unknown[] = []
          for (const [act, pick, answer] of attacks) {
            const handler: ToolHandler = (step, run) => {
              act(pick(step, run))
              return answer as never
            }
            engine.register('pre:tool', handler, hookOptions)
          }
          engine.register('pre:tool', ({ session, point }) => void seen.push(session, point), { priority: 1 })
          const outcome = await dispatch(data, context)
          expect({ data, context, hookOptions }).toEqual(before)
          expect(seen).toEqual(['s', 'pre:tool'])
          expect(outcome.data).not.toHaveProperty('evil')
          expect({}).not.toHaveProperty('evil')
        },
      ),
    )
  })
})

describe('swapping tables at any moment', () => {
  it('D10 never mixes them: all hooks that a dispatch runs are of the table it started with', async () => {
    const tables = ['a', 'b', 'c'].map((letter) => (count: number, ran: string[][]) => {
      let table: ReturnType<HandlerTable['without']> = new HandlerTable()
      for (let i = 0; i < count; i++) {
        const handler: ToolHandler = ({ turn }) => {
          ran[Number(turn)]?.push(letter)
          return Promise.resolve(undefined)
        }
        table = table.add('pre:tool', handler as never, { name: `${letter}${i}` }).table
      }
      return table
    })
    await fc.assert(
      fc.asyncProperty(
        fc.scheduler(),
        fc.array(fc.nat(2), { minLength: 1, maxLength: 8 }),
        fc.integer({ min: 1, max: 5 }),
        fc.integer({ min: 1, max: 5 }),
        async (scheduler, swaps, hooks, dispatches) => {
          const ran: string[][] = Array.from({ length: dispatches }, () => [])
          const built = tables.map((build) => build(hooks, ran))
          const { engine, dispatch } = makeEngine()
          engine.swap(built[0] as HandlerTable)
          const started: string[] = []
          const all: unknown[] = []
          let current = 'a'
          const swap = async (to: number) => {
            engine.swap(built[to] as HandlerTable)
            current = 'abc'.charAt(to)
          }
          const begin = async (turn: number) => {
            started[turn] = current
            await dispatch(CALL, { turn: `${turn}` })
          }
          const doSwap = scheduler.scheduleFunction(swap)
          const doBegin = scheduler.scheduleFunction(begin)
          for (const to of swaps) all.push(doSwap(to))
          for (let turn = 0; turn < dispatches; turn++) all.push(doBegin(turn))
          await scheduler.waitFor(Promise.all(all))
          for (const [turn, letters] of ran.entries()) {
            expect(letters).toEqual(Array.from({ length: hooks }, () => started[turn]))
          }
        },
      ),
    )
  })
})

// Failures only: what says nothing or decides something would rightly be seen.
const nonsenseThatFails = fc.constantFrom<() => unknown>(
  boom,
  () => 42,
  () => 'allow',
  () => ['block'],
  () => Promise.reject(new Error('boom')),
  () => NEVER,
  async () => 42,
  () => ({ then: boom }),
  () => ({ decision: 'flagged', modify: { args: { evil: 1 } }, metadata: { evil: 1 } }),
  () => ({ decision: 'flag', modify: { args: { evil: 1 } }, metadata: 7 }),
  () => huge(200_000),
  () => new Failure('crash', 'x'),
)

function priorityOf({ options }: Spec): number {
  return options.priority ?? 100
}

/** Without keys that reach prototypes: as the engine copies. */
function clean<T>(value: T): T {
  return JSON.parse(JSON.stringify(value), function (this: object, name, inner) {
    return name === '__proto__' ? undefined : inner
  }) as T
}

function withoutSuggestions({ suggestions, ...metadata }: Readonly<Record<string, unknown>>): object {
  return metadata
}

/** What a hook saw, without the advice that failed hooks leave. */
function forget(seen: unknown): unknown {
  const [data, metadata] = seen as [unknown, Record<string, unknown>]
  return [data, withoutSuggestions(metadata)]
}
