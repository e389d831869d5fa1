// Maps risk to a decision, for the hook, `arc check` and the benchmark.

import { DECISION_RANK, type Decision } from '../engine/verdict.ts'
import type { Assessment, Effect, Evidence } from './assessment.ts'

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

// The decision for one piece of evidence.
function decideOnEvidence(
  { tier, effect, isUncertain }: Evidence,
  { tier4 = 'block', blockTier = 4, askTier, askEffects = ASK_EFFECTS }: DecideOptions,
): Decision {
  if (tier >= 5) return 'block'
  if (isUncertain === true && tier >= 3) return 'ask'
  if (tier >= blockTier) return tier === 4 && (effect === 'deploy-affecting' || tier4 === 'ask') ? 'ask' : 'block'
  if (askTier !== undefined && askTier !== null && tier >= askTier && askEffects.includes(effect)) return 'ask'
  return tier >= 3 ? 'flag' : 'pass'
}

/** Why an action cannot be allowed by an exception: the harm is a catastrophe, or it is about secrets or ARC itself. */
export type NeverAllowed = 'catastrophe' | 'secrets' | 'guard'

// Rules about secrets in the packs of programs.
const SECRET_RULES: readonly string[] = ['interpreters/secret', 'clouds/aws-secrets', 'platforms/secrets-shown']

/** Why no exception may allow this action; undefined if one may. Only evidence that holds or blocks counts. */
export function findNeverAllowed({ evidence }: Assessment, options: DecideOptions = {}): NeverAllowed | undefined {
  const stopping = evidence.filter((item) => DECISION_RANK[decideOnEvidence(item, options)] >= DECISION_RANK.ask)
  if (stopping.some(({ tier }) => tier >= 5)) return 'catastrophe'
  if (stopping.some(({ rule }) => rule.startsWith('guard/'))) return 'guard'
  const isAboutSecrets = ({ rule }: Evidence): boolean => rule.startsWith('secrets/') || SECRET_RULES.includes(rule)
  return stopping.some(isAboutSecrets) ? 'secrets' : undefined
}
