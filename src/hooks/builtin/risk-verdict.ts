// What a risk leads to: a verdict by tier, with the reason, the rule and what to do instead. Pure.

import type { Verdict, VerdictObject } from '../../engine/verdict.ts'
import type { Assessment, Effect, Evidence, Tier } from '../../risk/assessment.ts'
import { decide } from '../../risk/decide.ts'

export interface RiskPolicy {
  /** Tiers from this one on block; 5 always does. */
  readonly blockTier: number
  /** What tier 4 does where it would block. */
  readonly onTier4: 'block' | 'ask'
}

/** Is it about to be done, or is it talked about? */
export type RiskOf = 'action' | 'message'

/** The verdict on an assessment. */
export function decideRisk(risk: Assessment, riskOf: RiskOf, policy: RiskPolicy): VerdictObject {
  const { blockTier, onTier4: tier4 } = policy
  const decision = decide(risk, { blockTier, tier4 })
  const [gravest] = risk.evidence
  const { effect: riskTier, requiresConfirmation, checklist: checklistIntensity } = risk
  const metadata = { risk, riskTier, requiresConfirmation, checklistIntensity, riskOf }
  if (decision === 'pass') return { decision, metadata }
  const suggestion = gravest?.alternative
  const reason = reasonFor(risk, gravest)
  return { decision, reason, metadata, ...(suggestion !== undefined && { suggestion }) }
}

/** Does this verdict of risk detection hold in every mode? Only what would be done counts, not what is talked about. */
export function isCatastrophe({ metadata }: Pick<Verdict, 'metadata'>): boolean {
  const risk = metadata?.risk as Assessment | undefined
  return risk?.tier === 5 && metadata?.riskOf === 'action'
}

function reasonFor({ tier, effect, isUnknown }: Assessment, gravest: Evidence | undefined): string {
  const rated = `${effect}, tier ${tier}`
  if (gravest === undefined) return isUnknown ? `a part of it could not be understood (${rated})` : rated
  return `${gravest.reason} (${gravest.rule}: ${rated})`
}

/** Words that a user adds, by the class of effect they stand for. */
export type CustomKeywords = Readonly<Partial<Record<Effect, readonly string[]>>>

const TIER_OF_EFFECT: Readonly<Record<Effect, Tier>> = {
  'read-only': 1,
  'file-modification': 2,
  'build-affecting': 2,
  'deploy-affecting': 4,
  destructive: 4,
}
const BY_GRAVITY: readonly Effect[] = [
  'destructive',
  'deploy-affecting',
  'build-affecting',
  'file-modification',
  'read-only',
]

/** An assessment with a user's own words taken into account: they can make it graver, never milder. */
export function withKeywords(risk: Assessment, text: () => string, keywords: CustomKeywords): Assessment {
  let folded: string | undefined
  for (const effect of BY_GRAVITY) {
    for (const keyword of keywords[effect] ?? []) {
      folded ??= text().toLowerCase()
      if (hasWord(folded, keyword.toLowerCase())) return graver(risk, keyword, effect)
    }
  }
  return risk
}

function graver(risk: Assessment, keyword: string, effect: Effect): Assessment {
  const tier = TIER_OF_EFFECT[effect]
  const reason = `"${keyword}" is on the list of keywords`
  const evidence: Evidence = { rule: 'custom/keyword', effect, tier, matched: keyword, reason }
  if (tier <= risk.tier) return { ...risk, evidence: [...risk.evidence, evidence] }
  const requiresConfirmation = effect === 'destructive' || effect === 'deploy-affecting'
  const checklist = requiresConfirmation ? 'strict' : risk.checklist === 'light' ? 'standard' : risk.checklist
  return { ...risk, effect, tier, requiresConfirmation, checklist, evidence: [evidence, ...risk.evidence] }
}

// As a word of its own: "prod" is not in "product".
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true
  }
  return false
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}
