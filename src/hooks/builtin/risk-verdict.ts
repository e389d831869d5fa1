// The verdict on a risk: a decision by tier, with the reason, the rule and the alternative. Pure.

import type { Verdict, VerdictObject } from '../../engine/verdict.ts'
import type { Assessment, Effect, Evidence, Tier } from '../../risk/assessment.ts'
import { decide, findNeverAllowed } from '../../risk/decide.ts'

export interface RiskPolicy {
  /** The lowest tier that blocks; 5 always blocks. */
  readonly blockTier: number
  /** The decision on tier 4 where it would block. */
  readonly onTier4: 'block' | 'ask'
  /** The lowest tier of an action that asks where it does not block; null and undefined for none. */
  readonly askTier?: number | null | undefined
  /** The effects that ask. */
  readonly askEffects?: readonly Effect[] | undefined
}

/** Whether the risk is of an action or of a message. */
export type RiskOf = 'action' | 'message'

/** The verdict on an assessment. */
export function decideRisk(risk: Assessment, riskOf: RiskOf, policy: RiskPolicy): VerdictObject {
  const { blockTier, onTier4: tier4, askEffects } = policy
  const options = { blockTier, tier4, askEffects, askTier: riskOf === 'action' ? policy.askTier : undefined }
  const decision = decide(risk, options)
  const metadata = buildMetadata(risk, riskOf)
  if (decision === 'pass') return { decision, metadata }
  const [worst] = risk.evidence
  const suggestion = worst?.alternative
  const reason = reasonFor(risk, worst)
  const neverAllowed = decision === 'block' ? findNeverAllowed(risk, options) : undefined
  return {
    ...{ decision, reason, metadata: neverAllowed === undefined ? metadata : { ...metadata, neverAllowed } },
    ...(suggestion !== undefined && { suggestion }),
  }
}

/** The verdict on a message that is rated and never held or blocked. */
export function rateOnly(risk: Assessment, riskOf: RiskOf): VerdictObject {
  return { decision: 'pass', metadata: buildMetadata(risk, riskOf) }
}

function buildMetadata(risk: Assessment, riskOf: RiskOf) {
  const { effect: riskTier, requiresConfirmation, checklist: checklistIntensity } = risk
  return { risk, riskTier, requiresConfirmation, checklistIntensity, riskOf }
}

/** Whether this verdict blocks in every mode. Only for actions, not for messages. */
export function isCatastrophe({ metadata }: Pick<Verdict, 'metadata'>): boolean {
  const risk = metadata?.risk as Assessment | undefined
  return risk?.tier === 5 && metadata?.riskOf === 'action'
}

function reasonFor({ tier, effect, isUnknown }: Assessment, worst: Evidence | undefined): string {
  const rated = `${effect}, tier ${tier}`
  if (worst === undefined) return isUnknown ? `a part of the command could not be analysed (${rated})` : rated
  return `${worst.reason} (${worst.rule}: ${rated})`
}

/** The keywords of a user, by class of effect. */
export type CustomKeywords = Readonly<Partial<Record<Effect, readonly string[]>>>

const TIER_OF_EFFECT: Readonly<Record<Effect, Tier>> = {
  'read-only': 1,
  'file-modification': 2,
  'build-affecting': 2,
  'deploy-affecting': 4,
  destructive: 4,
}
const BY_SEVERITY: readonly Effect[] = [
  'destructive',
  'deploy-affecting',
  'build-affecting',
  'file-modification',
  'read-only',
]

/** An assessment with the keywords of a user applied: they can raise the risk, never lower it. */
export function withKeywords(risk: Assessment, text: () => string, keywords: CustomKeywords): Assessment {
  let folded: string | undefined
  for (const effect of BY_SEVERITY) {
    for (const keyword of keywords[effect] ?? []) {
      folded ??= text().toLowerCase()
      if (hasWord(folded, keyword.toLowerCase())) return raiseRisk(risk, keyword, effect)
    }
  }
  return risk
}

function raiseRisk(risk: Assessment, keyword: string, effect: Effect): Assessment {
  const tier = TIER_OF_EFFECT[effect]
  const reason = `"${keyword}" is a configured keyword`
  const evidence: Evidence = { rule: 'custom/keyword', effect, tier, matched: keyword, reason }
  if (tier <= risk.tier) return { ...risk, evidence: [...risk.evidence, evidence] }
  const requiresConfirmation = effect === 'destructive' || effect === 'deploy-affecting'
  const checklist = requiresConfirmation ? 'strict' : risk.checklist === 'light' ? 'standard' : risk.checklist
  return { ...risk, effect, tier, requiresConfirmation, checklist, evidence: [evidence, ...risk.evidence] }
}

// As a whole word: "prod" is not found in "product".
function hasWord(text: string, word: string): boolean {
  for (let at = text.indexOf(word); at >= 0; at = text.indexOf(word, at + 1)) {
    if (!isLetter(text[at - 1]) && !isLetter(text[at + word.length])) return true
  }
  return false
}

function isLetter(character: string | undefined): boolean {
  return character !== undefined && /[\p{L}\p{N}_]/u.test(character)
}
