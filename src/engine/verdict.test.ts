import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sendPast, sendThrough, TOOL_CALL } from '../../test/one-hook.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { Failure } from './degradation.ts'
import type { HookObject } from './hook.ts'
import type { Evaluation } from './outcome.ts'
import { POINTS, type PointSpec } from './points.ts'
import { DECISION_RANK, DECISIONS, type Decision, readVerdict, type Verdict, VerdictWithFacts } from './verdict.ts'

const PRE_TOOL: PointSpec = POINTS['pre:tool']

/** A value whose every field, and whose very nature, throws when looked at. */
function trap(): object {
  const refuse = () => {
    throw new Error('do not look')
  }
  return new Proxy(
    {},
    { get: refuse, has: refuse, ownKeys: refuse, getPrototypeOf: refuse, getOwnPropertyDescriptor: refuse },
  )
}
/** An object with a field that throws when read. */
const throwing = (field: string, rest: object = {}): object =>
  Object.defineProperty({ ...rest }, field, {
    enumerable: true,
    get: () => {
      throw new Error(`${field} throws`)
    },
  })
const deep = (levels: number): object => {
  let value: object = {}
  for (let i = 0; i < levels; i++) value = { value }
  return value
}
const cyclic = (): object => {
  const value: Record<string, unknown> = { decision: 'flag' }
  value.metadata = { value }
  value.modify = { args: value }
  return value
}

// Every form in which a function handler may answer, and what it comes to at pre:tool in enforce.
const FORMS: readonly (readonly [string, unknown, Decision, object])[] = [
  ['nothing', undefined, 'pass', {}],
  ['null', null, 'pass', {}],
  ['an empty object', {}, 'pass', {}],
  ['"pass"', 'pass', 'pass', {}],
  ['"flag"', 'flag', 'flag', {}],
  ['"ask"', 'ask', 'ask', {}],
  ['"block"', 'block', 'block', {}],
  ['abort', { abort: true }, 'block', {}],
  ['abort with a reason', { abort: true, reason: 'no' }, 'block', { reason: 'no' }],
  ['abort: false', { abort: false, reason: 'fine' }, 'pass', {}],
  ['modify', { modify: { args: { command: 'pwd' } } }, 'pass', { data: { tool: 'shell', args: { command: 'pwd' } } }],
  ['a decision alone', { decision: 'ask' }, 'ask', {}],
  [
    'a whole verdict',
    { decision: 'flag', reason: 'r', suggestion: 's', modify: { args: {} }, metadata: { tier: 2 } },
    'flag',
    { reason: 'r', suggestion: 's', data: { tool: 'shell', args: {} }, metadata: { tier: 2 } },
  ],
  ['the stronger of two forms', { decision: 'flag', abort: true }, 'block', {}],
  ['the stronger of two forms, the other way', { decision: 'block', abort: false, control: 'proceed' }, 'block', {}],
  ['verdict JSON', { control: 'veto', reason: 'no' }, 'block', { reason: 'no', control: 'stop' }],
  ['an object without prototype', Object.assign(Object.create(null), { decision: 'flag' }), 'flag', {}],
  [
    'a class instance',
    new (class Ruling {
      decision = 'flag'
    })(),
    'flag',
    {},
  ],
  ['only a reason', { reason: 'nothing to see' }, 'pass', {}],
]

const NOT_VERDICTS: readonly (readonly [string, unknown])[] = [
  ...['', 'allow', 'PASS', 'toString', '__proto__'].map((word) => [`the text "${word}"`, word] as const),
  ...[0, 42, Number.NaN, true, false, 12n, Symbol('pass')].map((value) => [`a ${typeof value}`, value] as const),
  ['a list', ['block']],
  ['a function', () => 'block'],
  ['an error', new Error('boom')],
  ['a date', new Date(0)],
  ['a map', new Map([['decision', 'block']])],
  ['an object of other fields', { verdict: 'block' }],
  ['an empty instance', new (class Empty {})()],
]

