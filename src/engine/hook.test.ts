// The options of a registration: what is accepted, and how the rest is refused.
// biome-ignore-all lint/suspicious/noThenProperty: thenables are part of the subject.

import { describe, expect, it } from 'vitest'
import { CALL, makeEngine, type ToolHandler } from '../../test/engine-fixture.ts'
import { ArcError } from './errors.ts'

const pass = () => 'pass' as const

/** What registering these options throws. */
function refusal(...given: unknown[]): ArcError {
  const { engine } = makeEngine()
  const register = engine.register.bind(engine) as (...given: unknown[]) => unknown
  try {
    register(...given)
  } catch (error) {
    if (error instanceof ArcError) return error
    throw error
  }
  throw new Error('nothing was thrown')
}

describe('a bad registration', () => {
  it.each<[string, unknown[], string, RegExp]>([
    [
      'an unknown option',
      ['pre:tool', pass, { prioritty: 5 }],
      'ARC_OPTION_UNKNOWN',
      /"prioritty".*Did you mean "priority"/,
    ],
    [
      'an unknown field of an object',
      [{ name: 'a', check: pass, point: [] }],
      'ARC_OPTION_UNKNOWN',
      /"point".*"points"/,
    ],
    ['options null', ['pre:tool', pass, null], 'ARC_OPTION_INVALID', /null/],
    ['options that are a list', ['pre:tool', pass, [1]], 'ARC_OPTION_INVALID', /\[1\]/],
    ['options that are a number', ['pre:tool', pass, 10], 'ARC_OPTION_INVALID', /10/],
    ['no handler', ['pre:tool'], 'ARC_HANDLER_INVALID', /undefined/],
    ['a handler that is a text', ['pre:tool', 'block', { name: 'a' }], 'ARC_HANDLER_INVALID', /hook "a".*"block"/],
    ['a handler that is an object', ['pre:tool', { check: pass }], 'ARC_HANDLER_INVALID', /function/],
    ['an object without check', [{ name: 'a' }], 'ARC_HANDLER_INVALID', /"a" needs a check function, not undefined/],
    ['an object with a bad check', [{ name: 'a', check: 'block' }], 'ARC_HANDLER_INVALID', /"a".*"block"/],
    ['an object with a bad inject', [{ name: 'a', check: pass, inject: 5 }], 'ARC_HANDLER_INVALID', /inject.*"a".*5/],
    ['an object and a handler', [{ name: 'a', check: pass }, pass], 'ARC_HANDLER_INVALID', /own check/],
    [
      'an object with points that are no list',
      [{ name: 'a', check: pass, points: 'pre:tool' }],
      'ARC_OPTION_INVALID',
      /"pre:tool"/,
    ],
    ['an object without any point', [{ name: 'a', check: pass, points: [] }], 'ARC_OPTION_INVALID', /\[\]/],
    [
      'an object at an unknown point',
      [{ name: 'a', check: pass, points: ['pre:tol'] }],
      'ARC_POINT_UNKNOWN',
      /"pre:tol".*"pre:tool"/,
    ],
    ['an object at null', [{ name: 'a', check: pass, points: [null] }], 'ARC_POINT_UNKNOWN', /null/],
    [
      'an object at one point twice',
      [{ name: 'a', check: pass, points: ['pre:tool', 'PreToolUse'] }],
      'ARC_HOOK_DUPLICATE',
      /"a"/,
    ],
    ['an unknown point', ['pre:tol', pass], 'ARC_POINT_UNKNOWN', /"pre:tol".*"pre:tool"/],
    ['no point', [undefined, pass], 'ARC_POINT_UNKNOWN', /undefined/],
    ['a point that was never declared', [{ canAbort: true }, pass], 'ARC_POINT_UNKNOWN', /canAbort/],
    [
      'priority NaN',
      ['pre:tool', pass, { priority: Number.NaN }],
      'ARC_OPTION_INVALID',
      /priority.*finite number, not NaN/,
    ],
    ['priority Infinity', ['pre:tool', pass, { priority: Infinity }], 'ARC_OPTION_INVALID', /priority.*not Infinity/],
    ['priority as a text', ['pre:tool', pass, { priority: '5' }], 'ARC_OPTION_INVALID', /priority.*not "5"/],
    ['priority null', ['pre:tool', pass, { priority: null }], 'ARC_OPTION_INVALID', /priority.*not null/],
    ['time limit 0', ['pre:tool', pass, { timeoutMs: 0 }], 'ARC_OPTION_INVALID', /timeoutMs.*greater than 0, not 0/],
    ['time limit -1', ['pre:tool', pass, { timeoutMs: -1 }], 'ARC_OPTION_INVALID', /timeoutMs.*not -1/],
    [
      'time limit Infinity',
      ['pre:tool', pass, { timeoutMs: Infinity }],
      'ARC_OPTION_INVALID',
      /timeoutMs.*not Infinity/,
    ],
    [
      "a handler's time limit 0",
      ['pre:tool', Object.assign(() => 'pass', { timeoutMs: 0 })],
      'ARC_OPTION_INVALID',
      /timeoutMs.*not 0/,
    ],
    ['an unknown mode', ['pre:tool', pass, { mode: 'enforced' }], 'ARC_OPTION_INVALID', /mode.*"enforced".*"enforce"/],
    [
      'an unknown onError',
      ['pre:tool', pass, { onError: 'ignore' }],
      'ARC_OPTION_INVALID',
      /onError.*skip, log, abort, not "ignore"/,
    ],
    ['critical as a text', ['pre:tool', pass, { critical: 'yes' }], 'ARC_OPTION_INVALID', /critical.*"yes"/],
    ['replace as a text', ['pre:tool', pass, { name: 'a', replace: 'yes' }], 'ARC_OPTION_INVALID', /replace.*"yes"/],
    ['an empty name', ['pre:tool', pass, { name: ' ' }], 'ARC_OPTION_INVALID', /name.*" "/],
    ['a name that is no text', ['pre:tool', pass, { name: 7 }], 'ARC_OPTION_INVALID', /name.*7/],
    [
      'an unknown condition',
      ['pre:tool', pass, { match: { tools: 'shell' } }],
      'ARC_OPTION_UNKNOWN',
      /"tools".*"tool"/,
    ],
    ['conditions that are no object', ['pre:tool', pass, { match: 'shell' }], 'ARC_OPTION_INVALID', /match.*"shell"/],
    [
      'two conditions on the tool',
      ['pre:tool:shell', pass, { name: 'a', match: { tool: 'write' } }],
      'ARC_OPTION_INVALID',
      /"a".*shell.*match\.tool/,
    ],
  ])('with %s is refused by code, naming what was given', (_what, given, code, says) => {
    const error = refusal(...given)
    expect(error.code).toBe(code)
    expect(error.message).toMatch(says)
  })

  it('leaves the table as it was', () => {
    const { engine } = makeEngine()
    const before = engine.table
    expect(() => engine.register('pre:tool', pass, { priority: Number.NaN })).toThrow(ArcError)
    expect(engine.table).toBe(before)
  })
})

