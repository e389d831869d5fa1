// Restores the texts of rows that are read together. An evaluation needs the row of its step, which is usually among them.

import type { StepRecord } from '../../trace/record.ts'
import {
  EvaluationContext,
  type EvaluationRow,
  type EvaluationWords,
  isPacked,
  type PackedRow,
  readList,
  readShared,
  restoreEvent,
  restoreStep,
  type SharedTexts,
  writeShared,
  writeWords,
} from './packed-record.ts'
import type { TraceRow } from './trace-row.ts'

/** For one read: it remembers the last step, which another process may remove. */
export class RowRestorer {
  readonly #readRow: (seq: number) => PackedRow | undefined
  #seq: number | undefined
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
      return row.kind === 'evaluation' ? this.readEvaluation(row, writeWords(row)) : this.#restoreList(row)
    } catch {
      // Not JSON, or a value that canonical JSON cannot have: no text of a record.
      return undefined
    }
  }

  /** The text of an evaluation whose words are known. Throws for some values. */
  readEvaluation(row: EvaluationRow, words: EvaluationWords): string | undefined {
    return this.#findStep(row.step)?.restore(row, words)
  }

  #restoreList(row: PackedRow): string | undefined {
    if (row.kind !== 'event' && row.kind !== 'step') return undefined
    const list = readList(row.body)
    if (row.kind === 'event') return restoreEvent(row, list)
    this.#remember(Number(list.seq), readShared(row, list.fields))
    return restoreStep(row, list)
  }

  #remember(seq: number, step: SharedTexts | undefined): void {
    this.#seq = seq
    this.#context = step && new EvaluationContext(step)
  }

  #findStep(seq: number | null): EvaluationContext | undefined {
    if (seq === null) return undefined
    if (seq !== this.#seq) this.#remember(seq, this.#readStep(seq))
    return this.#context
  }

  #readStep(seq: number): SharedTexts | undefined {
    const row = this.#readRow(seq)
    if (row?.kind !== 'step') return undefined
    if (isPacked(row.body)) return readShared(row, readList(row.body).fields)
    return writeShared(JSON.parse(row.body) as StepRecord)
  }
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
