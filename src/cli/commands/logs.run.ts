// `arc logs`: prints the structured log of every evaluation, newest last; `--follow` keeps printing new records.

import { databaseFile } from '../../platform/home.ts'
import type { TraceFilter, TraceStore } from '../../storage/ports.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import type { LogRow } from '../../trace/record.ts'
import colors from '../colors.ts'
import { openTrace } from '../home-stores.ts'
import {
  ago,
  DECISION_STYLE,
  displayWidth,
  info,
  oneLine,
  print,
  printJson,
  readSince,
  report,
  terminalColumns,
  wrap,
} from '../output.ts'

/** The options of `arc logs`. */
export interface LogsOptions {
  readonly component?: string
  readonly action?: string
  readonly session?: string
  readonly hook?: string
  readonly decision?: string
  readonly since?: string
  readonly limit: string
  readonly follow?: boolean
  readonly json?: boolean
}

const POLL_MS = 200

/** Prints the log. */
export async function logs(options: LogsOptions): Promise<number> {
  const filter = readFilter(options)
  if (typeof filter === 'string') {
    report(filter)
    return 2
  }
  const store = options.follow === true ? new SqliteTraceStore(databaseFile()) : openTrace()
  try {
    const rows = store.query(filter)
    for (const row of rows) printRow(row, options.json === true)
    if (rows.length === 0 && options.json !== true) {
      info('No matching records. To create some: arc sample')
    }
    if (options.follow === true) await follow(store, filter, rows.at(-1)?.seq ?? 0, options.json === true)
    return 0
  } finally {
    store.close()
  }
}

function readFilter({ limit, since, ...rest }: LogsOptions): TraceFilter | string {
  const count = Number(limit)
  if (!Number.isInteger(count) || count < 1) return `--limit must be a whole number above 0, not "${limit}"`
  const sinceMs = since === undefined ? undefined : readSince(since)
  if (since !== undefined && sinceMs === undefined) return `--since must be like 30m, 2h, 7d or a date, not "${since}"`
  const { component, action, session, hook, decision } = rest
  return { component, action, session, hook, decision, since: sinceMs, limit: count } as TraceFilter
}

// Runs until the process is interrupted or its output is closed.
async function follow(store: TraceStore, filter: TraceFilter, from: number, isJson: boolean): Promise<never> {
  for (let afterSeq = from; ; ) {
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
    for (const row of store.query({ ...filter, afterSeq })) {
      printRow(row, isJson)
      afterSeq = row.seq
    }
  }
}

function printRow(row: LogRow, isJson: boolean): void {
  if (isJson) {
    printJson(row)
    return
  }
  const { icon, paint } = DECISION_STYLE[row.decision ?? 'pass']
  const what = [row.point, row.tool].flatMap((part) => (part === undefined ? [] : [oneLine(part, 120)])).join(' ')
  const applied = row.applied === false && (row.decision === 'ask' || row.decision === 'block') ? ' (not applied)' : ''
  const action = `${icon} ${oneLine(row.action).padEnd(10)}`
  const head = `${colors.dim(ago(row.time).padStart(4))} ${paint(action)} ${oneLine(row.hook ?? row.component).padEnd(20)}`
  const line = [head, what + applied].filter((part) => part !== '').join(' ')
  // The reason follows on the same line if it fits, else on the next lines.
  const room = terminalColumns() - displayWidth(line) - 2
  if (row.reason === undefined) print(line)
  else if (displayWidth(row.reason) <= room) print(`${line}  ${colors.dim(oneLine(row.reason))}`)
  else {
    print(line)
    for (const part of wrap(oneLine(row.reason, 400), terminalColumns() - INDENT.length))
      print(colors.dim(INDENT + part))
  }
}

const INDENT = ' '.repeat(7)