describe('a function handler', () => {
  it.each(FORMS)('H1 may answer with %s', async (_what, answer, decision, more) => {
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision, blocked: DECISION_RANK[decision] >= DECISION_RANK.ask, ...more })
    expect(evaluations).toMatchObject([{ decision, cause: 'policy' }])
  })

  it.each(FORMS)('H1 may answer with a promise of %s', async (_what, answer, decision, more) => {
    const { outcome, evaluations } = await sendThrough(async () => answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision, ...more })
    expect(evaluations).toMatchObject([{ decision, cause: 'policy' }])
  })

  it.each(NOT_VERDICTS)('H1 that answers with %s has failed', async (_what, answer) => {
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(evaluations).toMatchObject([{ cause: 'failure:invalid-output', applied: false }])
  })

  it('H1 may report a failure without throwing', async () => {
    const { evaluations } = await sendPast(new Failure('start', 'no such file'), { point: 'pre:tool' })
    expect(evaluations).toMatchObject([{ cause: 'failure:start', decision: 'flag' }])
    expect(evaluations[0]?.reason).toContain('no such file')
  })
})

describe('a hook in object form', () => {
  const sendToObject = async (hook: Partial<HookObject>) => {
    const evaluations: Evaluation[] = []
    const engine = createEngine({
      mode: 'enforce',
      sink: (evaluation) => void evaluations.push(evaluation),
      onFault: () => undefined,
    })
    engine.register({ name: 'object', points: ['pre:tool'], check: () => 'pass', ...hook } as never)
    return { outcome: await engine.dispatch('pre:tool', TOOL_CALL), evaluations }
  }

  it.each(FORMS)('H1 may answer from check with %s', async (_what, answer, decision, more) => {
    expect((await sendToObject({ check: () => answer as 'pass' })).outcome).toMatchObject({ decision, ...more })
    expect((await sendToObject({ check: async () => answer as 'pass' })).outcome).toMatchObject({ decision, ...more })
  })

  it.each([
    ['both at once', 'flag', { tier: 3 }],
    ['check later', Promise.resolve('flag'), { tier: 3 }],
    ['inject later', 'flag', Promise.resolve({ tier: 3 })],
    ['both later', Promise.resolve('flag'), Promise.resolve({ tier: 3 })],
  ])('H1 adds what inject gives to the metadata: %s', async (_what, verdict, facts) => {
    const { outcome, evaluations } = await sendToObject({ check: () => verdict as 'flag', inject: () => facts })
    expect(outcome).toMatchObject({ decision: 'flag', metadata: { tier: 3 } })
    expect(evaluations).toMatchObject([{ hook: 'object', decision: 'flag', metadata: { tier: 3 } }])
  })

  it('H1 merges the facts of inject over the metadata of check', async () => {
    const { outcome } = await sendToObject({
      check: () => ({ metadata: { a: 'check', b: 'check' } }),
      inject: () => ({ b: 'inject', c: 'inject' }),
    })
    expect(outcome.metadata).toEqual({ a: 'check', b: 'inject', c: 'inject' })
  })

  it.each([undefined, null, {}])('H1 may inject %o', async (facts) => {
    const { outcome } = await sendToObject({ check: () => 'flag', inject: () => facts })
    expect(outcome).toMatchObject({ decision: 'flag', metadata: {} })
  })

  it('H1 is called as a method of its object', async () => {
    class Counter {
      readonly name = 'counter'
      readonly points = ['pre:tool'] as const
      #seen = 0
      check() {
        this.#seen++
      }
      inject() {
        return { seen: this.#seen }
      }
    }
    const engine = createEngine({ mode: 'enforce' })
    engine.register(new Counter())
    expect((await engine.dispatch('pre:tool', TOOL_CALL)).metadata).toEqual({ seen: 1 })
    expect((await engine.dispatch('pre:tool', TOOL_CALL)).metadata).toEqual({ seen: 2 })
  })

  it.each([7, 'text', [1], true])('H1 that injects %o has failed', async (facts) => {
    const { evaluations } = await sendToObject({ check: () => 'flag', inject: () => facts as never })
    expect(evaluations).toMatchObject([{ cause: 'failure:invalid-output' }])
  })

  it.each([7, throwing('tier'), { list: new Array(200_000).fill(0) }])(
    'H1 that blocks still blocks when inject gives nonsense: %#',
    async (facts) => {
      const { outcome, evaluations } = await sendToObject({
        check: () => ({ abort: true, reason: 'no' }),
        inject: () => facts as never,
      })
      expect(outcome).toMatchObject({ blocked: true, reason: 'no' })
      expect(evaluations).toMatchObject([{ decision: 'block', cause: 'policy', dropped: [{ field: 'inject' }] }])
    },
  )
})

describe('the control of verdict JSON', () => {
  it.each([
    // At a point where nothing special holds: skip, veto and break all stop the action; break ends the turn as well.
    ['pre:tool', null, 'pass', 'proceed'],
    ['pre:tool', 'proceed', 'pass', 'proceed'],
    ['pre:tool', 'continue', 'pass', 'proceed'],
    ['pre:tool', 'skip', 'block', 'stop'],
    ['pre:tool', 'veto', 'block', 'stop'],
    ['pre:tool', 'break', 'block', 'break'],
    ['pre:message', 'veto', 'block', 'stop'],
    ['pre:message', 'break', 'block', 'break'],
    // At a turn's end an intervention means: do not end it yet.
    ['pre:turn:end', null, 'pass', 'proceed'],
    ['pre:turn:end', 'proceed', 'pass', 'proceed'],
    ['pre:turn:end', 'continue', 'block', 'continue'],
    ['pre:turn:end', 'skip', 'block', 'continue'],
    ['pre:turn:end', 'veto', 'block', 'continue'],
    ['pre:turn:end', 'break', 'block', 'break'],
    // At compaction it means: do without.
    ['pre:compact', null, 'pass', 'proceed'],
    ['pre:compact', 'proceed', 'pass', 'proceed'],
    ['pre:compact', 'continue', 'pass', 'proceed'],
    ['pre:compact', 'skip', 'block', 'skip'],
    ['pre:compact', 'veto', 'block', 'skip'],
    ['pre:compact', 'break', 'block', 'break'],
    // What has happened cannot be stopped.
    ['post:tool', 'veto', 'flag', 'proceed'],
    ['post:tool', 'break', 'flag', 'proceed'],
  ] as const)('H7 at %s %s is a %s: %s', async (point, control, decision, expected) => {
    const { outcome } = await sendPast({ control }, { point, data: TOOL_CALL })
    expect(outcome).toMatchObject({ decision, control: expected, blocked: decision === 'block' })
  })

  it.each(['log', 'advise'] as const)('H7 is not followed in %s', async (mode) => {
    const { outcome } = await sendPast({ control: 'break' }, { point: 'pre:tool', engine: { mode } })
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, control: 'proceed' })
  })

  it.each(['Veto', 'stop', '', 'toString', '__proto__', 7, true, {}, ['veto']])(
    'H7 %o is invalid output',
    async (control) => {
      const { evaluations } = await sendPast({ control }, { point: 'pre:tool' })
      expect(evaluations).toMatchObject([{ cause: 'failure:invalid-output', decision: 'flag' }])
      expect(evaluations[0]?.reason).toContain('control must be null, proceed, continue, skip, veto, break')
    },
  )

  it('H7 is that of the hook that decided', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => ({ decision: 'ask', reason: 'first' }))
    engine.register('pre:tool', () => ({ control: 'break', reason: 'second' }))
    expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ control: 'break', reason: 'second' })
  })

  it('H7 carries a stop reason when it is followed', async () => {
    const answer = { control: 'break', stop_reason: 'refusal' }
    const enforced = await sendPast(answer, { point: 'pre:tool' })
    expect(enforced.outcome.metadata.stopReason).toBe('refusal')
    const logged = await sendPast(answer, { point: 'pre:tool', engine: { mode: 'log' } })
    expect(logged.outcome.metadata.stopReason).toBeUndefined()
  })
})

