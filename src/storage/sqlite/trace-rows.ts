// The statements of the trace's tables, prepared once per connection. Queries by filter are in trace-reader.ts.

import type { Counter } from '../../trace/counter-deltas.ts'
import type { TraceRecord } from '../../trace/record.ts'
import type { Sealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import { packBody } from './packed-record.ts'
import { RowRestorer } from './row-restorer.ts'
import { ROW_COLUMNS, readColumns, type TraceRow } from './trace-row.ts'

/** One end of the chain: the cut before its first record, or the head, its last. */
export interface ChainEnd {
  readonly seq: number
  readonly hash: string
  readonly clock: number
  /** Of the head only: the total length of all bodies. */
  readonly bytes: number
}

type CounterRow = Counter & { readonly count: number }

// The names in a tally.
const COUNTERS_PER_HOUR = 6

export class TraceRows {
  readonly #end: Statement<[string], ChainEnd>
  readonly #setEnd: Statement<[number, string, number, number, string]>
  readonly #insert: Statement<(string | number | null)[]>
  readonly #count: Statement<[string, string, string, number]>
  readonly #counters: Statement<[number], CounterRow>
  readonly #page: Statement<[number, number], TraceRow>
  readonly #bySeq: Statement<[number], TraceRow>
  readonly #clock: Statement<[number], number>
  readonly #lastStep: Statement<[], TraceRow>
  readonly #byId: Statement<[string], TraceRow>
  readonly #nextId: Statement<[string], string>
  readonly #stepUpTo: Statement<[number], number>
  readonly #upTo: Statement<[number], TraceRow>
  readonly #removeUpTo: Statement<[number]>

  constructor(db: Database) {
    const row = `SELECT ${ROW_COLUMNS.join(', ')} FROM trace`
    this.#end = db.prepare('SELECT seq, hash, clock, bytes FROM trace_end WHERE name = ?')
    this.#setEnd = db.prepare('UPDATE trace_end SET seq = ?, hash = ?, clock = ?, bytes = ? WHERE name = ?')
    this.#insert = db.prepare(
      `INSERT INTO trace (seq, kind, component, action, decision, step, id, time, clock, session, hook, hash, body)
       VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
    )
    this.#count = db.prepare(
      `INSERT INTO trace_counter (scope, key, name, count) VALUES (?, ?, ?, ?)
       ON CONFLICT (scope, key, name) DO UPDATE SET count = count + excluded.count`,
    )
    this.#counters = db.prepare(
      `SELECT scope, key, name, count FROM
         (SELECT * FROM trace_counter WHERE scope IN ('records', 'total', 'hook')
          UNION ALL SELECT * FROM (SELECT * FROM trace_counter WHERE scope = 'hour' ORDER BY key DESC LIMIT ?))`,
    )
    this.#page = db.prepare(`${row} WHERE seq > ? ORDER BY seq LIMIT ?`)
    this.#bySeq = db.prepare(`${row} WHERE seq = ?`)
    this.#clock = db.prepare<[number], number>('SELECT clock FROM trace WHERE seq = ?').pluck()
    this.#lastStep = db.prepare(`${row} WHERE trace.kind = 'step' ORDER BY seq DESC LIMIT 1`)
    this.#byId = db.prepare(`${row} WHERE trace.id = ? ORDER BY seq DESC LIMIT 1`)
    // Qualified: ORDER BY prefers the name of a result column, which may be bytes.
    this.#nextId = db
      .prepare<[string], string>('SELECT id FROM trace WHERE trace.id > ? ORDER BY trace.id LIMIT 1')
      .pluck()
    this.#stepUpTo = db
      .prepare<[number], number>('SELECT seq FROM trace WHERE seq <= ? AND step IS NULL ORDER BY seq DESC LIMIT 1')
      .pluck()
    this.#upTo = db.prepare(`${row} WHERE seq <= ? ORDER BY seq`)
    this.#removeUpTo = db.prepare('DELETE FROM trace WHERE seq <= ?')
  }

  end(name: 'cut' | 'head'): ChainEnd {
    // Without its row a chain counts as empty; verification then finds records that should not be there.
    return this.#end.get(name) ?? { seq: 0, hash: '', clock: 0, bytes: 0 }
  }

  setEnd(name: 'cut' | 'head', { seq, hash, clock, bytes }: ChainEnd): void {
    this.#setEnd.run(seq, hash, clock, bytes, name)
  }

  insert(link: Sealed, record: TraceRecord): void {
    const { seq, kind, component, action, decision, step, id, time, clock, session, hook, hash } = readColumns(link)
    const ownSession = kind === 'evaluation' ? null : session
    const body = packBody(record)
    this.#insert.run(seq, kind, component, action, decision, step, id, time, clock, ownSession, hook, hash, body)
  }

  addToCounters(rows: Iterable<CounterRow>): void {
    for (const { scope, key, name, count } of rows) this.#count.run(scope, key, name, count)
  }

  /** All counters; of the hours only the newest. */
  counters(hours: number): CounterRow[] {
    return this.#counters.all(hours * COUNTERS_PER_HOUR)
  }

  /** The records after this number, in order. */
  page(after: number, limit: number): TraceRow[] {
    return this.restore(this.#page.all(after, limit))
  }

  bySeq(seq: number): TraceRow | undefined {
    return this.#restoreOne(this.#bySeq.get(seq))
  }

  /** Rows as they are stored, with their whole texts. */
  restore(rows: readonly TraceRow[]): TraceRow[] {
    const restorer = this.restorer()
    return rows.map((row) => restorer.restore(row))
  }

  /** Restores the rows of one read. */
  restorer(): RowRestorer {
    return new RowRestorer((seq) => this.#bySeq.get(seq))
  }

  /** The last step or event up to this number; the number itself if there is none. */
  stepUpTo(seq: number): number {
    return this.#stepUpTo.get(seq) ?? seq
  }

  clock(seq: number): number | undefined {
    return this.#clock.get(seq)
  }

  lastStep(): TraceRow | undefined {
    return this.#restoreOne(this.#lastStep.get())
  }

  /** The newest step or event with this id. */
  byId(id: string): TraceRow | undefined {
    return this.#restoreOne(this.#byId.get(id))
  }

  /** The next id in order. */
  nextId(id: string): string | undefined {
    return this.#nextId.get(id)
  }

  /** The number of records up to here, and the length of their texts. */
  sizeUpTo(seq: number): { readonly bytes: number; readonly count: number } {
    const rows = this.restore(this.#upTo.all(seq))
    return { bytes: rows.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0), count: rows.length }
  }

  removeUpTo(seq: number): void {
    this.#removeUpTo.run(seq)
  }

  #restoreOne(row: TraceRow | undefined): TraceRow | undefined {
    return row && this.restorer().restore(row)
  }
}
