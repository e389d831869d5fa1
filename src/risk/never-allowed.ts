// What no exception may let pass: catastrophes, secrets, and changes of ARC itself. One table for `arc allow`, for the
// loader of the configuration and for the hooks.

import type { Evidence } from './assessment.ts'

/** Why a finding cannot be allowed by an exception. */
export type NeverAllowed = 'catastrophe' | 'secrets' | 'guard'

// Rules about secrets in the packs of programs.
const SECRET_RULES: ReadonlySet<string> = new Set([
  'clouds/aws-secrets',
  'interpreters/secret',
  'platforms/secrets-shown',
])

/** Why no exception may allow a finding; undefined if one may. */
export function readNeverAllowed({ rule, tier }: Pick<Evidence, 'rule' | 'tier'>): NeverAllowed | undefined {
  const [pack] = rule.split('/')
  if (pack === 'guard') return 'guard'
  if (pack === 'secrets' || SECRET_RULES.has(rule)) return 'secrets'
  return tier >= 5 ? 'catastrophe' : undefined
}

const WORDING: Readonly<Record<NeverAllowed, string>> = {
  catastrophe: 'it is a catastrophe (tier 5)',
  secrets: 'it shows or sends secrets',
  guard: 'it changes ARC itself or the settings of an agent',
}

/**
 * The same as text for people.
 * @example
 * whyNeverAllowed({ rule: 'secrets/print-key', tier: 4 }) // 'it shows or sends secrets'
 */
export function whyNeverAllowed(finding: Pick<Evidence, 'rule' | 'tier'>): string | undefined {
  const why = readNeverAllowed(finding)
  return why === undefined ? undefined : WORDING[why]
}