describe('additional context', () => {
  it('H7 reaches the outcome’s metadata, hook after hook', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('post:tool', () => ({ additional_context: ['one', 'two'] }))
    engine.register('post:tool', () => ({ control: null, additional_context: ['three'] }))
    engine.register('post:tool', () => ({ additional_context: [] }))
    const { metadata } = await engine.dispatch('post:tool', { ...TOOL_CALL, result: '' })
    expect(metadata.additionalContext).toEqual(['one', 'two', 'three'])
  })

  it('H7 is the feedback with which a turn continues', async () => {
    const answer = { control: 'continue', additional_context: ['the tests fail'] }
    const { outcome } = await sendPast(answer, { point: 'pre:turn:end', data: {} })
    expect(outcome).toMatchObject({ control: 'continue', metadata: { additionalContext: ['the tests fail'] } })
  })
})

describe('the step’s own fields in a verdict', () => {
  it.each([
    ['pre:tool', 'args', { command: 'pwd' }, 'args'],
    ['pre:message', 'input', 'shorter', 'prompt'],
    ['pre:message', 'prompt', 'shorter', 'prompt'],
    ['post:message', 'output', '***', 'output'],
    ['post:tool', 'result', '***', 'result'],
    ['post:tool', 'output', '***', 'result'],
    ['pre:agent:spawn', 'config', { model: 'small' }, 'config'],
    ['pre:git:write', 'content', 'new', 'content'],
    ['pre:view:render', 'renderData', { lines: 2 }, 'renderData'],
    ['pre:launch', 'env', { A: '1' }, 'env'],
  ])('H7 at %s %s edits the data', async (point, given, value, field) => {
    for (const answer of [{ [given]: value }, { control: null, [given]: value }, { modify: { [given]: value } }]) {
      const { outcome, evaluations } = await sendPast(answer, { point, data: { [field]: 'before', other: 1 } })
      expect(outcome).toMatchObject({ decision: 'pass', data: { [field]: value, other: 1 } })
      expect(Object.keys(outcome.data)).toEqual([field, 'other'])
      expect(evaluations).toMatchObject([{ applied: true, modify: { [field]: value } }])
    }
  })

  it('H7 that are null are not given: records are often written with all their fields', async () => {
    const answer = { control: null, args: null, result: null, additional_context: null, reason: null, is_error: null }
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision: 'pass', data: TOOL_CALL })
    expect(outcome.answer).toBeUndefined()
    expect(evaluations).toMatchObject([{ cause: 'policy', applied: false }])
  })

  it('H7 can be set to null with modify', async () => {
    const data = { ...TOOL_CALL, result: 'x' }
    const { outcome } = await sendPast({ modify: { result: null } }, { point: 'post:tool', data })
    expect(outcome.data).toEqual({ ...TOOL_CALL, result: null })
  })

  it('H7 that the point does not have are dropped and recorded', async () => {
    const answer = { control: 'proceed', args: {}, output: 'x', model: 'large' }
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome.data).toEqual({ tool: 'shell', args: {} })
    expect(evaluations).toMatchObject([{ dropped: [{ field: 'output' }, { field: 'model' }] }])
  })

  it('H7 do not fill the record, however many are dropped', async () => {
    const fields = Object.fromEntries(Array.from({ length: 1_000 }, (_, i) => [`${'x'.repeat(1_000)}${i}`, i]))
    const { evaluations } = await sendPast({ decision: 'flag', ...fields }, { point: 'pre:tool' })
    expect(JSON.stringify(evaluations).length).toBeLessThan(10_000)
  })
})

