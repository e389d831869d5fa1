// One step's way through its hooks: order, blocks, edits, metadata, records, failures.
// biome-ignore-all lint/suspicious/noThenProperty: thenables that misbehave are part of the subject.

import { describe, expect, it, vi } from 'vitest'
import {
  atOnce,
  CALL,
  deferred,
  makeBareEngine,
  makeEngine,
  NEVER,
  type ToolHandler,
  WAYS,
} from '../../test/engine-fixture.ts'
import { Failure } from './degradation.ts'
import type { Mode } from './mode.ts'
import type { Outcome } from './outcome.ts'
import { POINTS, type PointName } from './points.ts'

const POST_POINTS = (Object.keys(POINTS) as PointName[]).filter((name) => name.startsWith('post:'))

describe('the order of hooks', () => {
  it.each(WAYS)('D1 %s hooks run by ascending priority, default 100, ties as registered', async (_way, as) => {
    const { engine, dispatch } = makeEngine()
    const ran: string[] = []
    const hook = (name: string, priority?: number) =>
      engine.register(
        'pre:tool',
        as(() => void ran.push(name)),
        { name, ...(priority === undefined ? {} : { priority }) },
      )
    hook('default')
    hook('last', 101)
    hook('also default', 100)
    hook('user', 50)
    hook('security', 10)
    hook('just before default', 99.5)
    hook('system', 1)
    hook('negative', -1)
    await dispatch()
    const expected = [
      'negative',
      'system',
      'security',
      'user',
      'just before default',
      'default',
      'also default',
      'last',
    ]
    expect(ran).toEqual(expected)
  })
})

describe('what dispatch gives back', () => {
  it('is the outcome itself while all hooks answer at once', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => 'flag')
    engine.register({ name: 'both', points: ['pre:tool'], check: () => 'pass', inject: () => ({ a: 1 }) })
    expect(atOnce(dispatch()).decision).toBe('flag')
  })

  it.each(['first', 'middle', 'last'])('is a promise when the %s hook is asynchronous', async (place) => {
    const { engine, dispatch } = makeEngine()
    for (const name of ['first', 'middle', 'last']) {
      engine.register('pre:tool', name === place ? async () => 'flag' as const : () => 'pass', { name })
    }
    const given = dispatch()
    expect(given).toBeInstanceOf(Promise)
    expect((await given).hook).toBe(place)
  })

  it.each(WAYS)('has the contracted shape, from %s hooks', async (_way, as) => {
    const { engine, dispatch } = makeEngine()
    engine.register(
      'pre:tool',
      as(() => ({ decision: 'block', reason: 'no', suggestion: 'ask', metadata: { a: 1 } })),
      { name: 'guard' },
    )
    expect(await dispatch()).toEqual({
      decision: 'block',
      blocked: true,
      control: 'stop',
      reason: 'no',
      hook: 'guard',
      suggestion: 'ask',
      data: CALL,
      metadata: {
        a: 1,
        suggestions: [{ hook: 'guard', decision: 'block', reason: 'no', suggestion: 'ask', modify: undefined }],
      },
      answer: undefined,
    })
  })

  it.each<[string, readonly ToolHandler[], Partial<Outcome>]>([
    ['nothing', [() => undefined], { decision: 'pass', blocked: false, hook: undefined, control: 'proceed' }],
    ['a flag', [() => 'pass', () => 'flag'], { decision: 'flag', blocked: false, hook: 'h2' }],
    ['a hold', [() => 'ask', () => 'flag'], { decision: 'ask', blocked: true, hook: 'h1', control: 'stop' }],
    ['a hold, then a block', [() => 'ask', () => 'block'], { decision: 'block', blocked: true, hook: 'h2' }],
    ['a flag, then a hold', [() => 'flag', () => 'ask'], { decision: 'ask', blocked: true, hook: 'h2' }],
    [
      'two flags',
      [() => ({ decision: 'flag', reason: 'a' }), () => ({ decision: 'flag', reason: 'b' })],
      { reason: 'a', hook: 'h1' },
    ],
    ['a break', [() => ({ control: 'break' })], { decision: 'block', blocked: true, control: 'break' }],
  ])('names the first hook with the strongest decision: %s', (_what, handlers, expected) => {
    const { engine, dispatch } = makeEngine()
    for (const [i, handler] of handlers.entries()) engine.register('pre:tool', handler, { name: `h${i + 1}` })
    expect(dispatch()).toMatchObject(expected)
  })

  it.each<[PointName, Outcome['control']]>([
    ['pre:tool', 'stop'],
    ['pre:turn:end', 'continue'],
    ['pre:compact', 'skip'],
  ])('says what a block at %s means to the main loop: %s', async (point, control) => {
    const { engine } = makeEngine()
    engine.register({ name: 'no', points: [point], check: () => 'block' })
    expect(await engine.dispatch(point, {} as never)).toMatchObject({ blocked: true, control })
  })

  it('carries the answer that replaces the action, unless the action is held', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => ({ result: { files: [] } }))
    expect(dispatch()).toMatchObject({ decision: 'pass', answer: { result: { files: [] }, isError: false } })
    engine.register('pre:tool', () => 'ask')
    expect(atOnce(dispatch()).answer).toBeUndefined()
  })
})

