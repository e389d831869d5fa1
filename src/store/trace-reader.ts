// Finds records: by filter, by id, by time. Each question is answered from an index, in order, and stops at its limit,
// so that the answer takes as long on a million records as on a thousand.

import type Database from 'better-sqlite3'
import {
  type EvaluationRecord,
  type EventRecord,
  type LogRow,
  logRowOf,
  type StepRecord,
  type TraceRecord,
} from '../trace/record.ts'
import { type Found, limitOf, MAX_NAMED, type TraceFilter } from '../trace/store.ts'
import type { Row, TraceClass, TraceRows } from './trace-rows.ts'

export class TraceReader {
  readonly #db: Database.Database
  readonly #rows: TraceRows
  readonly #statements = new Map<string, Database.Statement<unknown[], { seq: number }>>()

  constructor(db: Database.Database, rows: TraceRows) {
    this.#db = db
    this.#rows = rows
  }

  query(filter: TraceFilter): LogRow[] {
    return this.records(filter).map(logRowOf)
  }

  records(filter: TraceFilter): TraceRecord[] {
    const { afterSeq } = filter
    const limit = limitOf(filter)
    const isFollowing = afterSeq !== undefined
    const after = Math.max(afterSeq ?? 0, filter.since === undefined ? 0 : this.firstSince(filter.since) - 1)
    const classes = isForAll(filter) ? [ALL] : this.#rows.classes().filter((row) => isWanted(row, filter))
    const seqs = classes.flatMap(({ id }) => this.#seqsOf(id, filter, after, limit))
    seqs.sort((a, b) => a - b)
    const wanted = isFollowing ? seqs.slice(0, limit) : seqs.slice(Math.max(0, seqs.length - limit))
    return wanted.flatMap((seq) => {
      const body = this.#rows.body(seq)
      return body === undefined ? [] : [JSON.parse(body) as TraceRecord]
    })
  }

  get(id: string): Found {
    if (id === 'last') return this.#found(this.#lastStep())
    if (id === '') return { found: 'nothing' }
    const exact = this.#newestWith(id)
    if (exact !== undefined) return this.#found(exact)
    const ids = this.#idsFrom(id)
    if (ids.length > 1) return { found: 'several', ids }
    if (ids.length === 1) return this.#found(this.#newestWith(ids[0] as string))
    // An evaluation is named after its step.
    return this.#found(this.#newestWith(id.replace(/\.\d+$/, '')))
  }

  /** The first record from which on the clock shows at least this time; one past the head if none. */
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

  #seqsOf(traceClass: number | undefined, filter: TraceFilter, after: number, limit: number): number[] {
    const { session, hook, since, afterSeq, beforeSeq } = filter
    const conditions = ['seq > ?']
    const values: unknown[] = [after]
    const add = (condition: string, value: unknown): void => {
      if (value === undefined) return
      conditions.push(condition)
      values.push(value)
    }
    add('class = ?', traceClass)
    add('seq < ?', beforeSeq)
    add('session = ?', session)
    add('hook = ?', hook)
    add('time >= ?', since)
    const index = session !== undefined ? 'trace_by_session' : hook !== undefined ? 'trace_by_hook' : 'trace_by_class'
    const by = traceClass === undefined ? 'NOT INDEXED' : `INDEXED BY ${index}`
    const order = afterSeq === undefined ? 'DESC' : 'ASC'
    const sql = `SELECT seq FROM trace ${by} WHERE ${conditions.join(' AND ')} ORDER BY seq ${order} LIMIT ?`
    return this.#prepared(sql)
      .all(...values, limit)
      .map(({ seq }) => seq)
  }

  #lastStep(): Row | undefined {
    const steps = this.#rows.classes().filter(({ kind }) => kind === 'step')
    const newest = this.#prepared('SELECT max(seq) AS seq FROM trace INDEXED BY trace_by_class WHERE class = ?')
    const seqs = steps.map(({ id }) => newest.get(id)?.seq ?? 0)
    return this.#rows.one(Math.max(0, ...seqs))
  }

  #newestWith(id: string): Row | undefined {
    const newest = this.#prepared('SELECT max(seq) AS seq FROM trace INDEXED BY trace_by_id WHERE id = ?')
    return this.#rows.one(newest.get(id)?.seq ?? 0)
  }

  // The first few different ids that begin so: each one is sought behind the last, whatever is repeated in between.
  #idsFrom(prefix: string): string[] {
    const next = this.#db.prepare<[string], { id: string }>(
      'SELECT id FROM trace INDEXED BY trace_by_id WHERE id > ? ORDER BY id LIMIT 1',
    )
    const ids: string[] = []
    let last = prefix
    while (ids.length < MAX_NAMED) {
      const id = next.get(last)?.id
      if (id === undefined || !id.startsWith(prefix)) break
      ids.push(id)
      last = id
    }
    return ids
  }

  #found(row: Row | undefined): Found {
    if (row === undefined) return { found: 'nothing' }
    const record = recordOf(row) as StepRecord | EventRecord
    if (record.kind === 'event') return { found: 'event', record }
    const following = record.evaluations > 0 ? this.#rows.page(row.seq, record.evaluations) : []
    const evaluations = following.filter(({ step }) => step === row.seq)
    return { found: 'step', record, evaluations: evaluations.map((own) => recordOf(own) as EvaluationRecord) }
  }

  #prepared(sql: string): Database.Statement<unknown[], { seq: number }> {
    const present = this.#statements.get(sql) ?? this.#db.prepare<unknown[], { seq: number }>(sql)
    this.#statements.set(sql, present)
    return present
  }
}

// Whoever follows everything needs no index but the order of the records themselves.
const ALL = { id: undefined }

function isForAll({ component, action, session, hook, decision, steps }: TraceFilter): boolean {
  return steps === true && [component, action, session, hook, decision].every((asked) => asked === undefined)
}

function isWanted(row: TraceClass, { component, action, decision, steps }: TraceFilter): boolean {
  if (row.kind === 'step' && steps !== true) return false
  if (component !== undefined && row.component !== component) return false
  if (action !== undefined && row.action !== action) return false
  return decision === undefined || row.decision === decision
}

function recordOf({ body }: Row): TraceRecord {
  return JSON.parse(body) as TraceRecord
}
