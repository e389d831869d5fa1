// What the record of a step says about allowing it: read by `arc allow`, `arc why` and the dashboard.

import { isRecord } from '../engine/plain-data.ts'
import type { AllowNote } from '../hooks/builtin/services.ts'
import type { EvaluationRecord } from '../trace/record.ts'

/** The evaluations that held or blocked the step, or would have in enforce. */
export function findStops(evaluations: readonly EvaluationRecord[]): readonly EvaluationRecord[] {
  return evaluations.filter(
    ({ decision, skipped }) => (decision === 'ask' || decision === 'block') && skipped === undefined,
  )
}

/** The note of an evaluation; undefined for a hook without exceptions. */
export function readAllowNote({ metadata }: Pick<EvaluationRecord, 'metadata'>): AllowNote | undefined {
  const note = isRecord(metadata) ? metadata.allow : undefined
  return isRecord(note) ? (note as unknown as AllowNote) : undefined
}

/** Whether rules stopped the step and `arc allow` can let it run. */
export function canBeAllowed(evaluations: readonly EvaluationRecord[]): boolean {
  const stops = findStops(evaluations)
  return stops.length > 0 && stops.every((stop) => stop.cause === 'policy' && isAllowable(readAllowNote(stop)))
}

function isAllowable(note: AllowNote | undefined): boolean {
  return note !== undefined && !('never' in note)
}
