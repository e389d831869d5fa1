// Counts actions and hook runs of a trace page by page: each page is a short read, so the WAL does not grow meanwhile, and
// SQLite counts within a page.

import { DURATION_UNITS, LAST_UNIT, QUARTER_MS, StatisticsCounter } from '../../trace/statistics.ts'
import type { StatisticsRequest, TraceStatistics } from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import type { Database, Statement } from './driver/driver.ts'
import { DURATION_PATH_SQL, stepPathSql } from './packed-record.ts'
import { TraceReader } from './trace-reader.ts'
import { TraceRows } from './trace-rows.ts'

const PAGE = 50_000

type Range = [first: number, last: number, since: number]

interface RunsRow {
  readonly hook: string
  readonly isError: number
  readonly micros: number
  readonly count: number
}

interface Prepared {
  readonly rows: TraceRows
  readonly reader: TraceReader
  readonly actions: Statement<Range, { readonly at: number; readonly count: number }>
  readonly runs: Statement<Range, RunsRow>
}

/** Counts the records since a time. */
export function countStatistics(file: DatabaseFile, { since = 0, onProgress }: StatisticsRequest): TraceStatistics {
  const connection = new Connection(file, file.options, prepare)
  const counter = new StatisticsCounter()
  const [first, head] = connection.read(({ rows, reader }) => [reader.firstSince(since), rows.end('head').seq])
  for (let seq = first; seq <= head; seq += PAGE) {
    const last = Math.min(head, seq + PAGE - 1)
    const page = connection.read(({ actions, runs }) => {
      return { actions: actions.all(seq, last, since), runs: runs.all(seq, last, since) }
    })
    for (const { at, count } of page.actions) counter.addActions(at, count)
    for (const row of page.runs) counter.addRuns({ ...row, isError: row.isError === 1 })
    onProgress?.(last - first + 1)
  }
  return counter.result()
}

function prepare(db: Database): Prepared {
  const rows = new TraceRows(db)
  const range = 'seq BETWEEN ? AND ? AND time >= ?'
  // Only a body with the name of the field is parsed.
  const names = (field: string, point: string): string => `instr(body, '"${field}":') > 0
    AND coalesce(json_extract(body, ${stepPathSql('point')}) LIKE '${point}', 0)
    AND coalesce(json_type(body, ${stepPathSql(`metadata.${field}`)}) = 'text', 0)`
  const isSecond = `(${names('preStep', 'post:tool%')}) OR (${names('asksAbout', 'pre:tool')})`
  return {
    rows,
    reader: new TraceReader(db, rows),
    actions: db.prepare(
      `SELECT time - time % ${QUARTER_MS} AS at, count(*) AS count FROM trace
       WHERE ${range} AND kind = 'step' AND NOT (${isSecond}) GROUP BY 1`,
    ),
    runs: db.prepare(
      `SELECT hook, isError, ${roundSql('micros')} AS micros, count(*) AS count FROM (
         SELECT hook, action = 'hook:error' AS isError,
           CAST(round(json_extract(body, ${DURATION_PATH_SQL}) * 1000) AS INTEGER) AS micros
         FROM trace WHERE ${range} AND kind = 'evaluation' AND action <> 'hook:skip' AND hook IS NOT NULL
       ) GROUP BY 1, 2, 3`,
    ),
  }
}

// The same as `roundDuration`.
function roundSql(micros: string): string {
  const round = (unit: number): string => `(${micros} + ${Math.floor(unit / 2)}) / ${unit} * ${unit}`
  const cases = DURATION_UNITS.map(({ below, unit }) => `WHEN ${micros} < ${below} THEN ${round(unit)}`)
  return `CASE ${cases.join(' ')} ELSE ${round(LAST_UNIT)} END`
}
