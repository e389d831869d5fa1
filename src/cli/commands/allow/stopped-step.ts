// Finds the step that `arc allow` is about, and what stopped it.

import { type Approval, Approvals, type HeldStep, toHeldStep } from '../../../approvals/approvals.ts'
import { ArcError, show } from '../../../engine/errors.ts'
import { isRecord } from '../../../engine/plain-data.ts'
import { findStops, readAllowNote } from '../../../exceptions/allow-note.ts'
import type { AllowNote } from '../../../hooks/builtin/services.ts'
import { systemClock } from '../../../platform/engine-services.ts'
import { newId } from '../../../platform/ids.ts'
import type { StateStore, TraceStore } from '../../../storage/ports.ts'
import { canonicalize } from '../../../trace/canonical.ts'
import type { EvaluationRecord, StepRecord } from '../../../trace/record.ts'

/** A step that was held or blocked, or would have been in enforce. */
export interface StoppedStep {
  readonly record: StepRecord
  readonly step: HeldStep
  readonly evaluations: readonly EvaluationRecord[]
  /** The hash of its approval. */
  readonly hash: string
  /** The rules that stopped it. */
  readonly rules: readonly string[]
  /** Where an exception for this command would apply; undefined where only an approval is possible. */
  readonly bound?: { readonly project: string; readonly folder: string; readonly content: string } | undefined
  readonly hook: string
  readonly reason: string | undefined
}

/** Finds a step by its id, a unique prefix, the id of its approval, or `last`. Throws if it cannot be allowed. */
export function findStoppedStep(id: string, trace: TraceStore, state: StateStore): StoppedStep {
  const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
  const stepId = id === 'last' ? findLast(trace) : findStepId(id, trace, approvals)
  const found = trace.get(stepId)
  if (found.found !== 'step') throw new ArcError('ARC_STEP_UNKNOWN', `The step ${show(stepId)} is not on record.`)
  return readStopped(found.record, found.evaluations, approvals)
}

function findStepId(id: string, trace: TraceStore, approvals: Approvals): string {
  const found = trace.get(id)
  if (found.found === 'step') return found.record.id
  if (found.found === 'several')
    throw new ArcError('ARC_STEP_UNKNOWN', `${show(id)} is not a unique prefix: ${found.ids.join(', ')}.`)
  const held = id.length < MIN_PREFIX ? [] : approvals.list().filter((approval) => approval.id.startsWith(id))
  const [approval, ...others] = held
  if (approval === undefined) throw new ArcError('ARC_STEP_UNKNOWN', `There is no step ${show(id)}.`)
  if (others.length > 0)
    throw new ArcError(
      'ARC_STEP_UNKNOWN',
      `${show(id)} is not a unique prefix: ${held.map((one) => one.id).join(', ')}.`,
    )
  return findStepOfApproval(approval)
}

const MIN_PREFIX = 4

function findStepOfApproval({ id, status, stepId }: Approval): string {
  if (status === 'pending' && stepId !== undefined) return stepId
  const instead = stepId === undefined ? '' : ` To allow its step anew: arc allow ${stepId}.`
  throw new ArcError('ARC_APPROVAL_OVER', `The approval ${show(id)} is ${status}.${instead}`)
}

// The last step with a hook that held or blocked it, applied or not.
function findLast(trace: TraceStore): string {
  const newest = (['ask', 'block'] as const).flatMap((decision) => trace.records({ decision, limit: 1 }))
  const seqs = newest.flatMap((record) => (record.kind === 'evaluation' ? [record.step] : []))
  const [step] = seqs.length === 0 ? [] : trace.records({ steps: true, afterSeq: Math.max(...seqs) - 1, limit: 1 })
  if (step === undefined) throw new ArcError('ARC_STEP_UNKNOWN', 'No step was held or blocked yet.')
  return step.id
}

function readStopped(record: StepRecord, evaluations: readonly EvaluationRecord[], approvals: Approvals): StoppedStep {
  const stops = findStops(evaluations)
  const [first] = stops
  if (first === undefined)
    throw refused(`The step ${show(record.id)} was neither held nor blocked: its decision is ${record.decision}.`)
  const notes = stops.map((stop) => ({ stop, note: readAllowNote(stop) }))
  for (const { stop, note } of notes) requireAllowable(stop, note)
  const known = notes.flatMap(({ note }) => (note === undefined || 'never' in note ? [] : [note]))
  const step = toHeldStep({ ...record, data: isRecord(record.data) ? record.data : {} })
  const [place] = known
  const held = approvals.list().findLast(({ stepId }) => stepId === record.id)
  const isBound = known.length === notes.length && place?.project !== undefined && place.content !== undefined
  const decider = stops.findLast(({ decision }) => decision === 'block') ?? first
  return {
    ...{ record, step, evaluations },
    hash: place?.step ?? held?.hash ?? approvals.hashStep(step),
    rules: [...new Set(known.flatMap(({ rules }) => rules))],
    bound: isBound
      ? { project: place.project ?? '', folder: place.folder ?? '', content: place.content ?? '' }
      : undefined,
    ...{ hook: decider.hook, reason: decider.reason },
  }
}

function requireAllowable({ hook, decision, cause, reason }: EvaluationRecord, note: AllowNote | undefined): void {
  if (note !== undefined && 'never' in note) throw refused(`This can never be allowed (${note.never}).`)
  if (cause !== 'policy') throw refused(`The hook ${hook} failed, and a failure cannot be allowed: ${reason ?? cause}.`)
  if (note !== undefined || decision === 'ask') return
  throw refused(`The hook ${hook} blocked this, and exceptions apply only to the rules of ARC: change that hook.`)
}

function refused(message: string): ArcError {
  return new ArcError('ARC_ALLOW_REFUSED', message)
}
