// Checks a page of records quickly: SQLite joins the page into one text, and the usual evaluations are read by a regular
// expression instead of being parsed. It only ever says that a page is good: whatever is unusual is left to the precise
// check of single records, so that both always agree.

import { linkHash } from '../../trace/chain.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type Head, parseTime, readSealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import { readColumns } from './trace-rows.ts'

/** A page as one text: a line per record, with its body and its columns, separated by tabs. */
export interface PageText {
  readonly count: number
  readonly text: string | null
}

// The columns after the body, in the order of a line.
const COLUMNS = [
  ...(['seq', 'kind', 'component', 'action', 'time', 'clock', 'hash'] as const),
  ...(['decision', 'step', 'id', 'session', 'hook'] as const),
]
const NULLABLE = ['decision', 'step', 'id', 'session', 'hook']
// Means NULL. A text with a control character is left to the precise check.
const NULL_MARK = '\u0001'
// biome-ignore lint/suspicious/noControlCharactersInRegex: these are the separators and the mark.
const CONTROL = /[\u0000-\u001f]/

/** Selects the records after a number, up to another, as a page. A body has no line end and no tab: JSON escapes them. */
export function preparePageText(db: Database): Statement<[number, number, number], PageText> {
  const columns = COLUMNS.map((name) => (NULLABLE.includes(name) ? `coalesce(${name}, char(1))` : name))
  const line = `concat_ws(char(9), body, ${columns.join(', ')})`
  return db.prepare(
    `SELECT count, text FROM (
       SELECT count(*) AS count, group_concat(line, char(10)) AS text FROM (
         SELECT ${line} AS line FROM trace WHERE seq > ? AND seq <= ? ORDER BY seq LIMIT ?))`,
  )
}

/** The end of a good page that follows `before`; undefined for a page that has to be checked precisely. */
export function checkPageText({ count, text }: PageText, before: Head): Head | undefined {
  const lines = text?.split('\n') ?? []
  if (lines.length !== count) return undefined
  let last = before
  for (const line of lines) {
    const end = checkLine(line, last)
    if (end === undefined) return undefined
    last = end
  }
  return last
}

function checkLine(line: string, before: Head): Head | undefined {
  const tab = line.indexOf('\t')
  const body = line.slice(0, tab)
  const seq = before.seq + 1
  const hash = linkHash(before.hash, body)
  const usual = USUAL_EVALUATION.exec(body)
  const expected =
    usual === null ? parseColumns(body, before.clock, seq, hash) : readUsual(usual, before.clock, seq, hash)
  if (expected === undefined || line.length !== tab + expected.text.length) return undefined
  return line.endsWith(expected.text) ? { seq, hash, clock: expected.clock } : undefined
}

interface Columns {
  /** What follows the body in the line. */
  readonly text: string
  readonly clock: number
}

function parseColumns(body: string, clockBefore: number, seq: number, hash: string): Columns | undefined {
  try {
    const record = JSON.parse(body) as TraceRecord
    if (record.seq !== seq) return undefined
    const sealed = readSealed(record, clockBefore, seq, body, hash)
    const columns = readColumns(sealed)
    const values = COLUMNS.map((name) => columns[name])
    if (values.some((value) => typeof value === 'string' && CONTROL.test(value))) return undefined
    return { text: `\t${values.map((value) => value ?? NULL_MARK).join('\t')}`, clock: sealed.clock }
  } catch {
    // Not JSON, or not a record: the precise check says what is wrong.
    return undefined
  }
}

const TEXT = '"([^"\\\\\\u0000-\\u001f]*)"'
const SKIPPED_TEXT = '"[^"\\\\\\u0000-\\u001f]*"'
const NUMBER = '-?(?:0|[1-9]\\d*)(?:\\.\\d+)?(?:e[+-]?\\d+)?'
// The fields of an evaluation in canonical order; a question mark for those that may be absent. Texts in them have no
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
function readUsual(match: RegExpExecArray, clockBefore: number, seq: number, hash: string): Columns | undefined {
  const [, action, component, decision, hook, seqText, session, step, timeText] = match
  if (seqText !== String(seq)) return undefined
  const time = parseTime(timeText as string)
  const clock = Math.max(time, clockBefore)
  const what = `\t${seq}\tevaluation\t${component}\t${action}\t${time}\t${clock}\t${hash}`
  return { text: `${what}\t${decision}\t${step}\t${NULL_MARK}\t${session ?? NULL_MARK}\t${hook}`, clock }
}
