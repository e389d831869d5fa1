// The effect of a verdict at a point in a mode: recorded, suggested or applied. Pure functions.

import { isAtLeast, type Mode } from './mode.ts'
import { frozenCopy, mergePlain } from './plain-data.ts'
import type { PointSpec } from './points.ts'
import { type Answer, DECISION_RANK, type Decision, type Dropped, type Verdict } from './verdict.ts'

/** The effect of a verdict. */
export interface AppliedVerdict {
  /** What it counts for in the outcome: a hold or block that is not applied counts as a flag. */
  readonly counts: Decision
  /** What it would count for in enforce. */
  readonly countsInEnforce: Decision
  /** Does it change what happens? */
  readonly applied: boolean
  readonly edit?: Readonly<Record<string, unknown>> | undefined
  readonly answer?: Answer | undefined
  readonly context?: readonly string[] | undefined
  readonly dropped?: readonly Dropped[] | undefined
}

/** Decides the effect of a verdict. `isAlwaysBlocked`: the block applies in every mode in which hooks run. */
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
    countsInEnforce: isStrong && !spec.canAbort ? 'flag' : verdict.decision,
    applied: isHeld || edit !== undefined || answer !== undefined,
    edit,
    answer,
    context: isAtLeast(mode, 'advise') ? verdict.context : undefined,
    dropped: isStrong && !spec.canAbort ? [...(verdict.dropped ?? []), cannotAbort(verdict.decision)] : verdict.dropped,
  }
}

type Metadata = Readonly<Record<string, unknown>>

/** The metadata of a step after a verdict: the verdict's own, texts for the agent, suggestions for the user. */
export function addMetadata(
  metadata: Metadata,
  hook: string,
  mode: Mode,
  verdict: Verdict,
  applied: AppliedVerdict,
): Metadata {
  const added: Record<string, unknown> = { ...verdict.metadata }
  const append = (key: string, items: readonly unknown[]): void => {
    const present = added[key] ?? metadata[key]
    added[key] = Object.freeze([...(Array.isArray(present) ? present : []), ...items])
  }
  if (applied.context !== undefined) append('additionalContext', applied.context)
  if (verdict.stopReason !== undefined && applied.applied) added.stopReason = verdict.stopReason
  const isUnusedEdit = verdict.edit !== undefined && applied.edit === undefined
  const isAdvice = verdict.decision !== 'pass' || verdict.suggestion !== undefined || isUnusedEdit
  if (isAdvice && isAtLeast(mode, 'advise')) {
    const { decision, reason, suggestion } = verdict
    const modify = isUnusedEdit ? frozenCopy(verdict.edit) : undefined
    append('suggestions', [Object.freeze({ hook, decision, reason, suggestion, modify })])
  }
  return Object.keys(added).length === 0 ? metadata : Object.freeze(mergePlain(metadata, added))
}

function cannotAbort(decision: Decision): Dropped {
  return { field: decision, why: 'this point cannot be aborted' }
}
