// The events that the sample agent prints, one line of JSON each.

import type { Outcome } from '../../../engine/outcome.ts'
import type { EvaluationRecord } from '../../../trace/record.ts'

/** One step of the agent with its outcome. */
export interface SampleStep {
  readonly kind: 'step'
  /** The id in the trace. */
  readonly id: string
  readonly point: string
  /** The intended action, in one line. */
  readonly what: string
  readonly outcome: Pick<Outcome, 'decision' | 'wouldBe' | 'blocked' | 'control' | 'hook' | 'reason' | 'suggestion'>
  readonly evaluations: readonly Pick<EvaluationRecord, 'hook' | 'decision' | 'applied' | 'reason' | 'modify'>[]
  /** The result, in one line. */
  readonly result?: string
}

/** The agent waits for approval. */
export interface SampleHold {
  readonly kind: 'hold'
  readonly approval: string
  readonly waitMs: number
}

export type SampleEvent = SampleStep | SampleHold