describe('modes', () => {
  it.each<[Mode, Partial<Outcome>]>([
    ['off', { decision: 'pass', blocked: false }],
    ['log', { decision: 'flag', blocked: false, control: 'proceed', reason: 'no', hook: 'guard' }],
    ['advise', { decision: 'flag', blocked: false, control: 'proceed', reason: 'no', hook: 'guard' }],
    ['enforce', { decision: 'block', blocked: true, control: 'stop', reason: 'no', hook: 'guard' }],
  ])('a block in %s gives the decision in force', (mode, expected) => {
    const { engine, dispatch } = makeEngine({ mode })
    engine.register('pre:tool', () => ({ abort: true, reason: 'no' }), { name: 'guard' })
    expect(dispatch()).toMatchObject(expected)
  })

  it.each<[Mode, boolean, boolean]>([
    ['log', false, false],
    ['advise', true, false],
    ['enforce', true, true],
  ])('in %s the user is notified: %s; edits are applied: %s', (mode, isTold, isEdited) => {
    const { engine, dispatch, notices } = makeEngine({ mode })
    engine.register('pre:tool', () => ({ decision: 'flag', reason: 'odd', modify: { args: { command: 'pwd' } } }), {
      name: 'h',
    })
    const { data, metadata } = atOnce(dispatch())
    expect(notices).toEqual(
      isTold ? [expect.objectContaining({ hook: 'h', mode, decision: 'flag', reason: 'odd' })] : [],
    )
    expect(data.args.command).toBe(isEdited ? 'pwd' : 'ls')
    expect(metadata.suggestions).toEqual(isTold ? [expect.objectContaining({ hook: 'h', reason: 'odd' })] : undefined)
  })

  it('an unapplied block does not end the pipeline', () => {
    const { engine, dispatch, records } = makeEngine({ mode: 'log' })
    engine.register('pre:tool', () => 'block', { name: 'a' })
    engine.register('pre:tool', () => 'ask', { name: 'b' })
    expect(dispatch()).toMatchObject({ decision: 'flag', hook: 'a' })
    expect(records.map(({ hook, decision, applied }) => [hook, decision, applied])).toEqual([
      ['a', 'block', false],
      ['b', 'ask', false],
    ])
  })

  it.each<[Mode, boolean, Mode, string | undefined]>([
    ['log', false, 'log', 'breaker'],
    ['log', true, 'enforce', undefined],
    ['enforce', false, 'enforce', undefined],
  ])('a maxMode of %s on a hook with critical %s gives mode %s', (maxMode, critical, mode, loweredBy) => {
    const { engine, dispatch, records } = makeEngine({ maxMode: () => maxMode })
    engine.register('pre:tool', () => 'block', { critical })
    void dispatch()
    expect(records[0]).toMatchObject({ mode, loweredBy })
  })

  it.each<[string, () => Mode]>([
    [
      'throws',
      () => {
        throw new Error('no database')
      },
    ],
    ['is not a mode', () => 'nonsense' as Mode],
  ])('a maxMode that %s lowers nothing, is reported, and does not stop a waiting dispatch', async (_what, maxMode) => {
    const { engine, dispatch, faults } = makeEngine({ maxMode })
    engine.register('pre:tool', async () => 'pass' as const)
    engine.register('pre:tool', () => 'block', { name: 'guard' })
    expect(await dispatch()).toMatchObject({ blocked: true, hook: 'guard' })
    expect(faults[0]).toMatchObject({ kind: 'max-mode', point: 'pre:tool' })
  })
})

describe('blocks', () => {
  it.each(WAYS)('D2 the first applied block of %s hooks ends the pipeline', async (_way, as) => {
    const { engine, dispatch, records } = makeEngine()
    engine.register(
      'pre:tool',
      as(() => ({ abort: true, reason: 'no shell here' })),
      { name: 'guard', priority: 10 },
    )
    engine.register(
      'pre:tool',
      as(() => expect.unreachable()),
      { name: 'later' },
    )
    expect(await dispatch()).toMatchObject({ decision: 'block', blocked: true, reason: 'no shell here', hook: 'guard' })
    expect(records.map(({ hook }) => hook)).toEqual(['guard'])
  })

  it('D2 an ask does not end the pipeline, and an edit beside a block is not made', () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', () => 'ask', { name: 'a' })
    engine.register('pre:tool', () => ({ decision: 'block', modify: { args: { command: 'pwd' } } }), { name: 'b' })
    expect(atOnce(dispatch()).data).toBe(CALL)
    expect(records.map(({ hook }) => hook)).toEqual(['a', 'b'])
  })

  it.each(POST_POINTS)('D2 at %s the checks of hooks run, and a block is recorded but not applied', async (point) => {
    const { engine, records } = makeEngine()
    const check = vi.fn(() => 'block' as const)
    engine.register({ name: 'watch', points: [point], check })
    const outcome = await engine.dispatch(point, { tool: 'shell', args: {} } as never)
    expect(check).toHaveBeenCalledTimes(1)
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, hook: 'watch' })
    const dropped = [{ field: 'block', why: 'this point cannot be aborted' }]
    expect(records).toEqual([expect.objectContaining({ point, decision: 'block', applied: false, dropped })])
  })
})

