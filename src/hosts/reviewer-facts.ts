// What ARC knows about a call, as short sentences for the reviewer of a host: a second model that reviews calls. Facts only,
// in ARC's own words. Text of the agent is not repeated, since the reviewer trusts what it reads here, and nothing in it asks
// the reviewer to allow a call.

import { isRecord } from '../engine/plain-data.ts'

type Metadata = Readonly<Record<string, unknown>>

/** A sentence about a call; undefined where there is nothing to say. */
type Fact = (metadata: Metadata) => string | undefined

// One line for each fact. Hooks of other people may have written the metadata: take numbers and words of a fixed form only.
const FACTS: readonly Fact[] = [describeRisk, describeRules]

const MAX_FACTS = 1_000
const MAX_RULES = 5

/**
 * The facts about a call from the metadata of its outcome; undefined where there are none.
 * @example
 * describeFacts({ risk: { tier: 2, effect: 'file-modification' } }) // 'ARC rated this call tier 2 of 5: file-modification.'
 */
export function describeFacts(metadata: Metadata): string | undefined {
  const facts = FACTS.flatMap((fact) => fact(metadata) ?? [])
  return facts.length === 0 ? undefined : facts.join(' ').slice(0, MAX_FACTS)
}

function describeRisk({ risk }: Metadata): string | undefined {
  if (!isRecord(risk) || typeof risk.tier !== 'number' || ![2, 3, 4, 5].includes(risk.tier)) return undefined
  const effect = isWord(risk.effect) ? `: ${risk.effect}` : ''
  return `ARC rated this call tier ${risk.tier} of 5${effect}.`
}

function describeRules({ risk }: Metadata): string | undefined {
  const evidence = isRecord(risk) && Array.isArray(risk.evidence) ? risk.evidence.filter(isRecord) : []
  const rules = [...new Set(evidence.map(({ rule }) => rule).filter(isRule))].slice(0, MAX_RULES)
  return rules.length === 0 ? undefined : `Rules of ARC that apply: ${rules.join(', ')}.`
}

const isWord = (value: unknown): value is string => typeof value === 'string' && /^[a-z]+(?:-[a-z]+)?$/.test(value)
const isRule = (value: unknown): value is string =>
  typeof value === 'string' && value.length <= 60 && /^[a-z0-9-]+\/[a-z0-9-]+$/.test(value)
