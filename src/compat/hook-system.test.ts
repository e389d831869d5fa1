// HookSystem: the snippets of its documentation, as they are written there.

import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { ArcError } from '../engine/errors.ts'
import { HookSystem, type HookSystemHandler } from './hook-system.ts'

let written = ''
beforeEach(() => {
  written = ''
  vi.spyOn(process.stderr, 'write').mockImplementation((text) => {
    written += String(text)
    return true
  })
})
afterEach(() => {
  vi.restoreAllMocks()
})

describe('a handler', () => {
  it.each([
    ['pre:message', { prompt: 'hi' }, ['prompt']],
    ['post:message', { output: 'hi' }, ['output']],
    ['pre:tool', { tool: 'shell', args: { command: 'ls' } }, ['tool', 'args']],
    ['post:tool', { tool: 'shell', args: {}, result: 1 }, ['tool', 'args', 'result']],
    ['pre:git:write', { path: 'a', content: 'b' }, ['path', 'content']],
  ] as const)("at %s finds the point's data at the top of its context", async (point, data, fields) => {
    const hooks = new HookSystem()
    const seen: Record<string, unknown>[] = []
    hooks.register(point, ((context: Record<string, unknown>) => void seen.push(context)) as never)
    await hooks.dispatch(point, data as never, { session: 's' })
    for (const field of fields) expect(seen[0]?.[field]).toEqual(data[field as never])
    expect(seen[0]?.step).toMatchObject({ point, session: 's' })
  })
})

describe('abort', () => {
  it('D2 ends the pipeline, and the action does not run', async () => {
    const hooks = new HookSystem()
    hooks.register('pre:tool', async (context) => {
      if (context.tool === 'shell' && (context.args as unknown as string[]).includes('rm')) {
        return { abort: true, reason: 'Destructive command blocked by hook' }
      }
      return undefined
    })
    const later = vi.fn()
    hooks.register('pre:tool', later)
    expect(await hooks.dispatch('pre:tool', { tool: 'shell', args: ['rm', '-rf'] as never })).toMatchObject({
      blocked: true,
      decision: 'block',
      reason: 'Destructive command blocked by hook',
    })
    expect(later).not.toHaveBeenCalled()
    expect(await hooks.dispatch('pre:tool', { tool: 'shell', args: ['ls'] as never })).toMatchObject({ blocked: false })
    expect(later).toHaveBeenCalledTimes(1)
  })
})

describe('modify', () => {
  it('D3 passes each hook the data that those before it left', async () => {
    const hooks = new HookSystem()
    for (const name of ['a', 'b']) {
      hooks.register('pre:message', async (context) => ({
        modify: { prompt: `[Project: ${name}]\n${context.prompt}` },
      }))
    }
    const { data } = await hooks.dispatch('pre:message', { prompt: 'hi' })
    expect(data.prompt).toBe('[Project: b]\n[Project: a]\nhi')
  })

  it('D3 changes the output at a point that cannot abort', async () => {
    const hooks = new HookSystem()
    hooks.register('post:message', async (context) => ({
      modify: { output: context.output.replaceAll('s3cret', '***') },
    }))
    expect((await hooks.dispatch('post:message', { output: 'it is s3cret' })).data.output).toBe('it is ***')
  })
})

describe('priority', () => {
  it('D1 lower runs earlier, 100 by default', async () => {
    const hooks = new HookSystem()
    const ran: (number | undefined)[] = []
    for (const priority of [undefined, 50, 101, 1, 10]) {
      hooks.register('pre:message', () => void ran.push(priority), priority === undefined ? {} : { priority })
    }
    await hooks.dispatch('pre:message', { prompt: '' })
    expect(ran).toEqual([1, 10, 50, undefined, 101])
  })
})

