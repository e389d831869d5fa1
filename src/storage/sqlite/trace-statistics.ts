// Counts actions and hook runs of a trace page by page: each page is a short read, so the WAL does not grow meanwhile, and
// SQLite reads the few values that count from the bodies.

import { StatisticsCounter, type StatisticsRow } from '../../trace/statistics.ts'
import type { StatisticsRequest, TraceStatistics } from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabaseFile } from './database-file.ts'
import type { Database, Statement } from './driver/driver.ts'
import { TraceReader } from './trace-reader.ts'
import { TraceRows } from './trace-rows.ts'

const PAGE = 20_000

interface Prepared {
  readonly rows: TraceRows
  readonly reader: TraceReader
  readonly page: Statement<[number, number, number], Row>
}

type Row = Omit<StatisticsRow, 'isSecond'> & { readonly isSecond: number }

/** Counts the records since a time. */
export function countStatistics(file: DatabaseFile, { since = 0, onProgress }: StatisticsRequest): TraceStatistics {
  const connection = new Connection(file, file.options, prepare)
  const counter = new StatisticsCounter()
  const [first, head] = connection.read(({ rows, reader }) => [reader.firstSince(since), rows.end('head').seq])
  for (let seq = first; seq <= head; seq += PAGE) {
    const page = connection.read((prepared) => prepared.page.all(seq, Math.min(head, seq + PAGE - 1), since))
    for (const row of page) counter.add({ ...row, isSecond: row.isSecond === 1 })
    onProgress?.(Math.min(head, seq + PAGE - 1) - first + 1)
  }
  return counter.result()
}

function prepare(db: Database): Prepared {
  const rows = new TraceRows(db)
  // Only a body with the name of the field is parsed.
  const isSecond = `kind = 'step' AND instr(body, '"preStep":') > 0
    AND coalesce(json_extract(body, '$.point') LIKE 'post:tool%', 0)
    AND coalesce(json_type(body, '$.metadata.preStep') = 'text', 0)`
  const page = db.prepare<[number, number, number], Row>(
    `SELECT kind, action, hook, time,
       CASE kind WHEN 'evaluation' THEN json_extract(body, '$.durationMs') END AS durationMs,
       (${isSecond}) AS isSecond
     FROM trace WHERE seq BETWEEN ? AND ? AND time >= ? AND kind <> 'event'`,
  )
  return { rows, reader: new TraceReader(db, rows), page }
}
