// The hook bus: hooks over one message context, by check and inject.

import { afterEach, describe, expect, it } from 'vitest'
import type { Evaluation, Notice } from '../engine/outcome.ts'
import { createHookBus, type HookContext, hookBus } from './hook-bus.ts'

const CALL = { tool: 'dangerous-tool', args: { force: true } }

/** The context that a check is given at a point. */
async function contextAt(point: string, data: object, context: object = {}): Promise<HookContext> {
  const bus = createHookBus()
  const seen: HookContext[] = []
  bus.register({ name: 'look', points: [point as never], check: (ctx) => void seen.push(ctx) })
  await bus.dispatch(point as never, data as never, context)
  return seen[0] as HookContext
}

describe('the context of a bus hook', () => {
  it('comes with the run, as for any hook', async () => {
    const bus = createHookBus({ mode: 'enforce' })
    const runs: unknown[] = []
    bus.register({
      name: 'look',
      points: ['pre:tool'],
      check: (_context, { hook, mode, limitMs }) => void runs.push([hook, mode, limitMs]),
      inject: (_context, run) => ({ isAborted: run.signal.aborted }),
    })
    expect((await bus.dispatch('pre:tool', CALL)).metadata).toEqual({ isAborted: false })
    expect(runs).toEqual([['look', 'enforce', 5_000]])
  })

  it('has the fields of the step', async () => {
    const metadata = { riskTier: 4, more: 1 }
    const context = { session: 's', turn: 't', profile: 'p', host: 'claude', source: 'human', metadata }
    expect(await contextAt('pre:tool', CALL, context)).toEqual({
      message: '',
      toolName: 'dangerous-tool',
      toolArgs: { force: true },
      sessionId: 's',
      turnId: 't',
      profile: 'p',
      adapter: 'claude',
      source: 'human',
      riskTier: 4,
      hookMetadata: metadata,
    })
  })

  it.each([
    ['pre:message', { prompt: 'ask' }, 'ask'],
    ['post:message', { output: 'answer' }, 'answer'],
    ['post:message', { prompt: 'ask', output: 'answer' }, 'answer'],
    ['run:end', { prompt: 'ask', output: 'answer' }, 'answer'],
    ['run:start', { prompt: 'ask' }, 'ask'],
    ['pre:tool', CALL, ''],
    ['pre:message', { prompt: 5 }, ''],
  ])('at %s with %j has the message %j', async (point, data, message) => {
    expect((await contextAt(point, data)).message).toBe(message)
  })

  it('has the source that an earlier hook found, unless the caller gave one', async () => {
    expect((await contextAt('pre:tool', CALL, { metadata: { messageSource: 'cron' } })).source).toBe('cron')
    expect((await contextAt('pre:tool', CALL, { source: 'human', metadata: { messageSource: 'cron' } })).source).toBe(
      'human',
    )
  })
})