describe('edits', () => {
  it.each(WAYS)('D3 each of several %s hooks sees the data as those before left it', async (_way, as) => {
    const { engine, dispatch } = makeEngine()
    const seen: unknown[] = []
    for (const letter of ['a', 'b', 'c']) {
      engine.register(
        'pre:tool',
        as(({ data }) => {
          seen.push(data.args.command)
          return { modify: { args: { command: `${data.args.command}${letter}` } } }
        }),
      )
    }
    const { data } = await dispatch()
    expect(seen).toEqual(['ls', 'lsa', 'lsab'])
    expect(data).toEqual({ tool: 'shell', args: { command: 'lsabc' } })
  })

  it('D3 the caller gets its own object back when nothing was edited, else another one', async () => {
    const { engine, dispatch } = makeEngine()
    const data = { tool: 'shell', args: { command: 'ls' } }
    const undo = engine.register('pre:tool', () => 'flag')
    expect((await dispatch(data)).data).toBe(data)
    undo()
    engine.register('pre:tool', () => ({ modify: { args: { command: 'pwd' } } }))
    expect((await dispatch(data)).data).toEqual({ tool: 'shell', args: { command: 'pwd' } })
    expect(data).toEqual({ tool: 'shell', args: { command: 'ls' } })
  })

  it('D3 an edit is a copy: what the hook changes afterwards is not seen, and neither it nor the record share it', () => {
    const { engine, dispatch, records } = makeEngine()
    const args = { command: 'pwd', list: [1] }
    engine.register('pre:tool', () => ({ modify: { args } }))
    engine.register('pre:tool', () => void args.list.push(2))
    const data = atOnce(dispatch()).data as unknown as { args: { list: number[] } }
    expect(data.args.list).toEqual([1])
    data.args.list.push(3)
    expect(records[0]?.modify).toEqual({ args: { command: 'pwd', list: [1] } })
    expect(args.list).toEqual([1, 2])
  })

  // What hooks written without care, or with bad intent, do to what they are shown.
  const ATTACKS: readonly (readonly [string, (step: Parameters<ToolHandler>[0]) => unknown])[] = [
    ['assigns a field', ({ data }) => ((data as { tool: string }).tool = 'evil')],
    ['assigns a nested field', ({ data }) => ((data.args as { command: string }).command = 'evil')],
    ['adds a field', ({ data }) => ((data.args as { evil: boolean }).evil = true)],
    ['adds to a list', ({ data }) => (data.args.list as string[]).push('evil')],
    ['deletes a field', ({ data }) => delete (data as { tool?: string }).tool],
    ['defines a field', ({ data }) => Object.defineProperty(data, 'tool', { value: 'evil' })],
    ['swaps a prototype', ({ data }) => Object.setPrototypeOf(data, { evil: true })],
    ['assigns the data', (step) => ((step as { data: unknown }).data = { tool: 'evil', args: {} })],
    ['redefines the data', (step) => Object.defineProperty(step, 'data', { value: { tool: 'evil', args: {} } })],
    ['adds to the step', (step) => ((step as unknown as { evil: boolean }).evil = true)],
    ['assigns metadata', ({ metadata }) => ((metadata as { a: unknown }).a = 'evil')],
    ['adds metadata', ({ metadata }) => ((metadata as { evil: unknown }).evil = true)],
    ['changes nested metadata', ({ metadata }) => ((metadata.a as { b: string }).b = 'evil')],
  ]

  it.each(ATTACKS)('D3 a hook that %s crashes with a TypeError, without an effect', (_what, attack) => {
    const { engine, dispatch, records } = makeEngine({ mode: 'log' })
    const seen: unknown[] = []
    const look: ToolHandler = (step) => void seen.push(JSON.stringify(step), Object.keys(step))
    engine.register('pre:tool', look, { name: 'before' })
    engine.register('pre:tool', (step) => void attack(step), { name: 'attacker' })
    engine.register('pre:tool', look, { name: 'after' })
    const data = { tool: 'shell', args: { command: 'ls', list: ['a'] } }
    const metadata = { a: { b: 'c' } }
    const outcome = atOnce(dispatch(data, { metadata, id: 'id' }))
    expect(records[1]).toMatchObject({ hook: 'attacker', cause: 'failure:crash' })
    expect(records[1]?.reason).toContain('TypeError')
    expect(seen.slice(2)).toEqual(seen.slice(0, 2))
    expect(outcome.data).toBe(data)
    expect(data).toEqual({ tool: 'shell', args: { command: 'ls', list: ['a'] } })
    expect(metadata).toEqual({ a: { b: 'c' } })
    expect({}).not.toHaveProperty('evil')
  })

  it('D3 data and metadata that are instances of a class are shown as frozen copies too', () => {
    class Call {
      tool = 'shell'
      args = { command: 'ls' }
    }
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', ({ data }) => void Object.assign(data, { tool: 'evil' }))
    engine.register('pre:tool', ({ data }) => void Object.assign(data.args, { command: 'evil' }))
    engine.register('pre:tool', ({ metadata }) => void Object.assign(metadata, { tool: 'evil' }))
    engine.register(
      'pre:tool',
      ({ data, metadata }) => ({ decision: 'flag', reason: `${data.tool} ${metadata.tool}` }),
      { name: 'look' },
    )
    const [data, metadata] = [new Call(), new Call()]
    void dispatch(data, { metadata: metadata as never })
    expect([data, metadata]).toEqual([new Call(), new Call()])
    expect(records.map(({ cause }) => cause)).toEqual(['failure:crash', 'failure:crash', 'failure:crash', 'policy'])
    expect(records[3]?.reason).toBe('shell shell')
  })

  it.each(['args', 'metadata'] as const)('D3 __proto__ and its friends never get through a merge of %s', (where) => {
    const { engine, dispatch } = makeEngine()
    const hostile = () =>
      JSON.parse('{"__proto__":{"evil":1},"constructor":{"prototype":{"evil":1}},"in":{"__proto__":{"evil":1}},"ok":1}')
    engine.register('pre:tool', () => (where === 'args' ? { modify: { args: hostile() } } : { metadata: hostile() }))
    engine.register({ name: 'facts', points: ['pre:tool'], check: () => 'pass', inject: hostile })
    const { data, metadata } = atOnce(dispatch(CALL, { metadata: hostile() }))
    for (const merged of [data.args, metadata] as { in: object; ok: unknown }[]) {
      if (merged === CALL.args) continue
      expect(merged).not.toHaveProperty('evil')
      expect(merged.in).not.toHaveProperty('evil')
      expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
      expect(merged.ok).toBe(1)
    }
    expect({}).not.toHaveProperty('evil')
  })
})

