// What the sample agent tells whoever started it, one line of JSON for each.

import type { Outcome } from '../../../engine/outcome.ts'
import type { EvaluationRecord } from '../../../trace/record.ts'

/** One thing that the agent wanted to do, and what came of it. */
export interface SampleStep {
  readonly kind: 'step'
  /** The id of its record. */
  readonly id: string
  readonly point: string
  /** What the agent was about to do, in one line. */
  readonly what: string
  readonly outcome: Pick<Outcome, 'decision' | 'blocked' | 'control' | 'hook' | 'reason' | 'suggestion'>
  readonly evaluations: readonly Pick<EvaluationRecord, 'hook' | 'decision' | 'applied' | 'reason' | 'modify'>[]
  /** What came of it, in one line. */
  readonly result?: string
}

/** The agent waits for a person. */
export interface SampleHold {
  readonly kind: 'hold'
  readonly approval: string
  readonly waitMs: number
}

export type SampleEvent = SampleStep | SampleHold
