// What no exception may let pass: catastrophes, secrets, and changes of ARC itself. One table for `arc allow`, for the
// loader of the configuration and for the hooks.

import type { Evidence } from './assessment.ts'

/** Rules about secrets outside the pack `secrets`. */
const SECRET_RULES: ReadonlySet<string> = new Set([
  'clouds/aws-secrets',
  'interpreters/secret',
  'platforms/secrets-shown',
])

/**
 * Why a finding can never be allowed; undefined where the user may allow it.
 * @example
 * whyNeverAllowed({ rule: 'secrets/print-key', tier: 4 }) // 'it shows or sends secrets'
 */
export function whyNeverAllowed({ rule, tier }: Pick<Evidence, 'rule' | 'tier'>): string | undefined {
  const [pack] = rule.split('/')
  if (pack === 'guard') return 'it changes ARC itself or the settings of an agent'
  if (pack === 'secrets' || SECRET_RULES.has(rule)) return 'it shows or sends secrets'
  return tier >= 5 ? 'it is a catastrophe (tier 5)' : undefined
}
