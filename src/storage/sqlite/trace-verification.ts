// Verifies the chain page by page. Each page is a separate short read, so that the WAL can be checkpointed in between;
// records that are appended meanwhile are verified too, and records that retention removes meanwhile are skipped.

import {
  type BadRecord,
  ChainCheck,
  type Checkpoint,
  findLostTail,
  findStartFlaw,
  type Verification,
} from '../../trace/chain.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type Head, readSealed } from '../../trace/seal.ts'
import type { Connection } from './connection.ts'
import type { Database } from './driver/driver.ts'
import { checkPageText, NO_PAGE, preparePageText } from './page-check.ts'
import { readColumns, type TraceRow } from './trace-row.ts'
import { TraceRows } from './trace-rows.ts'

/** Which part of the chain to verify; default all of it. */
export interface VerifyRange {
  /** Start after this record; with a hash it must still be the same one. */
  readonly after?: { readonly seq: number; readonly hash?: string | undefined } | undefined
  /** Stop at this record instead of the head. */
  readonly upTo?: number | undefined
  /** The records of a page. */
  readonly pageSize?: number | undefined
}

export type VerifyStatements = ReturnType<typeof prepareVerification>

// Larger pages take longer for each record: SQLite builds the text of a page in memory.
const PAGE = 250
// The store writes no number below 1, but a tampered file may have one.
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/** The statements that a verification needs. */
export function prepareVerification(db: Database) {
  return { rows: new TraceRows(db), pageText: preparePageText(db) }
}

/**
 * A verification under way.
 * @example
 * const walk = new ChainWalk(connection)
 * while (walk.next()) showProgress(walk.records)
 * walk.result()
 */
export class ChainWalk {
  readonly #connection: Connection<VerifyStatements>
  readonly #range: VerifyRange
  #progress: Progress = { records: 0, isDone: false }

  constructor(connection: Connection<VerifyStatements>, range: VerifyRange = {}) {
    this.#connection = connection
    this.#range = range
  }

  /** How many records were found good so far. */
  get records(): number {
    return this.#progress.records
  }

  /** The last record that was found good. */
  get last(): Checkpoint | undefined {
    return this.#progress.last
  }

  /** Verifies the next page; false at the end. At the head, a later call continues with the records since. */
  next(): boolean {
    if (this.#progress.firstBad !== undefined) return false
    // Replaced as a whole, since the work of a read may be repeated.
    this.#progress = this.#connection.read((statements) => checkNext(statements, this.#progress, this.#range))
    return !this.#progress.isDone
  }

  result(): Verification {
    const { records, firstBad, cut, last } = this.#progress
    const end = last && { seq: last.seq, hash: last.hash }
    if (firstBad !== undefined) return { ok: false, records, firstBad, cut }
    return { ok: true, records, cut, head: end }
  }
}

interface Progress {
  readonly records: number
  readonly isDone: boolean
  /** The last good record; undefined before the first page. */
  readonly last?: Head | undefined
  readonly cut?: Checkpoint | undefined
  readonly firstBad?: BadRecord | undefined
}

function checkNext(statements: VerifyStatements, before: Progress, range: VerifyRange): Progress {
  const { rows } = statements
  const { seq, hash, clock } = rows.end('cut')
  const cut = seq > 0 ? { seq, hash } : undefined
  const progress = { ...before, cut }
  if (before.last !== undefined && before.last.seq >= seq) return checkPage(statements, progress, before.last, range)
  // Retention may have passed this position, or the start of the range.
  const start = before.last === undefined ? readStart(rows, range, seq) : undefined
  if (start !== undefined && 'flaw' in start) return { ...progress, isDone: true, firstBad: start }
  return checkPage(statements, progress, start ?? { seq, hash, clock }, range)
}

// Undefined for the cut.
function readStart(rows: TraceRows, { after }: VerifyRange, cut: number): Head | BadRecord | undefined {
  if (after === undefined || after.seq <= cut) return undefined
  const row = rows.bySeq(after.seq)
  return findStartFlaw(after, row?.hash) ?? (row && { seq: row.seq, hash: row.hash, clock: row.clock })
}

function checkPage(statements: VerifyStatements, progress: Progress, start: Head, range: VerifyRange): Progress {
  const { rows, pageText } = statements
  const { upTo = Number.MAX_SAFE_INTEGER, pageSize = PAGE } = range
  // Records before the first one of the chain would be tampering, so the first page looks for them.
  const isFirst = progress.last === undefined && range.after === undefined
  const after = isFirst ? BEFORE_ALL : start.seq
  const page = pageText.get(after, upTo, pageSize) ?? NO_PAGE
  if (page.count === 0) return finish(progress, start, range.upTo === undefined ? rows.end('head') : { seq: upTo })
  const end = checkPageText(page, start, rows.restorer()) ?? checkRows(rows.page(after, page.count), start)
  const records = progress.records + Math.max(0, end.seq - start.seq)
  if ('firstBad' in end) return { ...progress, records, isDone: true, firstBad: end.firstBad }
  return { ...progress, records, last: end, isDone: end.seq === range.upTo }
}

/** What is wrong with the records after `start`, up to `upTo`: for a few records. */
export function checkRange({ rows, pageText }: VerifyStatements, start: Head, upTo: number): BadRecord | undefined {
  const page = pageText.get(start.seq, upTo, upTo - start.seq) ?? NO_PAGE
  const end = checkPageText(page, start, rows.restorer()) ?? checkRows(rows.page(start.seq, page.count), start)
  return 'firstBad' in end ? end.firstBad : findLostTail(end, { seq: upTo, hash: end.hash })
}

// Every record so far is good: is the last one the end?
function finish(progress: Progress, last: Head, head: { readonly seq: number; readonly hash?: string }): Progress {
  const firstBad = findLostTail(last, { seq: head.seq, hash: head.hash ?? last.hash })
  return { ...progress, last, isDone: true, firstBad }
}

function checkRows(
  page: readonly TraceRow[],
  start: Head,
): Head | { readonly seq: number; readonly firstBad: BadRecord } {
  const columns = new ColumnCheck(start.clock)
  const check = new ChainCheck<TraceRow>({ from: start, check: (row) => columns.find(row) })
  for (const row of page) if (!check.add(row)) break
  const { firstBad } = check.end()
  const { seq, hash } = check.last
  return firstBad === undefined ? { seq, hash, clock: columns.clock } : { seq, firstBad }
}

// Only the body is hashed: the columns must have the same values.
class ColumnCheck {
  clock: number

  constructor(clockBefore: number) {
    this.clock = clockBefore
  }

  /** What is wrong with the columns of a record. */
  find(row: TraceRow): string | undefined {
    const sealed = readSealed(JSON.parse(row.body) as TraceRecord, this.clock, row.seq, row.body, row.hash)
    this.clock = sealed.clock
    const expected = readColumns(sealed)
    const wrong = (Object.keys(expected) as (keyof TraceRow)[]).find((name) => row[name] !== expected[name])
    return wrong === undefined ? undefined : `its ${wrong} is stored as ${JSON.stringify(row[wrong])}`
  }
}
