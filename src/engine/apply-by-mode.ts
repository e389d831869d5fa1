// The effect of a verdict at a point in a mode: recorded, suggested or applied. Pure functions.

import { describe } from './errors.ts'
import type { RegisteredHook } from './hook.ts'
import { isAtLeast, type Mode } from './mode.ts'
import type { Fault, Notice } from './outcome.ts'
import { frozenCopy, mergePlain } from './plain-data.ts'
import type { PointSpec } from './points.ts'
import { type Answer, DECISION_RANK, type Decision, type Dropped, type Verdict } from './verdict.ts'

/** What can be carried out of a verdict, by the caller of the dispatch. */
export interface Applicable {
  readonly block: boolean
  readonly ask: boolean
  /** Can the edit of the verdict be used? */
  readonly edit: boolean
  /** Who cannot, for the record. */
  readonly who: string
}

/** The effect of a verdict. */
export interface AppliedVerdict {
  /** The verdict as it counts: an edit that cannot be used is a block where the action can still be stopped. */
  readonly verdict: Verdict
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

const EVERYTHING: Applicable = { block: true, ask: true, edit: true, who: 'the caller' }

/** Decides the effect of a verdict. `isAlwaysBlocked`: the block applies in every mode in which hooks run. */
export function applyByMode(
  given: Verdict,
  spec: PointSpec,
  mode: Mode,
  isAlwaysBlocked = false,
  can: Applicable = EVERYTHING,
): AppliedVerdict {
  const verdict = stopUnusableEdit(given, spec, can)
  const isEnforced = mode === 'enforce'
  const isStrong = DECISION_RANK[verdict.decision] >= DECISION_RANK.ask
  const obstacle = isStrong ? findObstacle(verdict.decision, spec, can) : undefined
  const isHeld = isStrong && obstacle === undefined && (isEnforced || (isAlwaysBlocked && verdict.decision === 'block'))
  const isBlocked = isHeld && verdict.decision === 'block'
  const isCorrected = verdict !== given
  // Nothing else of a block matters: the action it would change does not run. A corrected call is shown to the agent.
  const edit = isEnforced && (can.edit ? !isBlocked : isCorrected) ? verdict.edit : undefined
  const answer = isEnforced && !isBlocked ? verdict.answer : undefined
  const dropped = [...(obstacle === undefined ? [] : [obstacle]), ...describeUnusedEdit(verdict, can)]
  return {
    verdict,
    counts: isStrong && !isHeld ? 'flag' : verdict.decision,
    countsInEnforce: obstacle === undefined ? verdict.decision : 'flag',
    applied: isHeld || edit !== undefined || answer !== undefined,
    edit,
    answer,
    context: isAtLeast(mode, 'advise') ? verdict.context : undefined,
    dropped: dropped.length === 0 ? verdict.dropped : [...(verdict.dropped ?? []), ...dropped],
  }
}

/** The name in the metadata of a step under which a block says which field the caller could not change. */
export const UNUSED_EDIT = 'unappliedEdit'

// The action must not run unchanged: it is stopped, and the agent can make the corrected call itself.
function stopUnusableEdit(verdict: Verdict, spec: PointSpec, can: Applicable): Verdict {
  const { edit, decision, reason, metadata } = verdict
  if (edit === undefined || can.edit || decision === 'block' || !can.block) return verdict
  if (!spec.canAbort || spec.blockMeans !== undefined) return verdict
  const fields = Object.keys(edit).join(', ')
  const why = `${can.who} cannot apply the change of ${fields}`
  return {
    ...verdict,
    decision: 'block',
    reason: reason === undefined ? why : `${reason} (${why})`,
    metadata: { ...metadata, [UNUSED_EDIT]: fields },
  }
}

interface BlockServices {
  /** The action cannot be stopped any more. */
  readonly isObserving?: boolean
  readonly report: (fault: Fault) => void
}

/** Does the block of a hook hold in every mode? If `alwaysBlocks` itself throws, it does. */
export function isAlwaysBlock(
  { alwaysBlocks }: Pick<RegisteredHook, 'alwaysBlocks'>,
  verdict: Verdict,
  point: string,
  { isObserving = false, report }: BlockServices,
): boolean {
  if (alwaysBlocks === undefined || verdict.decision !== 'block' || isObserving) return false
  try {
    return alwaysBlocks(verdict)
  } catch (error) {
    report({ kind: 'hook', point, message: `alwaysBlocks: ${describe(error)}` })
    return true
  }
}

type Metadata = Readonly<Record<string, unknown>>

/** The metadata of a step after a verdict: the verdict's own, texts for the agent, suggestions for the user. */
export function addMetadata(metadata: Metadata, hook: string, mode: Mode, applied: AppliedVerdict): Metadata {
  const { verdict } = applied
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
    const cannot = applied.dropped?.find(({ field }) => field === decision)?.why
    append('suggestions', [Object.freeze({ hook, decision, reason, suggestion, modify, ...(cannot && { cannot }) })])
  }
  return Object.keys(added).length === 0 ? metadata : Object.freeze(mergePlain(metadata, added))
}

/** The notice of a step so far: the first of the strictest, what is applied before what is not. */
export function stricterNotice(known: Notice | undefined, next: Notice): Notice {
  if (known === undefined) return next
  const isStricter =
    next.applied === known.applied ? DECISION_RANK[next.decision] > DECISION_RANK[known.decision] : next.applied
  return isStricter ? next : known
}

function findObstacle(decision: Decision, spec: PointSpec, can: Applicable): Dropped | undefined {
  if (!spec.canAbort) return { field: decision, why: 'this point cannot be aborted' }
  if (!can.block) return { field: decision, why: `${can.who} cannot stop this event` }
  return decision === 'ask' && !can.ask ? { field: decision, why: `${can.who} cannot ask at this event` } : undefined
}

function describeUnusedEdit({ edit, decision }: Verdict, can: Applicable): readonly Dropped[] {
  if (edit === undefined || can.edit || decision === 'block') return []
  return Object.keys(edit).map((field) => ({ field, why: `${can.who} cannot change this here` }))
}