describe('metadata', () => {
  it.each(WAYS)(
    'D4 what %s hooks and their injects give is seen by later hooks and in the outcome',
    async (_way, as) => {
      const { engine, dispatch } = makeEngine()
      const seen: unknown[] = []
      engine.register(
        'pre:tool',
        as(() => ({ decision: 'pass', metadata: { riskTier: 3, shared: 'verdict' } })),
      )
      engine.register({
        name: 'facts',
        points: ['pre:tool'],
        check: as(({ metadata }) => void seen.push({ ...metadata })) as never,
        inject: as((({ metadata }: { metadata: object }) => {
          seen.push({ ...metadata })
          return { owner: 'ada', shared: 'inject' }
        }) as never) as never,
      })
      engine.register(
        'pre:tool',
        as(({ metadata }) => void seen.push(metadata)),
        { name: 'last' },
      )
      const { metadata } = await dispatch(CALL, { metadata: { from: 'caller', shared: 'caller' } })
      const before = { from: 'caller', shared: 'verdict', riskTier: 3 }
      const after = { from: 'caller', shared: 'inject', riskTier: 3, owner: 'ada' }
      expect(seen).toEqual([before, before, after])
      expect(metadata).toEqual(after)
    },
  )

  it("D4 a verdict's own metadata and its inject are merged, the inject winning", () => {
    const { engine, dispatch } = makeEngine()
    engine.register({
      name: 'both',
      points: ['pre:tool'],
      check: () => ({ decision: 'flag', reason: 'odd', metadata: { a: 1, b: 1 } }),
      inject: () => ({ b: 2, c: 2 }),
    })
    expect(dispatch()).toMatchObject({ decision: 'flag', reason: 'odd', metadata: { a: 1, b: 2, c: 2 } })
  })

  it('D4 a synchronous check may have an asynchronous inject, and the other way round', async () => {
    const { engine, dispatch } = makeEngine()
    engine.register({ name: 'a', points: ['pre:tool'], check: () => 'flag', inject: async () => ({ a: 1 }) })
    engine.register({ name: 'b', points: ['pre:tool'], check: async () => 'flag' as const, inject: () => ({ b: 1 }) })
    expect(await dispatch()).toMatchObject({ decision: 'flag', metadata: { a: 1, b: 1 } })
  })

  it("D4 a later hook's matcher sees it", () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', () => ({ metadata: { riskTier: 4 } }), { name: 'risk', priority: 10 })
    engine.register('pre:tool', () => 'ask', { name: 'high', match: { minTier: 4 } })
    engine.register('pre:tool', () => 'block', { name: 'critical', match: { minTier: 5 } })
    expect(dispatch()).toMatchObject({ decision: 'ask', hook: 'high' })
    expect(records.map(({ hook }) => hook)).toEqual(['risk', 'high'])
  })

  it("D4 texts for the agent's context collect in order, in advise and above", async () => {
    const { engine, dispatch } = makeEngine({ mode: 'advise' })
    engine.register('pre:tool', () => ({ additional_context: ['a', 'b'] }))
    engine.register('pre:tool', async () => ({ additional_context: ['c'] }))
    expect((await dispatch()).metadata).toEqual({ additionalContext: ['a', 'b', 'c'] })
    engine.mode = 'log'
    expect((await dispatch()).metadata).toEqual({})
  })

  it.each([['text'], [7], [[1]], [true]])('metadata of a context that is %j is refused by name', (metadata) => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => 'pass')
    const act = () => dispatch(CALL, { metadata: metadata as never })
    expect(act).toThrow(expect.objectContaining({ code: 'ARC_DATA_INVALID' }))
    expect(act).toThrow(JSON.stringify(metadata))
  })

  it('metadata null is as good as none', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => ({ decision: 'flag', metadata: { a: 1 } }))
    expect(atOnce(dispatch(CALL, { metadata: null as never })).metadata).toMatchObject({ a: 1 })
  })
})

