import { describe, expect, it } from 'vitest'
import type { Assessment, Tier } from '../../risk/assessment.ts'
import { decideRisk, isCatastrophe, withKeywords } from './risk-verdict.ts'

const rated = (tier: Tier, more: Partial<Assessment> = {}): Assessment => ({
  ...{ effect: 'destructive', tier, requiresConfirmation: true, checklist: 'strict', isUnknown: false },
  evidence: [
    {
      rule: 'git/push-force',
      effect: 'destructive',
      tier,
      reason: 'it rewrites history',
      alternative: 'push --force-with-lease',
    },
  ],
  ...more,
})
const POLICY = { blockTier: 4, onTier4: 'block' } as const

describe('what a risk leads to', () => {
  it.each<[Tier, string, string, string]>([
    [1, 'pass', 'pass', 'pass'],
    [2, 'pass', 'pass', 'pass'],
    [3, 'flag', 'flag', 'block'],
    [4, 'block', 'ask', 'block'],
    [5, 'block', 'block', 'block'],
  ])('B10 tier %i: %s, with onTier4 ask %s, with blockTier 3 %s', (tier, plain, asking, strict) => {
    expect(decideRisk(rated(tier), 'action', POLICY).decision).toBe(plain)
    expect(decideRisk(rated(tier), 'action', { ...POLICY, onTier4: 'ask' }).decision).toBe(asking)
    expect(decideRisk(rated(tier), 'action', { ...POLICY, blockTier: 3 }).decision).toBe(strict)
  })

  it('B10 tier 5 blocks even where blockTier and onTier4 are as mild as can be', () => {
    expect(decideRisk(rated(5), 'action', { blockTier: 5, onTier4: 'ask' }).decision).toBe('block')
    expect(decideRisk(rated(4), 'action', { blockTier: 5, onTier4: 'block' }).decision).toBe('flag')
  })

  it('B10 what could not be understood is held for a person', () => {
    expect(decideRisk(rated(1, { isUnknown: true, evidence: [] }), 'action', POLICY)).toMatchObject({ decision: 'ask' })
    expect(decideRisk(rated(4, { isUnknown: true }), 'action', POLICY).decision).toBe('block')
  })

  it('B10 says the rule, the reason and the safer way, and leaves its findings for others', () => {
    expect(decideRisk(rated(4), 'action', POLICY)).toMatchObject({
      reason: 'it rewrites history (git/push-force: destructive, tier 4)',
      suggestion: 'push --force-with-lease',
      metadata: {
        riskTier: 'destructive',
        requiresConfirmation: true,
        checklistIntensity: 'strict',
        risk: { tier: 4 },
      },
    })
  })

  it.each([
    [5, 'action', true],
    [5, 'message', false],
    [4, 'action', false],
  ])('M3 tier %i of a %s is what the floor is for: %s', (tier, riskOf, expected) => {
    expect(isCatastrophe({ metadata: { risk: rated(tier as Tier), riskOf } })).toBe(expected)
  })
})

describe('keywords of a user', () => {
  const calm = rated(1, { effect: 'read-only', requiresConfirmation: false, checklist: 'light', evidence: [] })

  it('B10 make a risk graver, as whole words in any case, and never milder', () => {
    const words = { destructive: ['wipe the lab'], 'read-only': ['push'] } as const
    expect(withKeywords(calm, () => 'Now WIPE THE LAB.', words)).toMatchObject({
      effect: 'destructive',
      tier: 4,
      checklist: 'strict',
    })
    expect(withKeywords(calm, () => 'wipe the label', words)).toBe(calm)
    expect(withKeywords(rated(5), () => 'push', words)).toMatchObject({ effect: 'destructive', tier: 5 })
  })
})
