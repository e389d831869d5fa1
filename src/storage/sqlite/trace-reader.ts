// Finds records by filter, by id and by time. A filter becomes one SQL query that reads an index in the order of the
// records and stops at the limit, so that a query takes as long on a million records as on a thousand.

import {
  buildLogRow,
  type EvaluationRecord,
  type EventRecord,
  type LogRow,
  type StepRecord,
  type TraceRecord,
} from '../../trace/record.ts'
import { type Found, MAX_NAMED_IDS, readLimit, type TraceFilter } from '../ports.ts'
import type { Database, Statement } from './driver/driver.ts'
import { ROW_COLUMNS, type TraceRow } from './trace-row.ts'
import type { TraceRows } from './trace-rows.ts'

type Value = string | number

export class TraceReader {
  readonly #db: Database
  readonly #rows: TraceRows
  // By their SQL. Values are bound, so there are only as many as there are combinations of fields.
  readonly #queries = new Map<string, Statement<Value[], TraceRow>>()

  constructor(db: Database, rows: TraceRows) {
    this.#db = db
    this.#rows = rows
  }

  query(filter: TraceFilter): LogRow[] {
    return this.records(filter).map(buildLogRow)
  }

  records(filter: TraceFilter): TraceRecord[] {
    const { since, afterSeq, beforeSeq, session } = filter
    const { conditions, values } = buildConditions(filter)
    // No record before this one can be recent enough; the condition on the time does the rest.
    const first = since === undefined ? 0 : this.firstSince(since)
    if (since !== undefined) {
      conditions.push('trace.seq >= ?')
      values.push(first)
    }
    if (session !== undefined) {
      conditions.unshift(OF_SESSION, 'owner.seq >= ?', 'owner.seq < ?')
      const from = this.#rows.stepUpTo(Math.max(first, afterSeq ?? 0))
      values.unshift(session, from, beforeSeq ?? Number.MAX_SAFE_INTEGER)
    }
    const order = afterSeq === undefined ? 'DESC' : 'ASC'
    const where = conditions.length === 0 ? '' : `WHERE ${conditions.join(' AND ')}`
    const sql = `SELECT ${COLUMNS} FROM ${chooseSource(filter)} ${where}
      ORDER BY ${session === undefined ? '' : `owner.seq ${order}, `}trace.seq ${order} LIMIT ?`
    const rows = this.#rows.restore(this.#prepare(sql).all(...values, readLimit(filter)))
    const records = rows.map(parseBody)
    return afterSeq === undefined ? records.reverse() : records
  }

  get(id: string): Found {
    if (id === 'last') return this.#found(this.#rows.lastStep())
    if (id === '') return { found: 'nothing' }
    const exact = this.#rows.byId(id)
    if (exact !== undefined) return this.#found(exact)
    const ids = this.#idsWithPrefix(id)
    if (ids.length > 1) return { found: 'several', ids }
    // The id of an evaluation is that of its step and a number.
    return this.#found(this.#rows.byId(ids[0] ?? id.replace(/\.\d+$/, '')))
  }

  /** The first record whose clock is at least this time; one past the head if none. The clock never goes back. */
  firstSince(time: number): number {
    let low = this.#rows.end('cut').seq + 1
    let high = this.#rows.end('head').seq + 1
    while (low < high) {
      const middle = Math.floor((low + high) / 2)
      if ((this.#rows.clock(middle) ?? 0) >= time) high = middle
      else low = middle + 1
    }
    return low
  }

  // Each id is searched after the one before: an id may occur many times.
  #idsWithPrefix(prefix: string): string[] {
    const ids: string[] = []
    while (ids.length < MAX_NAMED_IDS) {
      const id = this.#rows.nextId(ids.at(-1) ?? prefix)
      if (id?.startsWith(prefix) !== true) break
      ids.push(id)
    }
    return ids
  }

  #found(row: TraceRow | undefined): Found {
    if (row === undefined) return { found: 'nothing' }
    const record = parseBody(row) as StepRecord | EventRecord
    if (record.kind === 'event') return { found: 'event', record }
    const following = record.evaluations > 0 ? this.#rows.page(row.seq, record.evaluations) : []
    const evaluations = following.filter(({ step }) => step === row.seq)
    return { found: 'step', record, evaluations: evaluations.map((own) => parseBody(own) as EvaluationRecord) }
  }

  #prepare(sql: string): Statement<Value[], TraceRow> {
    const statement = this.#queries.get(sql) ?? this.#db.prepare<Value[], TraceRow>(sql)
    this.#queries.set(sql, statement)
    return statement
  }
}

const COLUMNS = ROW_COLUMNS.map((name) => `trace.${name}`).join(', ')
// The step or event of a session, and the evaluations of the step: they follow it, and have no session in their row.
const OF_SESSION = `owner.session = ? AND owner.step IS NULL AND trace.seq >= owner.seq AND trace.seq < coalesce(
  (SELECT next.seq FROM trace AS next WHERE next.seq > owner.seq AND next.step IS NULL ORDER BY next.seq LIMIT 1),
  ${Number.MAX_SAFE_INTEGER})`

function buildConditions(filter: TraceFilter): { readonly conditions: string[]; readonly values: Value[] } {
  const { action, decision, component, hook, since, afterSeq, beforeSeq, steps } = filter
  const pairs: [string, Value | undefined][] = [
    ['trace.action = ?', action],
    ['trace.decision = ?', decision],
    ['trace.component = ?', component],
    ['trace.hook = ?', hook],
    ['trace.time >= ?', since],
    ['trace.seq > ?', afterSeq],
    ['trace.seq < ?', beforeSeq],
  ]
  const given = pairs.filter((pair): pair is [string, Value] => pair[1] !== undefined)
  const conditions = given.map(([condition]) => condition)
  if (steps !== true) conditions.push("trace.kind <> 'step'")
  // SQLite uses a partial index only if the query repeats the condition of the index.
  if (isRareAction(action)) conditions.push("trace.action NOT IN ('hook:pass', 'step:pass')")
  if (isRareDecision(decision)) conditions.push("trace.decision <> 'pass'")
  if (isRareComponent(component)) conditions.push("trace.component <> 'hooks'")
  return { conditions, values: given.map(([, value]) => value) }
}

// The index is named, because SQLite has no statistics to choose by. The fewest records first. Without an index the table
// is read from its end: most records have the values that no index has, so the limit is reached soon.
function chooseSource({ session, action, decision, component, hook }: TraceFilter): string {
  if (session !== undefined) return 'trace AS owner INDEXED BY trace_by_session CROSS JOIN trace'
  if (isRareAction(action)) return 'trace INDEXED BY trace_by_action'
  if (isRareDecision(decision)) return 'trace INDEXED BY trace_by_decision'
  if (isRareComponent(component)) return 'trace INDEXED BY trace_by_component'
  return hook === undefined ? 'trace NOT INDEXED' : 'trace INDEXED BY trace_by_hook'
}

function isRareAction(action: string | undefined): boolean {
  return action !== undefined && action !== 'hook:pass' && action !== 'step:pass'
}

function isRareDecision(decision: string | undefined): boolean {
  return decision !== undefined && decision !== 'pass'
}

function isRareComponent(component: string | undefined): boolean {
  return component !== undefined && component !== 'hooks'
}

function parseBody({ body }: TraceRow): TraceRecord {
  return JSON.parse(body) as TraceRecord
}