describe('records', () => {
  it.each(WAYS)('D5 every evaluation of %s hooks leaves one record, in the order of hooks', async (_way, as) => {
    const { engine, dispatch, records } = makeEngine()
    engine.register(
      'pre:tool',
      as(() => undefined),
      { name: 'nothing', priority: 1 },
    )
    engine.register(
      'pre:tool',
      as(() => ({ decision: 'flag', reason: 'odd', suggestion: 'pwd' })),
      { name: 'flag', priority: 2 },
    )
    engine.register(
      'pre:tool',
      as(() => ({ modify: { args: { command: 'pwd' } }, metadata: { a: 1 } })),
      { name: 'edit', priority: 3 },
    )
    engine.register(
      'pre:tool',
      as(() => ({ modify: { tool: 'x' } }) as never),
      { name: 'drop', priority: 4 },
    )
    engine.register(
      'pre:tool',
      as(() => {
        throw new Error('bug')
      }),
      { name: 'crash', priority: 5 },
    )
    engine.register(
      'pre:tool',
      as(() => 'block'),
      { name: 'never', priority: 6, match: { tool: 'write' } },
    )
    engine.register(
      'pre:tool',
      as(() => 'ask'),
      { name: 'ask', priority: 7, mode: 'warn' },
    )
    await dispatch()
    const common = { point: 'pre:tool', mode: 'enforce', applied: false, cause: 'policy', durationMs: 0 }
    expect(records).toEqual([
      { ...common, hook: 'nothing', priority: 1, decision: 'pass' },
      { ...common, hook: 'flag', priority: 2, decision: 'flag', reason: 'odd', suggestion: 'pwd' },
      {
        ...common,
        hook: 'edit',
        priority: 3,
        decision: 'pass',
        applied: true,
        modify: { args: { command: 'pwd' } },
        metadata: { a: 1 },
      },
      { ...common, hook: 'drop', priority: 4, decision: 'pass', dropped: [{ field: 'tool', why: expect.any(String) }] },
      {
        ...common,
        hook: 'crash',
        priority: 5,
        decision: 'flag',
        cause: 'failure:crash',
        reason: 'hook crash failed (crash): Error: bug',
      },
      { ...common, hook: 'ask', priority: 7, mode: 'advise', decision: 'ask' },
    ])
  })

  it('D5 a skipped evaluation leaves its record, with why; a snooze ends automatically', () => {
    const { engine, clock, dispatch, records } = makeEngine()
    let runs = 0
    const run = () => void runs++
    engine.register('pre:tool', run, { name: 'off', mode: 'off' })
    engine.register('pre:tool', run, { name: 'disabled' })
    engine.register('pre:tool', run, { name: 'snoozed' })
    engine.register('pre:tool', run, { name: 'unmatched', match: { tool: 'write' } })
    engine.disable('disabled', { reason: 'too noisy' })
    engine.disable('snoozed', { forMs: 1_000, reason: 'lunch' })
    engine.disable('unmatched')
    void dispatch()
    expect(runs).toBe(0)
    const skipped = { decision: 'pass', applied: false, cause: 'policy', durationMs: 0 }
    expect(records).toEqual([
      expect.objectContaining({ ...skipped, hook: 'off', mode: 'off', skipped: 'off' }),
      expect.objectContaining({
        ...skipped,
        hook: 'disabled',
        mode: 'enforce',
        skipped: 'disabled',
        reason: 'too noisy',
      }),
      expect.objectContaining({ ...skipped, hook: 'snoozed', mode: 'enforce', skipped: 'snoozed', reason: 'lunch' }),
    ])
    records.length = 0
    clock.advance(999)
    void dispatch()
    expect(records[2]?.skipped).toBe('snoozed')
    records.length = 0
    clock.advance(1)
    void dispatch()
    expect([records[2]?.skipped, runs]).toEqual([undefined, 1])
  })

  it('D5 with the engine off nothing runs and nothing is recorded', () => {
    const { engine, dispatch, records } = makeEngine({ mode: 'off' })
    engine.register('pre:tool', () => expect.unreachable())
    expect(atOnce(dispatch()).data).toBe(CALL)
    expect(records).toEqual([])
  })

  it('D5 without a sink the clock is not even read', () => {
    const { engine, clock, dispatch } = makeBareEngine()
    let readings = 0
    clock.now = () => readings++
    engine.register('pre:tool', () => 'flag')
    expect(atOnce(dispatch()).decision).toBe('flag')
    expect(readings).toBe(0)
  })

  it('D5 all records are with the sink before the outcome is, each with its step', async () => {
    const told: unknown[] = []
    const { engine, dispatch } = makeBareEngine({ sink: ({ hook }, step) => told.push([hook, step.id, step.session]) })
    engine.register('pre:tool', () => 'flag', { name: 'a' })
    expect([atOnce(dispatch(CALL, { session: 's' })).decision, told]).toEqual(['flag', [['a', 'id-1', 's']]])
    engine.register('pre:tool', async () => 'flag' as const, { name: 'b' })
    await dispatch(CALL, { session: 't', id: 'own' })
    expect(told.slice(1)).toEqual([
      ['a', 'own', 't'],
      ['b', 'own', 't'],
    ])
  })
})

