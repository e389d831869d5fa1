// Checks a page of records quickly: SQLite joins the page into one text, which is faster to read than rows. It only ever
// says that a page is good: whatever is unusual is left to the precise check of single records, so that both always agree.

import { linkHash } from '../../trace/chain.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type Head, readSealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import { isPacked, type PackedRow } from './packed-record.ts'
import type { RowRestorer } from './row-restorer.ts'
import { readColumns } from './trace-rows.ts'

/** A page as one text: a line per record, with its columns, separated by tabs. */
export interface PageText {
  readonly count: number
  readonly text: string | null
}

const COLUMNS = [
  ...(['body', 'seq', 'kind', 'component', 'action', 'time', 'clock', 'hash'] as const),
  ...(['decision', 'step', 'id', 'session', 'hook'] as const),
]
// A value has a mark before it, so that no value looks like NULL. Not empty: some versions of concat_ws skip empty texts.
const NULLABLE = ['decision', 'step', 'id', 'session', 'hook']
const MARK = '='
const NULL_MARK = '-'

/** Selects the records after a number, up to another, as a page. A body has no line end and no tab: JSON escapes them. */
export function preparePageText(db: Database): Statement<[number, number, number], PageText> {
  const columns = COLUMNS.map((name) =>
    NULLABLE.includes(name) ? `coalesce('${MARK}' || ${name}, '${NULL_MARK}')` : name,
  )
  const line = `concat_ws(char(9), ${columns.join(', ')})`
  return db.prepare(
    `SELECT count, text FROM (
       SELECT count(*) AS count, group_concat(line, char(10)) AS text FROM (
         SELECT ${line} AS line FROM trace WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?))`,
  )
}

/** The end of a good page that follows `before`; undefined for a page that has to be checked precisely. */
export function checkPageText({ count, text }: PageText, before: Head, restorer: RowRestorer): Head | undefined {
  const lines = text?.split('\n') ?? []
  if (lines.length !== count) return undefined
  let last = before
  for (const line of lines) {
    const end = checkLine(line, last, restorer)
    if (end === undefined) return undefined
    last = end
  }
  return last
}

function checkLine(line: string, before: Head, restorer: RowRestorer): Head | undefined {
  try {
    return isPacked(line) ? checkPacked(line, before, restorer) : checkWhole(line, before)
  } catch {
    // Not JSON, or not a record: the precise check says what is wrong.
    return undefined
  }
}

// The text is restored from the columns, so their values are hashed too. The clock is not part of the text.
function checkPacked(line: string, before: Head, restorer: RowRestorer): Head | undefined {
  const cells = line.split('\t')
  if (cells.length !== COLUMNS.length) return undefined
  const row = readCells(cells)
  const seq = before.seq + 1
  const clock = Math.max(row.time, before.clock)
  if (Number(cells[1]) !== seq || Number(cells[6]) !== clock || !hasItsNulls(row)) return undefined
  const text = row.body.startsWith(`[${seq},`) ? restorer.readText(row) : undefined
  if (text === undefined) return undefined
  const hash = linkHash(before.hash, text)
  return hash === cells[7] ? { seq, hash, clock } : undefined
}

// By their numbers: taking a list apart by a pattern takes longer than everything else here.
function readCells(cells: readonly string[]): PackedRow {
  const step = cells[9] as string
  return {
    body: cells[0] as string,
    kind: cells[2] as string,
    component: cells[3] as string,
    action: cells[4] as string,
    time: Number(cells[5]),
    decision: readNullable(cells[8] as string),
    step: step === NULL_MARK ? null : Number(step.slice(MARK.length)),
    id: readNullable(cells[10] as string),
    session: readNullable(cells[11] as string),
    hook: readNullable(cells[12] as string),
  }
}

// No text is restored from a column that is NULL in every row of a kind.
function hasItsNulls({ kind, decision, step, id, session, hook }: PackedRow): boolean {
  if (kind === 'evaluation') return id === null && session === null
  return step === null && (kind === 'step' ? hook : decision) === null
}

function readNullable(cell: string): string | null {
  return cell === NULL_MARK ? null : cell.slice(MARK.length)
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: the separators are among these.
const CONTROL = /[\u0000-\u001f]/

// A row of an earlier version: its body is the whole text, and the columns repeat parts of it.
function checkWhole(line: string, before: Head): Head | undefined {
  const body = line.slice(0, line.indexOf('\t'))
  const seq = before.seq + 1
  const hash = linkHash(before.hash, body)
  const record = JSON.parse(body) as TraceRecord
  if (record.seq !== seq) return undefined
  const sealed = readSealed(record, before.clock, seq, body, hash)
  const columns = readColumns(sealed)
  const values = COLUMNS.slice(1).map((name) => columns[name])
  if (values.some((value) => typeof value === 'string' && CONTROL.test(value))) return undefined
  const cells = COLUMNS.map((name) => (NULLABLE.includes(name) ? markNullable(columns[name]) : columns[name]))
  return cells.join('\t') === line ? { seq, hash, clock: sealed.clock } : undefined
}

function markNullable(value: string | number | null): string {
  return value === null ? NULL_MARK : `${MARK}${value}`
}
