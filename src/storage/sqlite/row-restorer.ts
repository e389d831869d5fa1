// Restores the texts of rows that are read together. An evaluation needs the row of its step, which is usually among them.

import type { StepRecord } from '../../trace/record.ts'
import {
  EvaluationContext,
  isPacked,
  type PackedRow,
  readFields,
  restoreEvent,
  restoreStep,
  type SharedFields,
} from './packed-record.ts'
import type { TraceRow } from './trace-row.ts'

/** For one read: it remembers the last step, which another process may remove. */
export class RowRestorer {
  readonly #readRow: (seq: number) => PackedRow | undefined
  #seq: unknown
  #context: EvaluationContext | undefined

  /** `readRow` reads a row as it is stored. */
  constructor(readRow: (seq: number) => PackedRow | undefined) {
    this.#readRow = readRow
  }

  /** The row with its whole text. A row that was tampered with gets a text that does not fit its hash. */
  restore(row: TraceRow): TraceRow {
    if (!isPacked(row.body)) return row
    const body = this.readText(row) ?? showNumber(row.body)
    const session = row.kind === 'evaluation' ? (row.session ?? this.#context?.session ?? null) : row.session
    return { ...row, session, body }
  }

  /** The text of a packed row; undefined if it was tampered with. */
  readText(row: PackedRow): string | undefined {
    try {
      return row.kind === 'evaluation' ? this.#findStep(row.step)?.restore(row) : this.#restoreList(row)
    } catch {
      // Not JSON, or a value that canonical JSON cannot have: no text of a record.
      return undefined
    }
  }

  #restoreList(row: PackedRow): string | undefined {
    const [seq, given] = JSON.parse(row.body) as readonly unknown[]
    const fields = readFields(given)
    if (row.kind === 'event') return restoreEvent(row, seq, fields)
    if (row.kind !== 'step') return undefined
    this.#remember(seq, readShared(row, fields))
    return restoreStep(row, seq, fields)
  }

  #remember(seq: unknown, step: SharedFields | undefined): void {
    this.#seq = seq
    this.#context = step && new EvaluationContext(step)
  }

  #findStep(seq: number | null): EvaluationContext | undefined {
    if (seq === null) return undefined
    if (seq !== this.#seq) this.#remember(seq, this.#readStep(seq))
    return this.#context
  }

  #readStep(seq: number): SharedFields | undefined {
    const row = this.#readRow(seq)
    if (row?.kind !== 'step') return undefined
    const read: unknown = JSON.parse(row.body)
    return Array.isArray(read) ? readShared(row, readFields(read[1])) : (read as StepRecord)
  }
}

function readShared({ id, session }: PackedRow, fields: Readonly<Record<string, unknown>>): SharedFields {
  const { agent, host, point, profile, tool, turn } = fields as unknown as SharedFields
  return { agent, host, id: id ?? '', point, profile, session: session ?? undefined, tool, turn }
}

// With its number the chain can say that a record is out of order.
function showNumber(body: string): string {
  try {
    const values: unknown = JSON.parse(body)
    return Array.isArray(values) && typeof values[0] === 'number' ? `{"seq":${values[0]}}` : body
  } catch {
    return body
  }
}