// Every way we know in which a handler can go wrong, and what its failure is called.
const FAILURES: readonly (readonly [what: string, handler: () => unknown, kind: string, says: string])[] = [
  [
    'throws',
    () => {
      throw new Error('hook bug')
    },
    'crash',
    'hook bug',
  ],
  [
    'throws nothing',
    () => {
      throw undefined
    },
    'crash',
    'undefined',
  ],
  [
    'throws what cannot be shown',
    () => {
      throw Object.create(null)
    },
    'crash',
    'cannot be shown',
  ],
  ['rejects', () => Promise.reject(new Error('hook bug')), 'crash', 'hook bug'],
  ['rejects with nothing', () => Promise.reject(), 'crash', 'undefined'],
  ['hangs', () => NEVER, 'timeout', '5000 ms'],
  ['answers a number', () => 42, 'invalid-output', '42'],
  ['answers true', () => true, 'invalid-output', 'true'],
  ['answers a list', () => ['block'], 'invalid-output', 'block'],
  ['answers an unknown word', () => 'allow', 'invalid-output', 'allow'],
  ['answers an unknown object', () => ({ verdict: 'block' }), 'invalid-output', 'verdict'],
  ['answers an error', () => new Error('returned'), 'invalid-output', 'verdict'],
  ['answers a function', () => () => 'block', 'invalid-output', 'a function'],
  ['answers later what is no verdict', async () => 42, 'invalid-output', '42'],
  ['answers a failure', () => new Failure('start', 'no such file'), 'start', 'no such file'],
  [
    'answers a failure of no known kind',
    () => new Failure('odd' as never, 'x'),
    'invalid-output',
    'could not be processed',
  ],
  [
    'answers a failure whose message is no text',
    () => new Failure('crash', Symbol('x') as never),
    'invalid-output',
    'could not be processed',
  ],
  [
    'answers a failure that throws when read',
    () =>
      Object.create(Failure.prototype, {
        kind: {
          get: () => {
            throw new Error('trap')
          },
        },
      }),
    'invalid-output',
    'trap',
  ],
  [
    'answers an object that throws when read',
    () => ({
      get decision(): never {
        throw new Error('trap')
      },
    }),
    'invalid-output',
    'trap',
  ],
  [
    'answers a revoked proxy',
    () => {
      const { proxy, revoke } = Proxy.revocable({}, {})
      revoke()
      return proxy
    },
    'crash',
    'revoked',
  ],
  [
    'answers a thenable whose then getter throws',
    () => ({
      get then(): never {
        throw new Error('trap')
      },
    }),
    'crash',
    'trap',
  ],
  [
    'answers a thenable whose then throws',
    () => ({
      then() {
        throw new Error('trap')
      },
    }),
    'crash',
    'trap',
  ],
  ['answers a thenable that never calls back', () => ({ then: () => undefined }), 'timeout', '5000 ms'],
  [
    'answers a thenable that fails at once',
    () => ({ then: (_: unknown, no: (e: unknown) => void) => no('trap') }),
    'crash',
    'trap',
  ],
  ['answers what only looks like a promise', () => Object.create(Promise.prototype), 'crash', 'TypeError'],
]

