// Maps risk to a decision, for the hook, `arc check` and the benchmark.

import { DECISION_RANK, type Decision } from '../engine/verdict.ts'
import type { Assessment, Evidence } from './assessment.ts'

/** Options of the decision. */
export interface DecideOptions {
  /** Decision for certain harm of tier 4, default `block`. Deploys always ask. */
  readonly tier4?: 'block' | 'ask' | undefined
  /** The lowest tier that blocks, default 4. Tier 5 always blocks. */
  readonly blockTier?: number | undefined
}

/**
 * The decision for an action. Tier 5 blocks, tier 4 blocks (a deploy asks), tier 3 is flagged;
 * uncertain harm asks.
 */
export function decide({ evidence, isUnknown }: Assessment, options: DecideOptions = {}): Decision {
  let decision: Decision = isUnknown ? 'ask' : 'pass'
  for (const item of evidence) {
    const own = decideOnEvidence(item, options)
    if (DECISION_RANK[own] > DECISION_RANK[decision]) decision = own
  }
  return decision
}

/** The decision for one piece of evidence. */
export function decideOnEvidence(
  { tier, effect, isUncertain }: Evidence,
  { tier4 = 'block', blockTier = 4 }: DecideOptions,
): Decision {
  if (tier >= 5) return 'block'
  if (isUncertain === true && tier >= 3) return 'ask'
  if (tier >= blockTier) return tier === 4 && (effect === 'deploy-affecting' || tier4 === 'ask') ? 'ask' : 'block'
  return tier >= 3 ? 'flag' : 'pass'
}
