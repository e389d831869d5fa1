// alwaysBlocks: blocks of a hook that apply in every mode except off.

import { describe, expect, it } from 'vitest'
import { atOnce, CALL, makeEngine } from '../../test/engine-fixture.ts'
import type { Mode } from './mode.ts'

const CATASTROPHE = { decision: 'block', reason: 'no', metadata: { tier: 5 } } as const
const alwaysBlocks = ({ metadata }: { metadata?: Readonly<Record<string, unknown>> | undefined }) =>
  metadata?.tier === 5

describe('alwaysBlocks', () => {
  it.each<[Mode, boolean]>([
    ['off', false],
    ['log', true],
    ['advise', true],
    ['enforce', true],
  ])('M3 in %s blocks: %s', (mode, blocked) => {
    const { engine, dispatch, records } = makeEngine({ mode })
    engine.register('pre:tool', () => CATASTROPHE, { name: 'risk', alwaysBlocks })
    expect(atOnce(dispatch())).toMatchObject({ blocked, decision: blocked ? 'block' : 'pass' })
    expect(records.map(({ applied }) => applied)).toEqual(blocked ? [true] : [])
  })

  it('M3 holds with the breaker open, critical or not, and ends the dispatch', () => {
    const { engine, dispatch, records } = makeEngine({ maxMode: () => 'log' })
    engine.register('pre:tool', () => CATASTROPHE, { name: 'risk', alwaysBlocks })
    engine.register('pre:tool', () => 'pass', { name: 'later', priority: 200 })
    expect(atOnce(dispatch())).toMatchObject({ blocked: true, hook: 'risk' })
    expect(records).toHaveLength(1)
  })

  it('M3 is for the blocks that it names: others follow the mode', () => {
    const { engine, dispatch } = makeEngine({ mode: 'log' })
    engine.register('pre:tool', () => ({ decision: 'block', metadata: { tier: 4 } }), { alwaysBlocks })
    expect(atOnce(dispatch())).toMatchObject({ blocked: false, decision: 'flag' })
  })

  it.each([['ask'], ['flag'], ['pass']] as const)('M3 makes nothing more of %s', (decision) => {
    const { engine, dispatch } = makeEngine({ mode: 'log' })
    engine.register('pre:tool', () => ({ decision, metadata: { tier: 5 } }), { alwaysBlocks: () => true })
    expect(atOnce(dispatch()).blocked).toBe(false)
  })

  it('M3 cannot be requested by a verdict: a hook without alwaysBlocks follows the mode whatever it says', () => {
    const { engine, dispatch } = makeEngine({ mode: 'log' })
    const metadata = { tier: 5, alwaysBlocks: true, floor: true, risk: { tier: 5 } }
    const answer = { ...CATASTROPHE, alwaysBlocks: true, floor: true, metadata }
    engine.register('pre:tool', () => answer as never, { name: 'pretender' })
    expect(atOnce(dispatch()).blocked).toBe(false)
  })

  it.each([true, 'block', {}, 5])('M3 cannot be requested by configuration: %j is rejected', (given) => {
    const { engine } = makeEngine()
    expect(() => engine.register('pre:tool', () => 'pass', { alwaysBlocks: given as never })).toThrow(
      'must be a function',
    )
  })

  it('M3 does not apply to a failure', () => {
    const { engine, dispatch } = makeEngine({ mode: 'log', onError: 'abort' })
    const fail = () => {
      throw new Error('bug')
    }
    engine.register('pre:tool', fail, { alwaysBlocks: () => true })
    expect(atOnce(dispatch())).toMatchObject({ blocked: false, decision: 'flag' })
  })

  it('M3 blocks when alwaysBlocks itself throws, and the error is reported', () => {
    const { engine, dispatch, faults } = makeEngine({ mode: 'log' })
    const broken = () => {
      throw new Error('bug')
    }
    engine.register('pre:tool', () => 'block', { alwaysBlocks: broken })
    expect(atOnce(dispatch()).blocked).toBe(true)
    expect(faults).toMatchObject([{ message: 'alwaysBlocks: Error: bug' }])
  })

  it('M3 a person is notified of it below advise too', () => {
    const { engine, dispatch, notices } = makeEngine({ mode: 'log' })
    engine.register('pre:tool', () => CATASTROPHE, { name: 'risk', alwaysBlocks })
    atOnce(dispatch())
    expect(notices).toMatchObject([{ hook: 'risk', applied: true, mode: 'log' }])
  })

  it('M3 stops nothing where nothing can be stopped: after the fact, or while only watching', async () => {
    const { engine, records, clock } = makeEngine({ mode: 'log' })
    engine.register('post:tool', () => CATASTROPHE, { name: 'after', alwaysBlocks })
    engine.register('pre:tool', () => CATASTROPHE, { name: 'watched', alwaysBlocks })
    expect(atOnce(engine.dispatch('post:tool', { ...CALL, result: 1 })).blocked).toBe(false)
    engine.observe('pre:tool', CALL)
    await clock.settle()
    expect(records.map(({ hook, applied }) => [hook, applied])).toEqual([
      ['after', false],
      ['watched', false],
    ])
  })

  it('M3 other hooks cannot get round it by failing, flooding or editing in log mode', () => {
    const { engine, dispatch } = makeEngine({ mode: 'log', maxMode: () => 'log' })
    for (let at = 0; at < 40; at++) {
      const fail = () => {
        throw new Error('on purpose')
      }
      engine.register('pre:tool', at % 2 === 0 ? fail : () => ({ modify: { args: { command: 'true' } } }), {
        priority: 1,
      })
    }
    engine.register('pre:tool', ({ data }) => (data.args.command === 'ls' ? CATASTROPHE : 'pass'), {
      alwaysBlocks,
      priority: 10,
    })
    expect(atOnce(dispatch()).blocked).toBe(true)
  })
})
