// The engine: registration, switching, swapping, observing, and how it refuses bad input.

import { describe, expect, it } from 'vitest'
import {
  atOnce,
  CALL,
  deferred,
  makeBareEngine,
  makeEngine,
  NEVER,
  type ToolHandler,
} from '../../test/engine-fixture.ts'
import { createEngine, HandlerTable } from '../platform/hook-engine.ts'
import { CoreEngine, type EngineOptions, NoopHookEngine } from './engine.ts'
import { ArcError } from './errors.ts'
import type { Fault } from './outcome.ts'
import { definePoint } from './point-names.ts'

const pass = () => 'pass' as const
const flag = () => 'flag' as const

function refusal(act: () => unknown): ArcError {
  try {
    act()
  } catch (error) {
    if (error instanceof ArcError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('bad input', () => {
  it.each<[string, unknown, string, RegExp]>([
    ['an unknown option', { enforcement: 'log' }, 'ARC_OPTION_UNKNOWN', /createEngine.*"enforcement"/],
    ['a misspelt option', { onErorr: 'log' }, 'ARC_OPTION_UNKNOWN', /Did you mean "onError"/],
    ['null', null, 'ARC_OPTION_INVALID', /null/],
    ['a text', 'enforce', 'ARC_OPTION_INVALID', /"enforce"/],
    ['an unknown mode', { mode: 'strict' }, 'ARC_OPTION_INVALID', /mode of the engine.*"strict"/],
    ['an unknown onError', { onError: 'throw' }, 'ARC_OPTION_INVALID', /onError of the engine.*"throw"/],
    ['time limit 0', { timeoutMs: 0 }, 'ARC_OPTION_INVALID', /timeoutMs of the engine.*not 0/],
    ['time limit -1', { timeoutMs: -1 }, 'ARC_OPTION_INVALID', /timeoutMs of the engine.*not -1/],
    ['time limit as a text', { timeoutMs: '5000' }, 'ARC_OPTION_INVALID', /timeoutMs of the engine.*"5000"/],
    ['no hooks at all', { maxHooksPerPoint: 0 }, 'ARC_OPTION_INVALID', /maxHooksPerPoint.*not 0/],
    ['half a hook', { maxHooksPerPoint: 1.5 }, 'ARC_OPTION_INVALID', /maxHooksPerPoint.*not 1.5/],
    ['a sink that is no function', { sink: [] }, 'ARC_OPTION_INVALID', /sink.*\[\]/],
    ['a notify that is no function', { notify: 'me' }, 'ARC_OPTION_INVALID', /notify.*"me"/],
    ['a maxMode that is no function', { maxMode: 'log' }, 'ARC_OPTION_INVALID', /maxMode.*"log"/],
    ['an onFault that is no function', { onFault: 1 }, 'ARC_OPTION_INVALID', /onFault.*1/],
    ['points that are no list', { points: 'pre:deploy' }, 'ARC_OPTION_INVALID', /points.*"pre:deploy"/],
    ['a point that was never declared', { points: [{}] }, 'ARC_POINT_UNKNOWN', /\{\}/],
  ])('createEngine with %s is refused by code, naming what was given', (_what, options, code, says) => {
    const error = refusal(() => createEngine(options as EngineOptions))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
  })

  it.each<[string, (engine: CoreEngine) => unknown, string, RegExp]>([
    [
      'a step at an unknown point',
      (engine) => engine.dispatch('pre:tol' as never, CALL as never),
      'ARC_POINT_UNKNOWN',
      /"pre:tol".*"pre:tool"/,
    ],
    ['a step at no point', (engine) => engine.dispatch(null as never, CALL as never), 'ARC_POINT_UNKNOWN', /null/],
    [
      'a step at what is no point',
      (engine) => engine.dispatch({} as never, CALL as never),
      'ARC_POINT_UNKNOWN',
      /\{\}/,
    ],
    ['data null', (engine) => engine.dispatch('pre:tool', null as never), 'ARC_DATA_INVALID', /pre:tool.*null/],
    ['no data', (engine) => engine.dispatch('pre:tool', undefined as never), 'ARC_DATA_INVALID', /pre:tool.*undefined/],
    [
      'data that is a text',
      (engine) => engine.dispatch('pre:tool', 'ls' as never),
      'ARC_DATA_INVALID',
      /pre:tool.*"ls"/,
    ],
    [
      'data that is a list',
      (engine) => engine.dispatch('pre:tool', ['ls'] as never),
      'ARC_DATA_INVALID',
      /pre:tool.*\["ls"\]/,
    ],
    [
      'data at a point with hooks',
      (engine) => engine.dispatch('pre:message', 5 as never),
      'ARC_DATA_INVALID',
      /pre:message.*5/,
    ],
    [
      'disabling a hook that does not exist',
      (engine) => engine.disable('gaurd'),
      'ARC_HOOK_UNKNOWN',
      /"gaurd".*"guard"/,
    ],
    ['enabling a hook that does not exist', (engine) => engine.enable('gaurd'), 'ARC_HOOK_UNKNOWN', /"gaurd".*"guard"/],
    [
      'disabling with an unknown option',
      (engine) => engine.disable('guard', { forMS: 5 } as never),
      'ARC_OPTION_UNKNOWN',
      /"forMS".*"forMs"/,
    ],
    [
      'disabling for no number',
      (engine) => engine.disable('guard', { forMs: '30m' as never }),
      'ARC_OPTION_INVALID',
      /forMs.*"30m"/,
    ],
    [
      'swapping in what is no table',
      (engine) => engine.swap({ plan: () => undefined } as never),
      'ARC_OPTION_INVALID',
      /HandlerTable, not \{\}/,
    ],
    [
      'a mode that does not exist',
      (engine) => {
        engine.mode = 'strict' as never
      },
      'ARC_OPTION_INVALID',
      /"strict"/,
    ],
  ])('%s is refused by code, naming what was given', (_what, act, code, says) => {
    const { engine } = makeEngine()
    engine.register('pre:message', pass, { name: 'guard' })
    const error = refusal(() => act(engine))
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
    expect([engine.mode, engine.isEnabled('guard')]).toEqual(['enforce', true])
  })
})

describe('switching hooks', () => {
  it('D9 disable and enable act by name, at every point of the hook', async () => {
    const { engine, dispatch } = makeEngine()
    engine.register({ name: 'guard', points: ['pre:tool', 'pre:message'], check: () => 'block' })
    const isBlocked = async () => [
      (await dispatch()).blocked,
      (await engine.dispatch('pre:message', { prompt: '' })).blocked,
    ]
    expect([engine.isEnabled('guard'), await isBlocked()]).toEqual([true, [true, true]])
    engine.disable('guard')
    expect([engine.isEnabled('guard'), await isBlocked()]).toEqual([false, [false, false]])
    engine.disable('guard')
    engine.enable('guard')
    engine.enable('guard')
    expect([engine.isEnabled('guard'), await isBlocked()]).toEqual([true, [true, true]])
  })

  it('D9 disabling for a time ends automatically, and enabling ends it early', () => {
    const { engine, clock } = makeEngine()
    engine.register('pre:tool', pass, { name: 'a' })
    engine.disable('a', { forMs: 1_000 })
    expect(engine.isEnabled('a')).toBe(false)
    clock.advance(1_000)
    expect(engine.isEnabled('a')).toBe(true)
    engine.disable('a', { forMs: 1_000 })
    engine.enable('a')
    expect(engine.isEnabled('a')).toBe(true)
  })

  it('D9 a name that is not registered is not enabled', () => {
    expect(makeEngine().engine.isEnabled('nobody')).toBe(false)
  })
})

describe('the undo of a registration', () => {
  it('D9 removes the hook from all its points, and may be called twice', async () => {
    const { engine, dispatch } = makeEngine()
    const undo = engine.register({ name: 'a', points: ['pre:tool', 'pre:message'], check: () => 'block' })
    engine.register('pre:tool', flag, { name: 'b' })
    undo()
    undo()
    expect(await dispatch()).toMatchObject({ decision: 'flag', hook: 'b' })
    expect((await engine.dispatch('pre:message', { prompt: '' })).blocked).toBe(false)
    engine.register('pre:tool', pass, { name: 'a' })
    undo()
    expect(engine.isEnabled('a')).toBe(true)
  })

  it('D9 takes a disabled or enabled-again hook out too', () => {
    const { engine } = makeEngine()
    const undo = engine.register('pre:tool', pass, { name: 'a' })
    engine.disable('a')
    engine.enable('a')
    engine.disable('a')
    undo()
    expect(engine.list()).toEqual([])
  })

  it('D9 does not touch the hook that replaced its own', () => {
    const { engine, dispatch } = makeEngine()
    const undoFirst = engine.register('pre:tool', () => 'block', { name: 'a' })
    const undoSecond = engine.register('pre:tool', flag, { name: 'a', replace: true })
    undoFirst()
    expect(dispatch()).toMatchObject({ decision: 'flag', hook: 'a' })
    undoSecond()
    expect(atOnce(dispatch()).decision).toBe('pass')
  })

  it('D9 does not touch the hooks of a table that was swapped in', () => {
    const { engine, dispatch } = makeEngine()
    const undo = engine.register('pre:tool', pass, { name: 'mine' })
    engine.swap(new HandlerTable().add('pre:tool', () => 'block', { name: 'guard' }).table)
    undo()
    expect(dispatch()).toMatchObject({ blocked: true, hook: 'guard' })
  })
})

describe('a dispatch under way', () => {
  const other = () => new HandlerTable().add('pre:tool', () => 'block', { name: 'other' }).table

  it.each<[string, (engine: CoreEngine, undo: () => void) => void, string[]]>([
    ['swap', (engine) => engine.swap(other()), ['other']],
    ['register', (engine) => void engine.register('pre:tool', pass, { name: 'new' }), ['first', 'second', 'new']],
    [
      'replace',
      (engine) => void engine.register('pre:tool', pass, { name: 'second', replace: true }),
      ['first', 'second'],
    ],
    ['unregister', (_engine, undo) => undo(), ['first']],
    ['disable', (engine) => engine.disable('second'), ['first']],
    ['disable itself', (engine) => engine.disable('first'), ['second']],
    [
      'a change of mode',
      (engine) => {
        engine.mode = 'off'
      },
      [],
    ],
  ])('D10 finishes on the table it started with, whatever happens meanwhile: %s', async (_what, change, after) => {
    const { engine, dispatch, records } = makeEngine()
    const gate = deferred<void>()
    engine.register('pre:tool', async () => gate.promise, { name: 'first' })
    const undo = engine.register('pre:tool', () => ({ decision: 'flag', reason: 'old' }), { name: 'second' })
    const given = dispatch()
    change(engine, undo)
    gate.resolve()
    expect(await given).toMatchObject({ decision: 'flag', hook: 'second', reason: 'old' })
    expect(records.map(({ hook, mode }) => [hook, mode])).toEqual([
      ['first', 'enforce'],
      ['second', 'enforce'],
    ])
    records.length = 0
    await dispatch()
    expect(records.filter(({ skipped }) => skipped === undefined).map(({ hook }) => hook)).toEqual(after)
  })

  it('D10 is not changed by a hook that swaps the table under it', () => {
    const { engine, dispatch, records } = makeEngine()
    engine.register('pre:tool', () => engine.swap(other()), { name: 'swapper' })
    engine.register('pre:tool', flag, { name: 'last' })
    expect(dispatch()).toMatchObject({ decision: 'flag', hook: 'last' })
    expect(records.map(({ hook }) => hook)).toEqual(['swapper', 'last'])
    expect(dispatch()).toMatchObject({ blocked: true, hook: 'other' })
  })

  it('D10 a table swapped in is the one the engine shows and registers on', () => {
    const { engine } = makeEngine()
    const table = other()
    engine.swap(table)
    expect(engine.table).toBe(table)
    engine.register('pre:tool', pass, { name: 'more' })
    expect(engine.table.plan('pre:tool')?.hooks.map(({ name }) => name)).toEqual(['other', 'more'])
    expect(table.plan('pre:tool')?.hooks.map(({ name }) => name)).toEqual(['other'])
  })

  it('D10 points that were declared to the engine outlast a swap', async () => {
    const deploy = definePoint({ name: 'pre:deploy', canAbort: true })
    const { engine } = makeEngine({ points: [deploy] })
    engine.swap(new HandlerTable())
    expect(await engine.dispatch('pre:deploy' as never, {} as never)).toMatchObject({ decision: 'pass' })
  })
})

describe('a point without hooks', () => {
  it.each<[string, () => { dispatch: CoreEngine['dispatch'] }]>([
    ['an engine', () => makeEngine().engine],
    [
      'an engine that is off',
      () => {
        const { engine } = makeEngine({ mode: 'off' })
        engine.register('pre:tool', () => 'block')
        return engine
      },
    ],
    [
      'an engine with hooks elsewhere',
      () => {
        const { engine } = makeEngine()
        engine.register('post:tool', () => 'block')
        return engine
      },
    ],
    [
      'an engine whose hooks are gone',
      () => {
        const { engine } = makeEngine()
        engine.register('pre:tool', () => 'block')()
        return engine
      },
    ],
    ['the no-op engine', () => new NoopHookEngine()],
  ])("D11 of %s gives at once the pass outcome with the caller's own objects", (_what, make) => {
    const engine = make()
    const metadata = { a: 1 }
    const outcome = atOnce(engine.dispatch('pre:tool', CALL, { metadata }))
    expect(outcome).toEqual({ decision: 'pass', blocked: false, control: 'proceed', data: CALL, metadata })
    expect(outcome.data).toBe(CALL)
    expect(outcome.metadata).toBe(metadata)
    expect(atOnce(engine.dispatch('pre:tool', CALL)).metadata).toEqual({})
  })

  it('D11 may be a declared point that is not in the options of the engine', async () => {
    const deploy = definePoint({ name: 'pre:deploy', canAbort: true, data: {} as { target: string } })
    const { engine } = makeEngine()
    const data = { target: 'prod' }
    expect(atOnce(engine.dispatch(deploy, data)).data).toBe(data)
    engine.register(deploy, () => 'block')
    expect(atOnce(engine.dispatch(deploy, data)).blocked).toBe(true)
    engine.swap(new HandlerTable())
    expect(atOnce(engine.dispatch(deploy, data)).blocked).toBe(false)
  })

  it('D11 the no-op engine discards observations', () => {
    expect(new NoopHookEngine().observe()).toBeUndefined()
  })
})

describe('observing', () => {
  it('D11 returns nothing at once, and the hooks run later', async () => {
    const { engine, clock, records } = makeEngine()
    engine.register('pre:tool', flag, { name: 'a' })
    expect(engine.observe('pre:tool', CALL)).toBeUndefined()
    expect(records).toEqual([])
    await clock.settle()
    expect(records).toEqual([expect.objectContaining({ hook: 'a', decision: 'flag' })])
  })

  it('D11 applies nothing, in whatever mode: blocks do not stop, edits are not seen', async () => {
    const { engine, clock, records, notices } = makeEngine()
    const seen: unknown[] = []
    engine.register('pre:tool', () => ({ decision: 'block', modify: { args: { command: 'pwd' } } }), { name: 'a' })
    engine.register('pre:tool', ({ data }) => void seen.push(data), { name: 'b' })
    engine.observe('pre:tool', CALL)
    await clock.settle()
    expect(seen).toEqual([CALL])
    expect(records.map(({ hook, mode, applied }) => [hook, mode, applied])).toEqual([
      ['a', 'advise', false],
      ['b', 'advise', false],
    ])
    expect(notices).toEqual([expect.objectContaining({ hook: 'a', decision: 'block', applied: false })])
  })

  it.each([
    ['plain', (data: object) => data],
    ['an instance of a class', (data: object) => Object.assign(new (class Call {})(), data)],
  ])('D11 what the caller does to its object afterwards is not seen: %s', async (_what, make) => {
    const { engine, clock } = makeEngine()
    const seen: unknown[] = []
    engine.register(
      'pre:tool',
      ({ data, session, metadata }) => void seen.push(structuredClone({ data, session, metadata })),
    )
    const data = make({ tool: 'shell', args: { command: 'ls' } }) as { tool: string; args: { command: string } }
    const context = make({ session: 's', metadata: { a: { b: 1 } } }) as {
      session: string
      metadata: { a: { b: number } }
    }
    engine.observe('pre:tool', data, context)
    data.tool = 'changed'
    data.args.command = 'changed'
    context.session = 'changed'
    context.metadata.a.b = 2
    await clock.settle()
    expect(seen).toEqual([{ data: CALL, session: 's', metadata: { a: { b: 1 } } }])
  })

  it('D11 runs on the table of the moment it was called', async () => {
    const { engine, clock, records } = makeEngine()
    const undo = engine.register('pre:tool', flag, { name: 'a' })
    engine.observe('pre:tool', CALL)
    undo()
    await clock.settle()
    expect(records.map(({ hook }) => hook)).toEqual(['a'])
  })

  it('D11 runs nothing when the engine is off', async () => {
    const { engine, clock } = makeEngine({ mode: 'off' })
    engine.register('pre:tool', () => expect.unreachable())
    engine.observe('pre:tool', CALL)
    await clock.settle()
  })

  const trap = {
    get tool(): string {
      throw new Error('trap')
    },
    args: {},
  }
  const BAD: readonly (readonly [string, unknown, unknown, unknown, RegExp])[] = [
    ['an unknown point', 'pre:tol', CALL, undefined, /"pre:tol"/],
    ['no point', undefined, CALL, undefined, /undefined/],
    ['a point that cannot be shown', Object.create(null), CALL, undefined, /no point/],
    ['data null', 'pre:tool', null, undefined, /must be an object, not null/],
    ['data that is a text', 'pre:tool', 'ls', undefined, /must be an object, not "ls"/],
    ['data that throws when read', 'pre:tool', trap, undefined, /trap/],
    ['metadata that is a text', 'pre:tool', CALL, { metadata: 'x' }, /metadata.*"x"/],
  ]

  it.each(BAD)('D11 never throws: %s is reported', async (_what, point, data, context, says) => {
    const { engine, clock, faults } = makeEngine()
    engine.register('pre:tool', () => expect.unreachable())
    expect(engine.observe(point as never, data as never, context as never)).toBeUndefined()
    await clock.settle()
    expect(faults).toEqual([expect.objectContaining({ kind: 'observe', message: expect.stringMatching(says) })])
  })

  it.each(BAD)('D11 never throws, even if the failure cannot be reported: %s', (_what, point, data, context) => {
    const { engine } = makeEngine({
      onFault: () => {
        throw new Error('boom')
      },
    })
    engine.register('pre:tool', () => expect.unreachable())
    expect(engine.observe(point as never, data as never, context as never)).toBeUndefined()
  })

  it.each<[string, ToolHandler]>([
    [
      'throws',
      () => {
        throw new Error('bug')
      },
    ],
    ['rejects', () => Promise.reject(new Error('bug'))],
    ['hangs', () => NEVER],
  ])('D11 a hook that %s is traced and delays no caller', async (_what, handler) => {
    const { engine, clock, records, faults } = makeEngine()
    engine.register('pre:tool', handler, { name: 'bad' })
    engine.register('pre:tool', pass, { name: 'good' })
    expect(engine.observe('pre:tool', CALL)).toBeUndefined()
    await clock.settle()
    clock.advance(5_000)
    await clock.settle()
    expect(records.map(({ hook }) => hook)).toEqual(['bad', 'good'])
    expect(faults.map(({ kind, hook }) => [kind, hook])).toEqual([['hook', 'bad']])
  })
})

describe('the list of hooks', () => {
  it('has every hook once, in order of priority, with its current state', () => {
    const { engine } = makeEngine({ mode: 'advise', maxMode: () => 'log' })
    engine.register('pre:tool', pass, { name: 'late', priority: 200, mode: 'enforce', critical: true, timeoutMs: 70 })
    engine.register({ name: 'early', priority: 1, points: ['pre:tool', 'post:tool'], check: pass })
    engine.disable('early')
    expect(engine.list()).toEqual([
      {
        name: 'early',
        points: ['pre:tool', 'post:tool'],
        priority: 1,
        mode: undefined,
        effectiveMode: 'log',
        enabled: false,
        timeoutMs: 5_000,
        critical: false,
      },
      {
        name: 'late',
        points: ['pre:tool'],
        priority: 200,
        mode: 'enforce',
        effectiveMode: 'advise',
        enabled: true,
        timeoutMs: 70,
        critical: true,
      },
    ])
  })
})

describe('an engine', () => {
  it('M1 is in log unless told otherwise, takes warn for advise, and can be switched while it runs', () => {
    expect(createEngine().mode).toBe('log')
    const { engine, dispatch } = makeBareEngine({ mode: 'warn' })
    engine.register('pre:tool', () => 'block')
    expect([engine.mode, atOnce(dispatch()).blocked]).toEqual(['advise', false])
    engine.mode = 'enforce'
    expect(atOnce(dispatch()).blocked).toBe(true)
  })

  it('does not share anything with another', () => {
    const [a, b] = [makeEngine(), makeEngine()]
    a.engine.register('pre:tool', () => 'block')
    expect([atOnce(a.dispatch()).blocked, atOnce(b.dispatch()).blocked]).toEqual([true, false])
  })

  it('calls onFault instead of its own reporter', () => {
    const told: Fault[] = []
    const { engine, dispatch, faults } = makeEngine({ onFault: (fault) => void told.push(fault) })
    engine.register('pre:tool', () => {
      throw new Error('bug')
    })
    void dispatch()
    expect([told.length, faults.length]).toEqual([1, 0])
  })

  it('is the core when given its services, so that it runs without Node', () => {
    expect(createEngine()).toBeInstanceOf(CoreEngine)
  })
})