describe('a bus', () => {
  it('takes the hook of the documentation: mode warn, asynchronous check, every pre: point', async () => {
    const records: Evaluation[] = []
    const notices: Notice[] = []
    const bus = createHookBus({
      mode: 'enforce',
      sink: (evaluation) => void records.push(evaluation),
      notify: (notice) => void notices.push(notice),
    })
    bus.register({
      name: 'my-custom-hook',
      priority: 30,
      mode: 'warn',
      async check(ctx) {
        if (ctx.toolName === 'dangerous-tool') return 'flag'
        return 'pass'
      },
    })
    expect(await bus.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'flag', hook: 'my-custom-hook' })
    expect(await bus.dispatch('pre:message', { prompt: 'hi' })).toMatchObject({ decision: 'pass' })
    const common = { hook: 'my-custom-hook', priority: 30, mode: 'advise' }
    expect(records).toEqual([
      expect.objectContaining({ ...common, point: 'pre:tool', decision: 'flag' }),
      expect.objectContaining({ ...common, point: 'pre:message', decision: 'pass' }),
    ])
    expect(notices).toEqual([expect.objectContaining({ hook: 'my-custom-hook', decision: 'flag' })])
  })

  it('D4 gives the facts of an inject to later hooks and to the outcome', async () => {
    const bus = createHookBus({ mode: 'enforce' })
    const seen: unknown[] = []
    bus.register({
      name: 'owner',
      priority: 1,
      check: () => 'pass',
      inject: async (ctx) => ({ owner: `of ${ctx.toolName}`, riskTier: 3 }),
    })
    bus.register({ name: 'look', check: (ctx) => void seen.push([ctx.hookMetadata, ctx.riskTier]) })
    const { metadata } = await bus.dispatch('pre:tool', CALL)
    expect(metadata).toEqual({ owner: 'of dangerous-tool', riskTier: 3 })
    expect(seen).toEqual([[metadata, 3]])
  })

  it('calls check and inject as methods, for written-out objects and instances of classes alike', async () => {
    class Counter {
      readonly name: string = 'class'
      count = 0
      check() {
        this.count++
        return 'pass' as const
      }
      inject() {
        return { [this.name]: this.count }
      }
    }
    const written = {
      name: 'written',
      check: () => 'pass' as const,
      inject() {
        return { [this.name]: 'yes' }
      },
    }
    const bus = createHookBus()
    bus.register(new Counter())
    bus.register(written)
    await bus.dispatch('pre:tool', CALL)
    expect((await bus.dispatch('pre:tool', CALL)).metadata).toEqual({ class: 2, written: 'yes' })
  })

  it('D9 enables, disables and lists by name, and gives back the undo', async () => {
    const bus = createHookBus({ mode: 'enforce' })
    const undo = bus.register({ name: 'no', check: () => 'block', points: ['pre:tool'] })
    bus.disable('no')
    expect([bus.isEnabled('no'), (await bus.dispatch('pre:tool', CALL)).blocked]).toEqual([false, false])
    bus.enable('no')
    expect([bus.isEnabled('no'), (await bus.dispatch('pre:tool', CALL)).blocked]).toEqual([true, true])
    expect(bus.list()).toEqual([expect.objectContaining({ name: 'no', points: ['pre:tool'] })])
    undo()
    expect(bus.list()).toEqual([])
  })

  it('D11 observes without holding anybody up', async () => {
    const bus = createHookBus()
    const seen = new Promise((resolve) => bus.register({ name: 'look', check: (ctx) => resolve(ctx.toolName) }))
    expect(bus.observe('pre:tool', CALL)).toBeUndefined()
    expect(await seen).toBe('dangerous-tool')
  })

  it.each<[string, unknown, string]>([
    ['no check', { name: 'a' }, 'ARC_HANDLER_INVALID'],
    ['a check that is none', { name: 'a', check: 'block' }, 'ARC_HANDLER_INVALID'],
    ['an inject that is none', { name: 'a', check: () => 'pass', inject: {} }, 'ARC_HANDLER_INVALID'],
    ['an unknown field', { name: 'a', check: () => 'pass', prio: 1 }, 'ARC_OPTION_UNKNOWN'],
    ['nothing', undefined, 'ARC_POINT_UNKNOWN'],
  ])('refuses a hook with %s', (_what, hook, code) => {
    expect(() => createHookBus().register(hook as never)).toThrow(expect.objectContaining({ code }))
  })

  it('shares nothing with another', async () => {
    createHookBus({ mode: 'enforce' }).register({ name: 'no', check: () => 'block' })
    expect(createHookBus().list()).toEqual([])
  })
})

describe('the bus that a program shares', () => {
  const undos: (() => void)[] = []
  afterEach(() => {
    for (const undo of undos.splice(0)) undo()
  })

  it('is in log, so that a block does not stop anything until somebody says so', async () => {
    undos.push(hookBus.register({ name: 'no', check: () => 'block' }))
    expect(await hookBus.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'flag', blocked: false })
    hookBus.engine.mode = 'enforce'
    undos.push(() => {
      hookBus.engine.mode = 'log'
    })
    expect(await hookBus.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'block', blocked: true })
  })
})
