import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { sendPast, TOOL_CALL } from '../../test/one-hook.ts'
import { createEngine } from '../platform/hook-engine.ts'
import { effectiveMode, isAtLeast, lowerMode, MODES, type Mode, readMode } from './mode.ts'
import type { Evaluation } from './outcome.ts'

const LADDER: readonly Mode[] = ['off', 'log', 'advise', 'enforce']
const RUNNING = LADDER.slice(1)
const aMode = fc.constantFrom(...LADDER)
const maybeMode = fc.option(aMode, { nil: undefined })
const rank = (mode: Mode) => LADDER.indexOf(mode)

describe('the ladder', () => {
  it('M1 is off < log < advise < enforce', () => {
    expect(Object.keys(MODES)).toEqual(LADDER)
    for (const a of LADDER) {
      for (const b of LADDER) {
        expect(isAtLeast(a, b), `${a} ≥ ${b}`).toBe(rank(a) >= rank(b))
        expect(lowerMode(a, b), `${a}, ${b}`).toBe(rank(a) <= rank(b) ? a : b)
      }
    }
  })

  it('M1 accepts warn as another spelling of advise, and every mode as itself', () => {
    expect(readMode('warn', 'mode')).toBe('advise')
    expect(LADDER.map((mode) => readMode(mode, 'mode'))).toEqual(LADDER)
  })

  it.each(['', 'Enforce', 'block', 'toString', '__proto__', undefined, null, 2, true, {}, ['log']])(
    'M1 refuses %o',
    (given) => {
      expect(() => readMode(given, 'mode of the engine')).toThrow(
        expect.objectContaining({ code: 'ARC_OPTION_INVALID' }),
      )
    },
  )

  it('M1 suggests the mode that was probably meant', () => {
    expect(() => readMode('enforced', 'mode')).toThrow('Did you mean "enforce"?')
  })
})

const BLOCK = { decision: 'block', reason: 'no', suggestion: 'use trash' } as const
const EDIT = { modify: { args: { command: 'ls -a' } } }
const SUGGESTION = { decision: 'pass', suggestion: 'prefer rg' } as const

/** One answer at pre:tool with the engine in a mode. */
const inMode = (mode: Mode | 'warn', answer: unknown) => sendPast(answer, { point: 'pre:tool', engine: { mode } })

describe('what each mode does', () => {
  it('M1 is log unless the engine says otherwise', () => {
    expect(createEngine().mode).toBe('log')
  })

  it('M1 off: nothing runs and nothing is traced', async () => {
    let runs = 0
    const evaluations: Evaluation[] = []
    const engine = createEngine({ mode: 'off', sink: (evaluation) => void evaluations.push(evaluation) })
    engine.register('pre:tool', () => {
      runs++
      return 'block'
    })
    expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ decision: 'pass', blocked: false })
    expect(runs).toBe(0)
    expect(evaluations).toEqual([])
  })

  it('M1 off on a hook: it does not run, and the trace says so', async () => {
    const { outcome, evaluations } = await sendPast('block', { point: 'pre:tool', hook: { name: 'a', mode: 'off' } })
    expect(outcome).toMatchObject({ decision: 'pass', blocked: false })
    expect(evaluations).toMatchObject([{ hook: 'a', mode: 'off', decision: 'pass', applied: false, skipped: 'off' }])
  })

  it.each([
    ['log', false, 'flag', 'proceed'],
    ['advise', false, 'flag', 'proceed'],
    ['warn', false, 'flag', 'proceed'],
    ['enforce', true, 'block', 'stop'],
  ] as const)('M1 %s: a block is applied: %s', async (mode, blocked, decision, control) => {
    const { outcome, evaluations } = await inMode(mode, BLOCK)
    expect(outcome).toMatchObject({ blocked, decision, control, reason: 'no', hook: 'hook', suggestion: 'use trash' })
    expect(evaluations).toMatchObject([{ decision: 'block', applied: blocked, reason: 'no', cause: 'policy' }])
  })

  it.each([
    ['log', false],
    ['advise', false],
    ['enforce', true],
  ] as const)('M1 %s: a hold for a human is applied: %s', async (mode, blocked) => {
    const { outcome, evaluations } = await inMode(mode, 'ask')
    expect(outcome).toMatchObject({ blocked, decision: blocked ? 'ask' : 'flag' })
    expect(evaluations).toMatchObject([{ decision: 'ask', applied: blocked }])
  })

  it.each([
    ['log', false],
    ['advise', false],
    ['enforce', true],
  ] as const)('M1 %s: an edit is applied: %s, and recorded either way', async (mode, applied) => {
    const { outcome, evaluations } = await inMode(mode, EDIT)
    expect(outcome.data).toEqual(applied ? { tool: 'shell', args: { command: 'ls -a' } } : TOOL_CALL)
    expect(evaluations).toMatchObject([{ applied, modify: EDIT.modify, mode }])
  })

  it.each([
    ['log', false],
    ['advise', false],
    ['enforce', true],
  ] as const)('M1 %s: a supplied result answers the call: %s', async (mode, applied) => {
    const { outcome, evaluations } = await inMode(mode, { result: 'cached' })
    expect(outcome.answer).toEqual(applied ? { result: 'cached', isError: false } : undefined)
    expect(evaluations).toMatchObject([{ applied }])
  })

  it.each([
    ['log', 0],
    ['advise', 1],
    ['enforce', 1],
  ] as const)('M1 %s: a suggestion gets into the metadata: %i', async (mode, count) => {
    const { outcome } = await inMode(mode, SUGGESTION)
    const suggestion = { hook: 'hook', decision: 'pass', suggestion: 'prefer rg' }
    expect(outcome.metadata.suggestions ?? []).toMatchObject(Array(count).fill(suggestion))
  })

  it('M1 advise: an edit becomes a suggestion, in enforce it is simply made', async () => {
    const advised = await inMode('advise', EDIT)
    expect(advised.outcome.metadata.suggestions).toMatchObject([{ hook: 'hook', modify: EDIT.modify }])
    const enforced = await inMode('enforce', EDIT)
    expect(enforced.outcome.metadata.suggestions).toBeUndefined()
  })

  it.each([
    ['log', undefined],
    ['advise', ['mind the tests']],
    ['enforce', ['mind the tests']],
  ] as const)('M1 %s: additional context for the agent: %j', async (mode, expected) => {
    const { outcome } = await inMode(mode, { additional_context: ['mind the tests'] })
    expect(outcome.metadata.additionalContext).toEqual(expected)
  })

  it.each(RUNNING)('M1 %s: metadata merges, so that later hooks can build on it', async (mode) => {
    const { outcome, evaluations } = await inMode(mode, { metadata: { riskTier: 3 } })
    expect(outcome.metadata).toEqual({ riskTier: 3 })
    expect(evaluations).toMatchObject([{ metadata: { riskTier: 3 } }])
  })

  it.each([
    ['log', 0],
    ['advise', 1],
    ['warn', 1],
    ['enforce', 1],
  ] as const)('M1 %s: the user is notified of a flag or block: %i times', async (mode, count) => {
    for (const answer of ['flag', BLOCK]) {
      const { notices } = await inMode(mode, answer)
      expect(notices).toMatchObject(Array(count).fill({ hook: 'hook', point: 'pre:tool' }))
    }
  })

  it.each(RUNNING)('M1 %s: the user is not notified of a pass', async (mode) => {
    expect((await inMode(mode, 'pass')).notices).toEqual([])
  })

  it('M1 changes with engine.mode, warn included', async () => {
    const engine = createEngine()
    engine.register('pre:tool', () => 'block')
    engine.mode = 'warn'
    expect(engine.mode).toBe('advise')
    engine.mode = 'enforce'
    expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ blocked: true })
  })
})

