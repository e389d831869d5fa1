// What a failed hook run means. This table alone decides it; nothing else turns a failure into a decision.

import type { Decision } from './decision.ts'

/** What to do when a hook fails: count it as a flag, skip the hook, or block. */
export type OnError = 'log' | 'skip' | 'abort'

/** The table: kind of failure × onError → decision. The source of docs/reference/degradation.md. */
export const DEGRADATION = {
  crash: { what: 'threw, rejected, crashed or was killed by a signal', log: 'flag', skip: 'pass', abort: 'block' },
  timeout: { what: 'gave no answer within its time limit', log: 'flag', skip: 'pass', abort: 'block' },
  start: { what: 'could not be started', log: 'flag', skip: 'pass', abort: 'block' },
  'invalid-output': { what: 'answered something that is not a verdict', log: 'flag', skip: 'pass', abort: 'block' },
  'output-limit': { what: 'answered more than the limit', log: 'flag', skip: 'pass', abort: 'block' },
} as const satisfies Record<string, { what: string } & Record<OnError, Decision>>

/** The ways in which a hook run can fail. */
export type FailureKind = keyof typeof DEGRADATION

/** Why an evaluation decided as it did: the hook's own verdict, or its failure. */
export type Cause = 'policy' | `failure:${FailureKind}`

/** The values `onError` can have. */
export const ON_ERROR: readonly OnError[] = ['skip', 'log', 'abort']

/** A failed run, as a value. A handler may return one to report a failure that is not an exception. */
export class Failure {
  readonly kind: FailureKind
  readonly message: string

  constructor(kind: FailureKind, message: string) {
    this.kind = kind
    this.message = message
  }
}

/** The decision that a failure counts as. Throws on a kind that is not in the table. */
export function degrade(kind: FailureKind, onError: OnError): Decision {
  if (!Object.hasOwn(DEGRADATION, kind)) throw new TypeError(`there is no failure kind ${String(kind)}`)
  return DEGRADATION[kind][onError]
}