describe('a supplied result', () => {
  it.each([
    ['a text', 'cached'],
    ['an object', { lines: ['a'] }],
    ['nothing much', ''],
    ['zero', 0],
    ['false', false],
  ])('H7 answers the tool call instead of the tool, and the turn continues: %s', async (_what, result) => {
    const { outcome, evaluations } = await sendPast({ result }, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision: 'pass', blocked: false, control: 'proceed', data: TOOL_CALL })
    expect(outcome.answer).toEqual({ result, isError: false })
    expect(evaluations).toMatchObject([{ applied: true }])
  })

  it('H7 can be an error', async () => {
    const { outcome } = await sendPast({ result: 'not found', is_error: true }, { point: 'pre:tool' })
    expect(outcome.answer).toEqual({ result: 'not found', isError: true })
  })

  it('H7 does not keep later hooks from looking, and falls when one of them blocks', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => ({ result: 'cached' }))
    engine.register('pre:tool', () => 'block')
    const outcome = await engine.dispatch('pre:tool', TOOL_CALL)
    expect(outcome).toMatchObject({ blocked: true, control: 'stop' })
    expect(outcome.answer).toBeUndefined()
  })

  it('H7 is the last one given, when several are', async () => {
    const engine = createEngine({ mode: 'enforce' })
    engine.register('pre:tool', () => ({ result: 1 }))
    engine.register('pre:tool', () => ({ result: 2 }))
    expect((await engine.dispatch('pre:tool', TOOL_CALL)).answer).toEqual({ result: 2, isError: false })
  })

  it('H7 is a copy: what the hook does to its object later changes nothing', async () => {
    const result = { lines: ['a'] }
    const { outcome } = await sendPast({ result }, { point: 'pre:tool' })
    result.lines.push('b')
    expect(outcome.answer?.result).toEqual({ lines: ['a'] })
  })
})

