// Checks a page of records quickly: SQLite joins the page into one text, which is faster to read than rows. It only ever
// says that a page is good: whatever is unusual is left to the precise check of single records, so that both always agree.

import { linkHash } from '../../trace/chain.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type Head, parseTime, readSealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import { isPacked, type PackedRow } from './packed-record.ts'
import type { RowRestorer } from './row-restorer.ts'
import { readColumns, type TraceRow } from './trace-row.ts'

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
  const usual = USUAL_EVALUATION.exec(body)
  const columns = usual === null ? parseColumns(body, before.clock, seq, hash) : readUsual(usual, before.clock, seq)
  if (columns === undefined) return undefined
  const { kind, component, action, time, clock, decision, step, id, session, hook } = columns
  const what = `${seq}\t${kind}\t${component}\t${action}\t${time}\t${clock}\t${hash}`
  const owner = `${markNullable(decision)}\t${markNullable(step)}\t${markNullable(id)}`
  const expected = `\t${what}\t${owner}\t${markNullable(session)}\t${markNullable(hook)}`
  const isSame = line.length === body.length + expected.length && line.endsWith(expected)
  return isSame ? { seq, hash, clock } : undefined
}

type Columns = Omit<TraceRow, 'seq' | 'hash' | 'body'>

function parseColumns(body: string, clockBefore: number, seq: number, hash: string): Columns | undefined {
  const record = JSON.parse(body) as TraceRecord
  if (record.seq !== seq) return undefined
  const columns = readColumns(readSealed(record, clockBefore, seq, body, hash))
  const { component, action, id, session, hook } = columns
  // A value with a separator could be read as two.
  return CONTROL.test(`${component}${action}${id}${session}${hook}`) ? undefined : columns
}

const TEXT = '"([^"\\\\\\u0000-\\u001f]*)"'
const SKIPPED_TEXT = '"[^"\\\\\\u0000-\\u001f]*"'
const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:e[+-]?\\d+)?'
// The fields of such an evaluation in canonical order; a question mark for those that may be absent. Texts in them have no
// escapes, so that a quote always ends a text.
const FIELDS: readonly (readonly [name: string, value: string])[] = [
  ['action', TEXT],
  ['agent?', SKIPPED_TEXT],
  ['applied', '(?:true|false)'],
  ['cause', SKIPPED_TEXT],
  ['component', TEXT],
  ['decision', TEXT],
  ['durationMs', NUMBER],
  ['hook', TEXT],
  ['host?', SKIPPED_TEXT],
  ['id', SKIPPED_TEXT],
  ['kind', '"evaluation"'],
  ['level', SKIPPED_TEXT],
  ['mode', SKIPPED_TEXT],
  ['point', SKIPPED_TEXT],
  ['priority', NUMBER],
  ['profile?', SKIPPED_TEXT],
  ['seq', '(0|[1-9]\\d*)'],
  ['session?', TEXT],
  ['step', '(0|[1-9]\\d*)'],
  ['time', TEXT],
  ['tool?', SKIPPED_TEXT],
  ['turn?', SKIPPED_TEXT],
]

const USUAL_EVALUATION = new RegExp(`^\\{${FIELDS.map(fieldPattern).join('')}\\}$`)

function fieldPattern([name, value]: readonly [string, string], at: number): string {
  const pattern = `${at === 0 ? '' : ','}"${name.replace('?', '')}":${value}`
  return name.endsWith('?') ? `(?:${pattern})?` : pattern
}

// Texts without escapes and control characters are the same in the body and in the columns.
function readUsual(match: RegExpExecArray, clockBefore: number, seq: number): Columns | undefined {
  if (match[5] !== String(seq)) return undefined
  const time = parseTime(match[8] as string)
  return {
    kind: 'evaluation',
    component: match[2] as string,
    action: match[1] as string,
    time,
    clock: Math.max(time, clockBefore),
    decision: match[3] as string,
    step: Number(match[7]),
    id: null,
    session: match[6] ?? null,
    hook: match[4] as string,
  }
}

function markNullable(value: string | number | null): string {
  return value === null ? NULL_MARK : `${MARK}${value}`
}
