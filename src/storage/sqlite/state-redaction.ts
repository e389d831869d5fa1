// What of the state is kept without its secrets, by the beginning of its key: one table, used by the single writer.
// Values that are compared (hashes, versions, counters) hold no secrets; texts that people are shown may.

import { Redactor } from '../../trace/redact.ts'

/** What is done with the values under a prefix. */
interface StateRule {
  readonly prefix: string
  /**
   * `hide`: secrets are replaced. `cautious`: only single words are, since a person decides by the text.
   * `exact`: kept as it is.
   */
  readonly treatment: 'hide' | 'cautious' | 'exact'
  /** Fields at any depth that are used again and stay as they are. */
  readonly exactFields?: ReadonlySet<string>
  readonly why: string
}

// What is in no row is hidden: a new kind of value is safe before anybody thinks of it.
const STATE_RULES: readonly StateRule[] = [
  {
    prefix: 'call:',
    treatment: 'hide',
    exactFields: new Set(['data', 'id', 'rules']),
    why: 'a repeated call gets the edited arguments again, exactly; ids are compared; reasons and metadata are shown',
  },
  {
    prefix: 'approval:',
    treatment: 'cautious',
    why: 'the hash is compared; the step is shown to the person who answers',
  },
  { prefix: 'approvals-', treatment: 'exact', why: 'ids, hashes and times of approvals' },
  { prefix: 'trust:', treatment: 'exact', why: 'hashes of project files' },
  { prefix: 'watchdog/', treatment: 'exact', why: 'what has to be resumed' },
  { prefix: 'breaker:', treatment: 'exact', why: 'counters' },
  { prefix: 'daemon:', treatment: 'exact', why: 'times and counters' },
  { prefix: 'host-seen:', treatment: 'exact', why: 'names of events and times' },
]

/** Replaces the secrets in values before they are written. */
export class StateRedactor {
  readonly #full = new Redactor({ env: process.env })
  readonly #cautious = new Redactor({ env: process.env, isCautious: true })

  /** The value as it is kept under this key. Plain JSON only. */
  clean(key: string, value: unknown): unknown {
    // Most values are a number or a digest.
    if (typeof value !== 'object' && typeof value !== 'string') return value
    const rule = STATE_RULES.find(({ prefix }) => key.startsWith(prefix))
    if (rule?.treatment === 'exact') return value
    const redactor = rule?.treatment === 'cautious' ? this.#cautious : this.#full
    return redactor.hide(value, rule?.exactFields)
  }
}
