// `outcome.wouldBe`: what the decision would be if every hook were in enforce.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { atOnce, CALL, makeEngine } from '../../test/engine-fixture.ts'
import { DECISIONS, type Decision } from './decision.ts'
import { MODES, type Mode } from './mode.ts'
import type { Outcome } from './outcome.ts'

describe('outcome.wouldBe', () => {
  it.each<[Mode, Decision, Decision, Decision | undefined]>([
    ['log', 'block', 'flag', 'block'],
    ['log', 'ask', 'flag', 'ask'],
    ['advise', 'block', 'flag', 'block'],
    ['enforce', 'block', 'block', undefined],
    ['enforce', 'ask', 'ask', undefined],
    ['log', 'flag', 'flag', undefined],
    ['log', 'pass', 'pass', undefined],
  ])('Q3 in %s a hook that says %s gives %s, and in enforce %s', (mode, says, decision, wouldBe) => {
    const { engine, dispatch } = makeEngine({ mode })
    engine.register('pre:tool', () => says)
    const outcome = atOnce(dispatch())
    expect([outcome.decision, outcome.wouldBe]).toEqual([decision, wouldBe])
  })

  it('Q3 is the strongest decision, also next to a hold that applies', () => {
    const { engine, dispatch } = makeEngine()
    engine.register('pre:tool', () => 'ask', { name: 'holds' })
    engine.register('pre:tool', () => 'block', { name: 'only-logs', mode: 'log' })
    expect(atOnce(dispatch())).toMatchObject({ decision: 'ask', hook: 'holds', wouldBe: 'block' })
  })

  it('Q3 counts a hook that the breaker lowered', () => {
    const { engine, dispatch } = makeEngine({ maxMode: () => 'log' })
    engine.register('pre:tool', () => 'block')
    expect(atOnce(dispatch())).toMatchObject({ decision: 'flag', wouldBe: 'block' })
  })

  it('Q3 is absent at a point that cannot be aborted: enforce would not block there either', () => {
    const { engine } = makeEngine({ mode: 'log' })
    engine.register('session:end', () => 'block')
    const outcome = atOnce(engine.dispatch('session:end', { reason: 'exit' }))
    expect([outcome.decision, outcome.wouldBe]).toEqual(['flag', undefined])
  })

  it('Q3 says what the same hooks decide in enforce', () => {
    const hook = fc.record({ says: fc.constantFrom(...DECISIONS), mode: fc.constantFrom('log', 'advise', undefined) })
    const modes = fc.constantFrom(...(Object.keys(MODES) as Mode[]).filter((mode) => mode !== 'off'))
    const decide = (mode: Mode, hooks: readonly { says: Decision; mode?: Mode | undefined }[]): Outcome => {
      const { engine } = makeEngine({ mode })
      for (const [at, { says, mode: own }] of hooks.entries()) {
        engine.register('pre:tool', () => says, { name: `hook-${at}`, ...(own !== undefined && { mode: own }) })
      }
      return atOnce(engine.dispatch('pre:tool', CALL))
    }
    fc.assert(
      fc.property(modes, fc.array(hook, { maxLength: 6 }), (mode, hooks) => {
        const { decision, wouldBe } = decide(mode, hooks)
        const enforced = decide(
          'enforce',
          hooks.map(({ says }) => ({ says })),
        )
        expect(wouldBe ?? decision).toBe(enforced.decision)
        expect(wouldBe).not.toBe(decision)
        expect(enforced.wouldBe).toBeUndefined()
      }),
    )
  })
})