describe('failing hooks', () => {
  it.each(FAILURES)(
    'D6 a hook that %s is a failure of its kind, reported; the others run',
    async (_what, handler, kind, says) => {
      const { engine, clock, dispatch, records, faults } = makeEngine()
      engine.register('pre:tool', handler as ToolHandler, { name: 'bad' })
      engine.register('pre:tool', () => ({ metadata: { ran: true } }), { name: 'good' })
      const given = dispatch()
      await clock.settle()
      clock.advance(5_000)
      expect(await given).toMatchObject({ decision: 'flag', blocked: false, hook: 'bad', metadata: { ran: true } })
      expect(records.map(({ hook, cause }) => [hook, cause])).toEqual([
        ['bad', `failure:${kind}`],
        ['good', 'policy'],
      ])
      expect(records[0]?.reason).toContain(says)
      expect(faults).toEqual([
        { kind: 'hook', point: 'pre:tool', hook: 'bad', onError: 'log', message: expect.stringContaining(says) },
      ])
    },
  )

  it.each([
    ['calls back at once', (yes: (v: unknown) => void) => yes('block')],
    ['calls back twice', (yes: (v: unknown) => void) => [yes('block'), yes('pass')]],
    [
      'succeeds and then fails',
      (yes: (v: unknown) => void, no: (e: unknown) => void) => [yes('block'), no(new Error('late'))],
    ],
    [
      'succeeds and then throws',
      (yes: (v: unknown) => void) => {
        yes('block')
        throw new Error('late')
      },
    ],
    [
      'gives another thenable',
      (yes: (v: unknown) => void) => yes({ then: (again: (v: unknown) => void) => again('block') }),
    ],
  ])('D6 a thenable that %s counts once, by its first word', async (_what, then) => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', () => ({ then }) as never, { name: 'odd' })
    engine.register('pre:tool', () => expect.unreachable())
    expect(await dispatch()).toMatchObject({ decision: 'block', hook: 'odd' })
    expect(records).toEqual([expect.objectContaining({ hook: 'odd', decision: 'block', cause: 'policy' })])
  })

  it('D6 a promise whose constructor throws is a failure, and nothing is waited for', async () => {
    const { engine, clock, dispatch, records, faults } = makeEngine()
    const trap = Object.defineProperty(Promise.resolve('block'), 'constructor', {
      get() {
        throw new Error('trap')
      },
    })
    engine.register('pre:tool', () => trap as never, { name: 'bad' })
    engine.register('pre:tool', async () => ({ metadata: { ran: true } }), { name: 'good' })
    expect(await dispatch()).toMatchObject({ decision: 'flag', hook: 'bad', metadata: { ran: true } })
    expect(records.map(({ hook, cause }) => [hook, cause])).toEqual([
      ['bad', 'failure:crash'],
      ['good', 'policy'],
    ])
    await clock.settle()
    clock.advance(10_000)
    expect([records.length, faults.length]).toEqual([2, 1])
  })

  it('D6 a promise whose constructor throws only when it is read again still counts by its answer', async () => {
    const { engine, dispatch } = makeEngine()
    let reads = 0
    const trap = Object.defineProperty(Promise.resolve('block'), 'constructor', {
      get() {
        if (++reads > 1) throw new Error('trap')
        return Promise
      },
    })
    engine.register('pre:tool', () => trap as never, { name: 'odd' })
    expect(await dispatch()).toMatchObject({ decision: 'block', hook: 'odd' })
  })

  it('D6 a promise whose own then lies is still heard', async () => {
    const { engine, dispatch } = makeEngine()
    const lying = Object.assign(Promise.resolve('block'), { then: () => undefined })
    engine.register('pre:tool', () => lying as never, { name: 'odd' })
    expect(await dispatch()).toMatchObject({ decision: 'block', hook: 'odd' })
  })

  it.each<['log' | 'skip' | 'abort', Partial<Outcome>]>([
    ['log', { decision: 'flag', blocked: false }],
    ['skip', { decision: 'pass', blocked: false }],
    ['abort', { decision: 'block', blocked: true }],
  ])("D6 onError %s decides, the hook's own before the engine's", async (onError, expected) => {
    const crash = () => {
      throw new Error('bug')
    }
    const other = onError === 'abort' ? 'skip' : 'abort'
    const ownEngine = makeEngine({ onError: other })
    ownEngine.engine.register('pre:tool', crash, { onError })
    expect(ownEngine.dispatch()).toMatchObject(expected)
    const setEngine = makeEngine({ onError })
    setEngine.engine.register('pre:tool', crash)
    expect(setEngine.dispatch()).toMatchObject(expected)
  })

  it('D6 a failure with onError abort blocks only in enforce, and only where the point can abort', async () => {
    const crash = () => {
      throw new Error('bug')
    }
    const { engine, dispatch } = makeEngine({ onError: 'abort' })
    engine.register('pre:tool', crash)
    engine.register('post:tool', crash)
    expect(atOnce(dispatch()).blocked).toBe(true)
    expect(await engine.dispatch('post:tool', { ...CALL, result: 1 })).toMatchObject({
      blocked: false,
      decision: 'flag',
    })
    engine.mode = 'advise'
    expect(dispatch()).toMatchObject({ blocked: false, decision: 'flag' })
  })

  const boom = () => {
    throw new Error('boom')
  }
  const boomLater = () => Promise.reject(new Error('boom'))

  it.each([
    ['sink that throws', { sink: boom }, 'sink'],
    ['sink that rejects', { sink: boomLater }, 'sink'],
    ['notify that throws', { notify: boom }, 'notify'],
    ['notify that rejects', { notify: boomLater }, 'notify'],
  ] as const)('D6 a %s changes no outcome and is reported', async (_what, options, kind) => {
    const { engine, clock, dispatch, faults } = makeBareEngine(options)
    engine.register('pre:tool', () => 'flag', { name: 'a' })
    engine.register('pre:tool', async () => 'block' as const, { name: 'b' })
    expect(await dispatch()).toMatchObject({ decision: 'block', hook: 'b' })
    await clock.settle()
    // Every evaluation goes to the sink; of two notices the stricter one is given.
    const hooks = kind === 'sink' ? ['a', 'b'] : ['b']
    expect(faults.map((fault) => [fault.kind, fault.hook])).toEqual(hooks.map((hook) => [kind, hook]))
    expect(faults[0]?.message).toContain('boom')
  })

  it.each([
    ['throws', boom],
    ['rejects', boomLater],
  ] as const)('D6 an onFault that %s changes no outcome', async (_what, onFault) => {
    const { engine, clock, dispatch } = makeBareEngine({ onFault, sink: boom, notify: boom })
    engine.register('pre:tool', boom, { name: 'bad' })
    engine.register('pre:tool', async () => boom(), { name: 'worse' })
    expect(await dispatch()).toMatchObject({ decision: 'flag', hook: 'bad' })
    await clock.settle()
  })

  it("D6 onFault hears what the hook's onError is, skip included", () => {
    const faults: unknown[] = []
    const { engine, dispatch } = makeBareEngine({ onFault: (fault) => faults.push(fault) })
    engine.register('pre:tool', boom, { name: 'bad', onError: 'skip' })
    expect(atOnce(dispatch()).decision).toBe('pass')
    expect(faults).toEqual([
      { kind: 'hook', point: 'pre:tool', hook: 'bad', onError: 'skip', message: 'crash: Error: boom' },
    ])
  })

  it('D6 a matcher that trips over the data lets the hook see for itself', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => 'block', { name: 'guard', match: { args: 'rm' } })
    const args = {
      get command(): string {
        throw new Error('trap')
      },
    }
    expect(dispatch({ tool: 'shell', args })).toMatchObject({ blocked: true, hook: 'guard' })
  })

  it('D6 data that throws when read fails the hooks that edit it, never the dispatch', async () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', async () => ({ modify: { args: {} } }), { name: 'edit' })
    engine.register('pre:tool', () => 'flag', { name: 'later' })
    const data = {
      tool: 'shell',
      args: {},
      get callId(): string {
        throw new Error('trap')
      },
    }
    expect((await dispatch(data)).data).toBe(data)
    expect(records.map(({ hook, cause }) => [hook, cause])).toEqual([
      ['edit', 'failure:invalid-output'],
      ['later', 'policy'],
    ])
  })

  it('D6 what a handler writes on its run changes nothing', () => {
    const { engine, dispatch, records } = makeEngine({ mode: 'log' })
    engine.register(
      'pre:tool',
      (_step, run) => {
        for (const [key, value] of Object.entries({ mode: 'enforce', registered: { name: 'other' }, hook: 'other' })) {
          Reflect.set(run, key, value)
        }
        return 'block'
      },
      { name: 'sly' },
    )
    expect(dispatch()).toMatchObject({ decision: 'flag', blocked: false, hook: 'sly' })
    expect(records).toEqual([expect.objectContaining({ hook: 'sly', mode: 'log', applied: false })])
  })
})