// Each is a verdict with exactly one thing wrong with it, and the field that is wrong.
const MALFORMED: readonly (readonly [string, object])[] = [
  ['control', { control: 'maybe' }],
  ['decision', { decision: 'deny' }],
  ['decision', { decision: 1 }],
  ['abort', { abort: 'yes' }],
  ['reason', { reason: 7 }],
  ['suggestion', { suggestion: {} }],
  ['stop_reason', { stop_reason: [] }],
  ['metadata', { metadata: ['a'] }],
  ['metadata', { metadata: 'a' }],
  ['modify', { modify: 'args' }],
  ['modify', { modify: [] }],
  ['additional_context', { additional_context: 'text' }],
  ['additional_context', { additional_context: ['a', 1] }],
  ['additional_context', { additional_context: new Array(3) }],
  ['is_error', { result: 'x', is_error: 'yes' }],
  ...['control', 'decision', 'abort', 'reason', 'modify', 'metadata', 'result', 'args'].map(
    (field) => [field, throwing(field)] as const,
  ),
]
const STRONG: readonly (readonly [string, object])[] = [
  ['decision', { decision: 'block' }],
  ['decision', { decision: 'ask' }],
  ['abort', { abort: true }],
  ['control', { control: 'veto' }],
]
const withField = (a: object, b: object): object =>
  Object.defineProperties({}, { ...Object.getOwnPropertyDescriptors(a), ...Object.getOwnPropertyDescriptors(b) })

describe('a malformed verdict', () => {
  it.each(MALFORMED)('H7 with a bad %s is invalid output: %#', async (field, answer) => {
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ decision: 'flag', data: TOOL_CALL })
    expect(evaluations).toMatchObject([{ cause: 'failure:invalid-output', applied: false }])
    expect(evaluations[0]?.reason).toContain(field)
  })

  const pairs = STRONG.flatMap(([form, strong]) =>
    MALFORMED.filter(([field]) => field !== form).map(([field, bad]) => ({
      form,
      field,
      answer: withField(strong, bad),
    })),
  )

  it.each(pairs)('H7 that clearly blocks by $form still does with a bad $field', async ({ answer }) => {
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome.blocked).toBe(true)
    expect(evaluations).toMatchObject([{ applied: true, cause: 'policy' }])
    expect(evaluations[0]?.dropped).toHaveLength(1)
  })

  it.each([
    ['too deep', deep(10_000)],
    ['too large', new Array(200_000).fill(0)],
    ['a trap', trap()],
  ])('H7 that clearly blocks keeps its reason beside an edit that is %s', async (_what, args) => {
    const answer = { decision: 'block', reason: 'no', suggestion: 'yes', modify: { args } }
    const { outcome, evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ blocked: true, reason: 'no', suggestion: 'yes' })
    expect(evaluations).toMatchObject([{ cause: 'policy', dropped: [{ field: 'the rest' }] }])
  })

  it('H7 that breaks off the turn still does, whatever else is wrong', async () => {
    const { outcome } = await sendPast({ control: 'break', abort: 'yes' }, { point: 'pre:tool' })
    expect(outcome).toMatchObject({ blocked: true, control: 'break' })
  })

  it.each([
    ['metadata', { metadata: { list: new Array(200_000).fill(0) } }],
    ['metadata that is too deep', { metadata: deep(10_000) }],
    ['an edit', { modify: { args: new Array(200_000).fill(0) } }],
    ['a result', { result: deep(10_000) }],
    ['context', { additional_context: new Array(200_000).fill('a') }],
    ['context that only claims to be long', { additional_context: new Array(4_294_967_295) }],
  ])('H7 with too much of %s is beyond the limit', async (_what, answer) => {
    const { evaluations } = await sendPast(answer, { point: 'pre:tool' })
    expect(evaluations).toMatchObject([{ cause: 'failure:output-limit', decision: 'flag' }])
  })

  it('D6 never throws out of a dispatch, not even late: what is kept of it is plain data', async () => {
    class Facts {
      constructor() {
        let reads = 0
        Object.defineProperty(this, 'tier', {
          enumerable: true,
          get: () => {
            if (++reads > 1) throw new Error('read twice')
            return 3
          },
        })
      }
    }
    const { outcome } = await sendPast({ metadata: new Facts() }, { point: 'pre:tool' })
    expect(outcome.metadata).toEqual({ tier: 3 })
  })

  it.each(['log', 'advise', 'enforce'] as const)(
    'D6 in %s the deepest edit that is accepted can be handed on',
    async (mode) => {
      const engine = createEngine({ mode, sink: () => undefined })
      const args = deep(500) as Record<string, unknown>
      engine.register('pre:tool', () => ({ modify: { args } }))
      const seen: unknown[] = []
      engine.register('pre:tool', (step) => void seen.push(step.data.args, JSON.stringify(step)))
      expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ decision: 'pass' })
      expect(seen).toHaveLength(2)
    },
  )
})

