// What enforce would have done with a step. Computed from the evaluations, so that records of versions without
// `outcome.wouldBe` give the same answer.

import { DECISION_RANK, isStrong } from '../engine/decision.ts'
import type { EvaluationRecord, StepRecord } from './record.ts'

type Verdict = Pick<EvaluationRecord, 'decision' | 'applied' | 'skipped' | 'dropped'>

/** Would the hook have blocked or held the step in enforce? False where it did, and at a point that cannot be aborted. */
export function wouldStop({ decision, applied, skipped, dropped }: Verdict): boolean {
  if (!isStrong(decision) || applied || skipped !== undefined) return false
  return dropped?.some(({ field }) => field === decision) !== true
}

/**
 * The first evaluation with the strongest decision that enforce would have applied; undefined where the outcome is as
 * strong. Its decision is `outcome.wouldBe`.
 */
export function findWouldBe(step: StepRecord, evaluations: readonly EvaluationRecord[]): EvaluationRecord | undefined {
  let found: EvaluationRecord | undefined
  for (const evaluation of evaluations) {
    const least = found?.decision ?? step.outcome.decision
    if (wouldStop(evaluation) && DECISION_RANK[evaluation.decision] > DECISION_RANK[least]) found = evaluation
  }
  return found
}