describe('a failing hook', () => {
  const bug: HookSystemHandler<'pre:message'> = async () => {
    throw new Error('hook bug')
  }

  it('D6 is logged, and the other hooks still run', async () => {
    const hooks = new HookSystem()
    hooks.register('pre:message', bug, { name: 'buggy' })
    hooks.register('pre:message', (context) => ({ modify: { prompt: `${context.prompt}!` } }))
    const outcome = await hooks.dispatch('pre:message', { prompt: 'hi' })
    expect(outcome).toMatchObject({ blocked: false, decision: 'flag', data: { prompt: 'hi!' } })
    expect(written).toBe('arc: hook buggy failed at pre:message: crash: Error: hook bug\n')
  })

  it.each([
    ['skip', 'pass', false, ''],
    ['log', 'flag', false, 'arc: hook buggy failed'],
    ['abort', 'block', true, 'arc: hook buggy failed'],
  ] as const)('D6 with onError %s: %s, blocked %s', async (onError, decision, blocked, log) => {
    const own = new HookSystem()
    own.register('pre:message', bug, { name: 'buggy', onError })
    expect(await own.dispatch('pre:message', { prompt: '' })).toMatchObject({ decision, blocked })
    expect(written.slice(0, 'arc: hook buggy failed'.length)).toBe(log)
    const configured = new HookSystem({ errorBehavior: onError })
    configured.register('pre:message', bug)
    expect(await configured.dispatch('pre:message', { prompt: '' })).toMatchObject({ decision, blocked })
  })

  it('D7 is given up on at the configured time limit', async () => {
    const hooks = new HookSystem({ timeout: 10, errorBehavior: 'abort' })
    hooks.register('pre:message', () => new Promise<undefined>(() => undefined))
    const alive = setInterval(() => undefined, 1_000)
    const { reason } = await hooks.dispatch('pre:message', { prompt: '' })
    clearInterval(alive)
    expect(reason).toContain('no answer within 10 ms')
  })
})

describe('the hook system', () => {
  it('D9 switches hooks by name without unregistering, and gives back the undo', async () => {
    const hooks = new HookSystem()
    const undo = hooks.register('pre:tool', () => ({ abort: true }), { name: 'safety-check' })
    const isBlocked = async () => (await hooks.dispatch('pre:tool', { tool: 'shell', args: {} })).blocked
    expect([hooks.isEnabled('safety-check'), await isBlocked()]).toEqual([true, true])
    hooks.disable('safety-check')
    expect([hooks.isEnabled('safety-check'), await isBlocked()]).toEqual([false, false])
    hooks.enable('safety-check')
    expect([hooks.isEnabled('safety-check'), await isBlocked()]).toEqual([true, true])
    undo()
    undo()
    expect([hooks.isEnabled('safety-check'), await isBlocked()]).toEqual([false, false])
  })

  it('D8 takes its limit from its settings', () => {
    const hooks = new HookSystem({ maxHooksPerPoint: 1 })
    hooks.register('pre:tool', () => undefined)
    expect(() => hooks.register('pre:tool', () => undefined)).toThrow('limit of 1')
  })

  it.each<[string, () => unknown, string]>([
    ['an unknown setting', () => new HookSystem({ errorBehaviour: 'abort' } as never), 'ARC_OPTION_UNKNOWN'],
    ['a bad setting', () => new HookSystem({ errorBehavior: 'ignore' as never }), 'ARC_OPTION_INVALID'],
    ['a handler that is none', () => new HookSystem().register('pre:tool', 'block' as never), 'ARC_HANDLER_INVALID'],
    [
      'an unknown point',
      () => new HookSystem().register('pre:tol' as never, (() => undefined) as never),
      'ARC_POINT_UNKNOWN',
    ],
    [
      'an unknown option',
      () => new HookSystem().register('pre:tool', () => undefined, { prio: 1 } as never),
      'ARC_OPTION_UNKNOWN',
    ],
  ])('refuses %s', (_what, act, code) => {
    expect(act).toThrow(ArcError)
    expect(act).toThrow(expect.objectContaining({ code }))
  })

  it('rejects a step at a point that does not exist', async () => {
    const act = new HookSystem().dispatch('pre:tol' as never, {} as never)
    await expect(act).rejects.toMatchObject({ code: 'ARC_POINT_UNKNOWN' })
  })
})
