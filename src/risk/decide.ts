// Maps risk to a decision, for the hook, `arc check` and the benchmark.

import { DECISION_RANK, type Decision } from '../engine/verdict.ts'
import type { Assessment, Effect, Evidence } from './assessment.ts'
import { type NeverAllowed, readNeverAllowed } from './never-allowed.ts'

/** Options of the decision. */
export interface DecideOptions {
  /** Decision for certain harm of tier 4, default `block`. Deploys always ask. */
  readonly tier4?: 'block' | 'ask' | undefined
  /** The lowest tier that blocks, default 4. Tier 5 always blocks. */
  readonly blockTier?: number | undefined
  /** The lowest tier that asks where it does not block; none by default. */
  readonly askTier?: number | null | undefined
  /** The effects that ask, default `destructive`. */
  readonly askEffects?: readonly Effect[] | undefined
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

const ASK_EFFECTS: readonly Effect[] = ['destructive']

/** The decision for one piece of evidence. */
export function decideOnEvidence(
  { tier, effect, isUncertain }: Evidence,
  { tier4 = 'block', blockTier = 4, askTier, askEffects = ASK_EFFECTS }: DecideOptions,
): Decision {
  if (tier >= 5) return 'block'
  if (isUncertain === true && tier >= 3) return 'ask'
  if (tier >= blockTier) return tier === 4 && (effect === 'deploy-affecting' || tier4 === 'ask') ? 'ask' : 'block'
  if (askTier !== undefined && askTier !== null && tier >= askTier && askEffects.includes(effect)) return 'ask'
  return tier >= 3 ? 'flag' : 'pass'
}

/** Why no exception may allow this action, by its most severe evidence that holds or blocks; undefined if one may. */
export function findNeverAllowed({ evidence }: Assessment, options: DecideOptions = {}): NeverAllowed | undefined {
  const stopping = evidence.filter((item) => DECISION_RANK[decideOnEvidence(item, options)] >= DECISION_RANK.ask)
  return stopping.map(readNeverAllowed).find((why) => why !== undefined)
}