describe('several dispatches at a time', () => {
  it('do not meet', async () => {
    const { engine, dispatch, records } = makeEngine()
    const gates = [deferred<undefined>(), deferred<undefined>(), deferred<undefined>()]
    engine.register('pre:tool', async ({ turn, data }) => {
      await gates[Number(turn)]?.promise
      return { modify: { args: { command: `${data.args.command}!` } }, metadata: { [`turn${turn}`]: true } }
    })
    engine.register('pre:tool', ({ turn }) => ({ decision: turn === '1' ? 'block' : 'flag', reason: `turn ${turn}` }))
    const given = gates.map((_gate, i) => dispatch({ tool: 'shell', args: { command: `${i}` } }, { turn: `${i}` }))
    for (const gate of gates.toReversed()) gate.resolve(undefined)
    const outcomes = await Promise.all(given)
    expect(outcomes.map(({ decision, reason, data }) => [decision, reason, data.args.command])).toEqual([
      ['flag', 'turn 0', '0!'],
      ['block', 'turn 1', '1!'],
      ['flag', 'turn 2', '2!'],
    ])
    expect(outcomes.map(({ metadata }) => Object.keys(metadata)[0])).toEqual(['turn0', 'turn1', 'turn2'])
    expect(records).toHaveLength(6)
  })

  it('a hook may dispatch at its own point', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', ({ data }) => {
      if (data.tool === 'inner') return 'flag'
      return { decision: 'pass', metadata: { inner: atOnce(dispatch({ tool: 'inner', args: {} })).decision } }
    })
    expect(dispatch()).toMatchObject({ decision: 'pass', metadata: { inner: 'flag' } })
  })
})
