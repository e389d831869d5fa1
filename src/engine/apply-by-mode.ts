// What a verdict does at a point in a mode: recorded, suggested or applied. Pure; changes nothing itself.

import { isAtLeast, type Mode } from './mode.ts'
import type { PointSpec } from './points.ts'
import { type Answer, DECISION_RANK, type Decision, type Dropped, type Verdict } from './verdict.ts'

/** What becomes of a verdict. */
export interface AppliedVerdict {
  /** What it counts for in the outcome: a hold or block that is not applied counts as a flag. */
  readonly counts: Decision
  /** Does it change what happens? */
  readonly applied: boolean
  readonly edit?: Readonly<Record<string, unknown>> | undefined
  readonly answer?: Answer | undefined
  readonly context?: readonly string[] | undefined
  readonly dropped?: readonly Dropped[] | undefined
}

/** Settles one verdict. `isAlwaysBlocked`: a block that holds in every mode in which hooks run. */
export function applyByMode(verdict: Verdict, spec: PointSpec, mode: Mode, isAlwaysBlocked = false): AppliedVerdict {
  const isEnforced = mode === 'enforce'
  const isStrong = DECISION_RANK[verdict.decision] >= DECISION_RANK.ask
  const isHeld = isStrong && spec.canAbort && (isEnforced || (isAlwaysBlocked && verdict.decision === 'block'))
  const isBlocked = isHeld && verdict.decision === 'block'
  // Nothing else of a block matters: the action it would change does not run.
  const edit = isEnforced && !isBlocked ? verdict.edit : undefined
  const answer = isEnforced && !isBlocked ? verdict.answer : undefined
  return {
    counts: isStrong && !isHeld ? 'flag' : verdict.decision,
    applied: isHeld || edit !== undefined || answer !== undefined,
    edit,
    answer,
    context: isAtLeast(mode, 'advise') ? verdict.context : undefined,
    dropped: isStrong && !spec.canAbort ? [...(verdict.dropped ?? []), cannotAbort(verdict.decision)] : verdict.dropped,
  }
}

function cannotAbort(decision: Decision): Dropped {
  return { field: decision, why: 'this point cannot be aborted' }
}