describe('reading a verdict', () => {
  const anything = fc.anything({
    withBigInt: true,
    withBoxedValues: true,
    withDate: true,
    withMap: true,
    withNullPrototype: true,
    withSet: true,
    withSparseArray: true,
    withTypedArray: true,
  })
  // Made only when they are used: the generator itself looks at what it makes.
  const TRAPS: Readonly<Record<string, () => unknown>> = {
    trap,
    cyclic,
    deep: () => deep(5_000),
    sparse: () => new Array(4_000_000_000),
    revoked: () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    },
    polluting: () => JSON.parse('{"__proto__":{"polluted":1},"constructor":{"prototype":{"polluted":1}}}'),
  }
  const hostile = fc.oneof(
    anything.map((value) => () => value),
    fc.constantFrom('pass', 'flag', 'ask', 'block', 'veto', 'break', 'continue', 'skip').map((word) => () => word),
    fc.constantFrom(...Object.keys(TRAPS)).map((name) => TRAPS[name] as () => unknown),
  )
  const keys = [
    ...['decision', 'abort', 'control', 'reason', 'suggestion', 'modify', 'metadata', 'additional_context'],
    ...['stop_reason', 'is_error', 'args', 'result', 'output', '__proto__', 'constructor'],
  ]
  /** Objects that look like verdicts, with anything in any field, some of it behind a getter that throws. */
  const verdictLike = fc
    .tuple(fc.array(fc.tuple(fc.constantFrom(...keys), hostile)), fc.option(fc.constantFrom(...keys)))
    .map(([fields, thrower]) => () => {
      const made = Object.fromEntries(fields.map(([key, make]) => [key, make()]))
      return thrower === null ? made : throwing(thrower, made)
    })
  const withFacts = fc.tuple(verdictLike, hostile).map(
    ([verdict, facts]) =>
      () =>
        new VerdictWithFacts(verdict(), facts()),
  )
  const answers = fc.oneof(hostile, verdictLike, withFacts)
  const specs = fc.constantFrom<PointSpec>(...Object.values(POINTS))
  const isVerdict = (read: Verdict | Failure): read is Verdict => !(read instanceof Failure)

  it('H7 is total: it gives a verdict or a failure for anything, and never throws', () => {
    const before = Reflect.ownKeys(Object.prototype)
    fc.assert(
      fc.property(answers, specs, (answer, spec) => {
        const read = readVerdict(answer(), spec)
        if (isVerdict(read)) expect(DECISIONS).toContain(read.decision)
        else expect(read.message).toMatch(/^(not a verdict|the verdict is too large): /)
      }),
      { numRuns: 1_000 },
    )
    expect(Reflect.ownKeys(Object.prototype)).toEqual(before)
  })

  it('H7 never loses a clear block, whatever other fields there are', () => {
    fc.assert(
      fc.property(verdictLike, fc.constantFrom(...STRONG), specs, (beside, [form, strong], spec) => {
        const read = readVerdict(withField(beside(), strong), spec)
        expect(read).not.toBeInstanceOf(Failure)
        const isAsk = form === 'decision' && (strong as { decision: Decision }).decision === 'ask'
        expect(isAsk ? ['ask', 'block'] : ['block']).toContain((read as Verdict).decision)
      }),
      { numRuns: 1_000 },
    )
  })

  it('H7 takes edits of the point’s own fields only', () => {
    fc.assert(
      fc.property(verdictLike, specs, (answer, spec) => {
        const read = readVerdict(answer(), spec)
        const edited = isVerdict(read) ? Object.keys(read.edit ?? {}) : []
        expect(spec.modify).toEqual(expect.arrayContaining(edited))
      }),
    )
  })

  it('H7 keeps nothing that the hook could still change', () => {
    const answer = { modify: { args: { list: [1] } }, metadata: { list: [1] }, additional_context: ['a'] }
    const read = readVerdict(answer, PRE_TOOL) as Verdict
    answer.modify.args.list.push(2)
    answer.metadata.list.push(2)
    answer.additional_context.push('b')
    expect(read).toMatchObject({ edit: { args: { list: [1] } }, metadata: { list: [1] }, context: ['a'] })
  })

  it('H7 cuts texts that are too long to be shown', () => {
    const read = readVerdict({ decision: 'flag', reason: 'x'.repeat(100_000) }, PRE_TOOL) as Verdict
    expect(read.reason).toHaveLength(4_000)
  })
})