describe('the effective mode', () => {
  it('M2 is the lowest of profile, hook and maxMode', () => {
    fc.assert(
      fc.property(aMode, maybeMode, maybeMode, (profile, hook, maxMode) => {
        const given = [profile, hook, maxMode].filter((mode) => mode !== undefined)
        expect(rank(effectiveMode({ profile, hook, maxMode }))).toBe(Math.min(...given.map(rank)))
      }),
    )
  })

  it('M2 is the same whichever of the three a mode comes from', () => {
    fc.assert(
      fc.property(aMode, aMode, aMode, (a, b, c) => {
        const expected = effectiveMode({ profile: a, hook: b, maxMode: c })
        expect(effectiveMode({ profile: b, hook: a, maxMode: c })).toBe(expected)
        expect(effectiveMode({ profile: c, hook: b, maxMode: a })).toBe(expected)
      }),
    )
  })

  it('M2 of a critical hook ignores the maximum mode, and nothing but the maximum mode', () => {
    fc.assert(
      fc.property(aMode, maybeMode, maybeMode, (profile, hook, maxMode) => {
        expect(effectiveMode({ profile, hook, maxMode, critical: true })).toBe(effectiveMode({ profile, hook }))
        expect(effectiveMode({ profile, hook, maxMode, critical: false })).toBe(
          effectiveMode({ profile, hook, maxMode }),
        )
      }),
    )
  })

  const cells = RUNNING.flatMap((profile) =>
    [undefined, ...LADDER].flatMap((hook) =>
      [undefined, ...LADDER].flatMap((maxMode) =>
        [true, false].map((critical) => ({ profile, hook, maxMode, critical })),
      ),
    ),
  )

  it.each(cells)(
    'M2 is recorded and decides: $profile, hook $hook, maxMode $maxMode, critical $critical',
    async (cell) => {
      const { profile, hook: mode, maxMode, critical } = cell
      const expected = effectiveMode(cell)
      const { outcome, evaluations } = await sendPast('block', {
        point: 'pre:tool',
        engine: { mode: profile, ...(maxMode && { maxMode: () => maxMode }) },
        hook: { name: 'hook', critical, ...(mode && { mode }) },
      })
      expect(evaluations).toMatchObject([{ mode: expected, decision: expected === 'off' ? 'pass' : 'block' }])
      expect(outcome.blocked).toBe(expected === 'enforce')
    },
  )

  it('M2 says when it was the breaker that lowered it', async () => {
    const lowered = async (maxMode: Mode, critical = false) => {
      const hook = { name: 'hook', critical }
      const { evaluations } = await sendPast('block', { point: 'pre:tool', hook, engine: { maxMode: () => maxMode } })
      return evaluations[0]?.loweredBy
    }
    expect(await lowered('log')).toBe('breaker')
    expect(await lowered('enforce')).toBeUndefined()
    expect(await lowered('log', true)).toBeUndefined()
  })

  it('M2 is asked anew on every step, so that a breaker that closes is felt at once', async () => {
    let maxMode: Mode = 'log'
    const engine = createEngine({ mode: 'enforce', maxMode: () => maxMode })
    engine.register('pre:tool', () => 'block')
    expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ blocked: false })
    maxMode = 'enforce'
    expect(await engine.dispatch('pre:tool', TOOL_CALL)).toMatchObject({ blocked: true })
  })
})
