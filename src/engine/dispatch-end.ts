// The end of a dispatch: the notice and the evaluations are passed on, and the outcome is built.

import { DECISION_RANK, type Decision } from './decision.ts'
import { describe } from './errors.ts'
import { onRejection } from './hook.ts'
import type { Evaluation, Fault, Notice, Outcome, Sink } from './outcome.ts'
import type { PointSpec } from './points.ts'
import type { Step } from './step.ts'
import type { Answer, Verdict } from './verdict.ts'

interface Receivers {
  readonly sink: Sink | undefined
  readonly notify: ((notice: Notice) => void) | undefined
  /** Never throws. */
  readonly report: (fault: Fault) => void
}

interface DispatchEnd {
  readonly point: string
  readonly step: Step
  readonly notice: Notice | undefined
  readonly evaluations: readonly Evaluation[] | undefined
}

/** Passes the notice and the evaluations on. A failure of a receiver is reported and changes no outcome. */
export function reportEnd(
  { sink, notify, report }: Receivers,
  { point, step, notice, evaluations }: DispatchEnd,
): void {
  const send = (kind: 'sink' | 'notify', hook: string, call: () => unknown): void => {
    const failed = (error: unknown): void => report({ kind, point, hook, message: describe(error) })
    try {
      onRejection(call(), failed)
    } catch (error) {
      failed(error)
    }
  }
  if (notice !== undefined) send('notify', notice.hook, () => notify?.(notice))
  if (sink === undefined) return
  for (const evaluation of evaluations ?? []) send('sink', evaluation.hook, () => sink(evaluation, step))
}

interface Decided extends Pick<Outcome, 'decision' | 'hook' | 'data' | 'metadata'> {
  readonly spec: PointSpec
  /** The decision if every hook were in enforce. */
  readonly inEnforce: Decision
  readonly verdict: Verdict | undefined
}

/** The outcome of a dispatch. */
export function buildOutcome(decided: Decided, answer: Answer | undefined): Outcome {
  const { spec, decision, inEnforce, hook, verdict, data, metadata } = decided
  const blocked = DECISION_RANK[decision] >= DECISION_RANK.ask
  const blockMeans = verdict?.endsTurn === true ? 'break' : (spec.blockMeans ?? 'stop')
  return {
    decision,
    wouldBe: inEnforce === decision ? undefined : inEnforce,
    blocked,
    control: blocked ? blockMeans : 'proceed',
    reason: verdict?.reason,
    hook,
    suggestion: verdict?.suggestion,
    data,
    metadata,
    answer: blocked ? undefined : answer,
  }
}
