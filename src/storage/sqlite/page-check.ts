// Checks a page of records quickly: SQLite joins the page into one text, which is faster to read than rows. It only ever
// says that a page is good: whatever is unusual is left to the precise check of single records, so that both always agree.

import { linkHash } from '../../trace/chain.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type Head, parseTime, readSealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import { type EvaluationWords, isPacked, type PackedRow, writeWords } from './packed-record.ts'
import type { RowRestorer } from './row-restorer.ts'
import { readColumns, type TraceRow } from './trace-row.ts'

/** A page as one text: a line per record, with its columns, separated by tabs. */
export interface PageText {
  readonly count: number
  readonly first: number | null
  readonly last: number | null
  readonly text: string | null
}

/** A page without a record. */
export const NO_PAGE: PageText = { count: 0, first: null, last: null, text: null }

// A value has a mark before it, so that no value looks like NULL. Not empty: some versions of concat_ws skip empty texts.
const MARK = '='
const NULL_MARK = '-'
// The clock is mostly the time. Numbers are not repeated: writing them takes SQLite longest.
const CLOCK = `iif(clock = time, '${NULL_MARK}', '${MARK}' || clock)`
const NULLABLE = ['step', 'id', 'session', 'decision', 'hook']
// The columns with few values are last, so that they are one text.
const COLUMNS = [
  'body',
  'time',
  CLOCK,
  'hash',
  'step',
  'id',
  'session',
  'kind',
  'component',
  'action',
  'decision',
  'hook',
]
const WORDS_AT = 7

/** Selects the records after a number, up to another, as a page. A body has no line end and no tab: JSON escapes them. */
export function preparePageText(db: Database): Statement<[number, number, number], PageText> {
  const columns = COLUMNS.map((name) =>
    NULLABLE.includes(name) ? `coalesce('${MARK}' || ${name}, '${NULL_MARK}')` : name,
  )
  const line = `concat_ws(char(9), ${columns.join(', ')})`
  return db.prepare(
    `SELECT count, first, last, text FROM (
       SELECT count(*) AS count, min(seq) AS first, max(seq) AS last, group_concat(line, char(10)) AS text FROM (
         SELECT seq, ${line} AS line FROM trace WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?))`,
  )
}

/** The end of a good page that follows `before`; undefined for a page that has to be checked precisely. */
export function checkPageText(page: PageText, before: Head, restorer: RowRestorer): Head | undefined {
  const { count, first, last: lastSeq, text } = page
  const lines = text?.split('\n') ?? []
  if (lines.length !== count) return undefined
  // Numbers are unique, so between these none is missing.
  if (count > 0 && (first !== before.seq + 1 || lastSeq !== before.seq + count)) return undefined
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
  const wordsAt = findTab(line, WORDS_AT) + 1
  const words = wordsAt === 0 ? undefined : findWords(line.slice(wordsAt))
  if (words === undefined) return undefined
  const [body = '', timeCell, clockCell, hashCell, stepCell = '', id = '', session = ''] = line.split('\t', WORDS_AT)
  const seq = before.seq + 1
  const time = Number(timeCell)
  const clock = Math.max(time, before.clock)
  if (clockCell !== formatClock(clock, time) || !body.startsWith(`[${seq},`)) return undefined
  const step = stepCell === NULL_MARK ? null : Number(stepCell.slice(MARK.length))
  const text = restoreText({ body, time, step, id, session }, words, restorer)
  if (text === undefined) return undefined
  const hash = linkHash(before.hash, text)
  return hash === hashCell ? { seq, hash, clock } : undefined
}

// `id` and `session` with their marks.
interface Cells {
  readonly body: string
  readonly time: number
  readonly step: number | null
  readonly id: string
  readonly session: string
}

// No text is restored from a column that is NULL in every row of a kind, so it is looked at.
function restoreText(cells: Cells, { columns, written }: Words, restorer: RowRestorer): string | undefined {
  const { body, time, step, id, session } = cells
  if (written !== undefined) {
    return id === NULL_MARK && session === NULL_MARK ? restorer.readEvaluation(cells, written) : undefined
  }
  const { kind, component, action, decision, hook } = columns
  if (step !== null || (kind === 'step' ? hook : decision) !== null) return undefined
  const names = { id: readNullable(id), session: readNullable(session) }
  return restorer.readText({ kind, component, action, decision, hook, body, time, step, ...names })
}

// Where the tab with this number is; -1 if there are fewer.
function findTab(line: string, number: number): number {
  let at = -1
  for (let found = 0; found < number; found++) {
    at = line.indexOf('\t', at + 1)
    if (at < 0) return -1
  }
  return at
}

interface Words {
  readonly columns: Pick<PackedRow, 'kind' | 'component' | 'action' | 'decision' | 'hook'>
  /** Of an evaluation. */
  readonly written: EvaluationWords | undefined
}

const MAX_WORDS = 1_000
// By their text in a line: a trace has few of them, and most records repeat them.
const knownWords = new Map<string, Words>()

function findWords(text: string): Words | undefined {
  const known = knownWords.get(text)
  if (known !== undefined) return known
  const cells = text.split('\t')
  if (cells.length !== COLUMNS.length - WORDS_AT) return undefined
  const [kind = '', component = '', action = '', decision = '', hook = ''] = cells
  const columns = { kind, component, action, decision: readNullable(decision), hook: readNullable(hook) }
  const written = kind === 'evaluation' ? writeWords(columns) : undefined
  if (knownWords.size >= MAX_WORDS) knownWords.clear()
  // Not a part of the line, which would stay in memory.
  knownWords.set(cells.join('\t'), { columns, written })
  return { columns, written }
}

function formatClock(clock: number, time: number): string {
  return clock === time ? NULL_MARK : `${MARK}${clock}`
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
  const when = `${time}\t${formatClock(clock, time)}\t${hash}`
  const owner = `${markNullable(step)}\t${markNullable(id)}\t${markNullable(session)}`
  const words = `${kind}\t${component}\t${action}\t${markNullable(decision)}\t${markNullable(hook)}`
  const expected = `\t${when}\t${owner}\t${words}`
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
