// Findings: the evidence of a call as it is collected, and the context that texts of the call are classified in.

import type { Effect, Evidence, Span, Tier } from './assessment.ts'
import type { EvidenceLocation } from './evidence-location.ts'
import type { FileEffect } from './file-effects.ts'
import type { Facts, Hit, Rule, TestResult } from './rule.ts'
import type { Rulebook } from './rulebook.ts'
import type { Field } from './shell/frame.ts'

/** Evidence collected so far. */
export interface Findings {
  readonly evidence: Evidence[]
  effect: Effect
  tier: Tier
  isUnknown: boolean
  /** The files that the call touches; collected only where the list is there. */
  readonly effects?: FileEffect[] | undefined
}

/** The working folder, facts and rules for a text. */
export interface ClassifyContext {
  readonly cwd: string
  readonly facts: Facts
  readonly rulebook: Rulebook
  /** The arguments of the text, for `$1` and `$@`; unknown if they are not given. */
  readonly positional?: readonly Field[] | undefined
  /** Findings in files of the project without the arguments of this call, by the path of the file. */
  readonly baselines?: Map<string, ReadonlySet<string>> | undefined
}

const MAX_MATCHED = 160

/** Raises the effect, never lowers it. */
export function raiseEffect(findings: Findings, effect: Effect): void {
  if (EFFECT_RANK[effect] > EFFECT_RANK[findings.effect]) findings.effect = effect
  if (effect !== 'read-only' && findings.tier < 2) findings.tier = 2
}

/** From harmless to worst. */
export const EFFECT_RANK: Readonly<Record<Effect, number>> = {
  'read-only': 0,
  'file-modification': 1,
  'build-affecting': 2,
  'deploy-affecting': 3,
  destructive: 4,
}

/** Adds the hit of a rule as evidence, at a location or in a text. */
export function addEvidence(findings: Findings, rule: Rule, hit: Hit, at: EvidenceLocation | string): void {
  const effect = hit.effect ?? rule.effect
  const tier = hit.tier ?? rule.tier
  const { span, matched, source } =
    typeof at === 'string' ? { span: hit.at, matched: at.slice(hit.at.start, hit.at.end), source: undefined } : at
  if (EFFECT_RANK[effect] > EFFECT_RANK[findings.effect]) findings.effect = effect
  if (tier > findings.tier) findings.tier = tier
  const isKnown = findings.evidence.some(
    (known) =>
      known.rule === rule.id &&
      known.span?.start === span.start &&
      known.span.end === span.end &&
      known.line === source?.line &&
      known.file === source?.file.path,
  )
  if (isKnown) return
  findings.evidence.push({
    rule: rule.id,
    effect,
    tier,
    span,
    matched: clipMatched(matched),
    reason: hit.reason ?? rule.reason,
    ...(rule.alternative === undefined ? {} : { alternative: rule.alternative }),
    ...(source && { file: source.file.path, line: source.line }),
    owasp: rule.owasp,
    ...(hit.isUncertain === true ? { isUncertain: true } : {}),
  })
}

/** The hit that a test result means. */
export function readResult(result: TestResult, whole: Span): Hit | undefined {
  if (result === undefined || result === false) return undefined
  if (result === true) return { at: whole }
  return 'text' in result ? { at: result.span } : result
}

/** Shortens a matched text. */
export function clipMatched(text: string): string {
  return text.length > MAX_MATCHED ? `${text.slice(0, MAX_MATCHED)}…` : text
}