describe('an object hook', () => {
  it('is called as a method, so that it can have state, and a class may be one', async () => {
    class Counter {
      readonly name = 'counter'
      readonly points = ['pre:tool'] as const
      count = 0
      check() {
        this.count++
        return 'flag' as const
      }
      inject() {
        return { count: this.count }
      }
    }
    const { engine, dispatch } = makeEngine()
    const counter = new Counter()
    engine.register(counter)
    await dispatch()
    expect(await dispatch()).toMatchObject({ decision: 'flag', hook: 'counter', metadata: { count: 2 } })
  })

  it.each<[string, ToolHandler]>([
    [
      'calls back at once and returns nothing',
      () => ({ then: (yes: (value: 'block') => void) => yes('block') }) as never,
    ],
    [
      'calls back later',
      () => ({ then: (yes: (value: 'block') => void) => queueMicrotask(() => yes('block')) }) as never,
    ],
    [
      'is a promise whose own then does nothing',
      () => Object.assign(Promise.resolve('block' as const), { then: () => undefined }) as never,
    ],
  ])('H1 with an inject does not lose the verdict of a check that %s', async (_what, check) => {
    const { engine, dispatch } = makeEngine()
    engine.register({
      name: 'a',
      points: ['pre:tool'],
      check,
      inject: () => ({ then: (yes: (facts: object) => void) => yes({ b: 1 }) }) as never,
    })
    expect(await dispatch(CALL)).toMatchObject({ decision: 'block', hook: 'a', metadata: { b: 1 } })
  })

  it('whose check fails is not asked to inject', () => {
    const { engine, dispatch, records } = makeEngine()
    const check = () => {
      throw new Error('bug')
    }
    engine.register({ name: 'a', points: ['pre:tool'], check, inject: () => expect.unreachable() })
    void dispatch()
    expect(records[0]).toMatchObject({ cause: 'failure:crash', reason: expect.stringContaining('Error: bug') })
  })
})
