// A row of the table `trace`: its columns, and their values for a record. No SQL.

import type { Sealed } from '../../trace/seal.ts'

/** A row of the table `trace` with its whole text. All columns but the hash follow from the body and the rows before. */
export interface TraceRow {
  readonly seq: number
  readonly kind: string
  readonly component: string
  readonly action: string
  readonly decision: string | null
  /** Of an evaluation: the record of its step. */
  readonly step: number | null
  /** Null for an evaluation: its id begins with the id of its step. */
  readonly id: string | null
  readonly time: number
  readonly clock: number
  readonly session: string | null
  readonly hook: string | null
  readonly hash: string
  readonly body: string
}

/** All columns of a row. */
export const ROW_COLUMNS = [
  ...(['seq', 'step', 'time', 'clock', 'kind', 'component', 'action', 'decision', 'id', 'session', 'hook'] as const),
  ...(['hash', 'body'] as const),
]

/** The columns of a record, with its whole text. */
export function readColumns(link: Sealed): TraceRow {
  const { seq, kind, component, action, time, clock, hash, body } = link
  const { decision = null, step = null, session = null, hook = null } = link
  const id = kind === 'evaluation' ? null : link.id
  return { seq, kind, component, action, decision, step, id, time, clock, session, hook, hash, body }
}
