// From risk to decision, in one place: the hook, `arc check` and the benchmark all ask here.

import { DECISION_RANK, type Decision } from '../engine/verdict.ts'
import type { Assessment, Evidence } from './assessment.ts'

/** How strict to be. */
export interface DecideOptions {
  /** What a certain tier-4 harm leads to; `block` unless set. A deploy asks in any case. */
  readonly tier4?: 'block' | 'ask' | undefined
  /** The lowest tier that blocks, 4 unless set; tier 5 always does. */
  readonly blockTier?: number | undefined
}

/**
 * What should happen with an action of this risk. Tier 5 blocks, tier 4 blocks (a deploy asks), tier 3 is flagged;
 * harm that depends on what cannot be known asks.
 */
export function decide({ evidence, isUnknown }: Assessment, options: DecideOptions = {}): Decision {
  let decision: Decision = isUnknown ? 'ask' : 'pass'
  for (const item of evidence) {
    const own = decideOnEvidence(item, options)
    if (DECISION_RANK[own] > DECISION_RANK[decision]) decision = own
  }
  return decision
}

// What one piece of evidence asks for.
function decideOnEvidence(
  { tier, effect, isUncertain }: Evidence,
  { tier4 = 'block', blockTier = 4 }: DecideOptions,
): Decision {
  if (tier >= 5) return 'block'
  if (isUncertain === true && tier >= 3) return 'ask'
  if (tier >= blockTier) return tier === 4 && (effect === 'deploy-affecting' || tier4 === 'ask') ? 'ask' : 'block'
  return tier >= 3 ? 'flag' : 'pass'
}
