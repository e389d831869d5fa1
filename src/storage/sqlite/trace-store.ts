// The trace in SQLite. An entry is redacted at once and waits in the writer queue. One transaction then writes the steps and
// evaluations of a turn, the head of the chain and the counters, so that a process that dies leaves all of them or nothing.

import type { Verification } from '../../trace/chain.ts'
import { CounterDeltas, sumCounters } from '../../trace/counter-deltas.ts'
import { formatCutLine, formatRecordLine } from '../../trace/export.ts'
import type { LogRow, TraceEntry, TraceRecord } from '../../trace/record.ts'
import { type RedactOptions, Redactor } from '../../trace/redact.ts'
import { buildDrafts, type Draft, type Head, seal } from '../../trace/seal.ts'
import { cutEntry } from '../memory/trace-store.ts'
import {
  type Appended,
  type AppendOptions,
  type CounterOptions,
  type Counters,
  DEFAULT_HOURS,
  type Found,
  type Retained,
  type RetainPolicy,
  type StatisticsRequest,
  type TraceFilter,
  type TraceStatistics,
  type TraceStore,
  type VerifyRequest,
} from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabasePath } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'
import { TraceReader } from './trace-reader.ts'
import { CutSearch, prepareRetention, type RetentionStatements, removeBatch } from './trace-retention.ts'
import { TraceRows } from './trace-rows.ts'
import { countStatistics } from './trace-statistics.ts'
import { ChainWalk } from './trace-verification.ts'
import type { NewEntry } from './writer-queue.ts'

/** Options of the database and of the redaction. */
export type SqliteTraceOptions = OpenOptions & RedactOptions

interface Prepared {
  readonly rows: TraceRows
  readonly reader: TraceReader
}

const PAGE = 1_000
const BATCH = 500
// The store writes no number below 1, but a tampered file may have one.
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/**
 * The trace in a database file.
 * @example
 * const trace = new SqliteTraceStore('/home/me/.arc/arc.db', { env: process.env })
 */
export class SqliteTraceStore implements TraceStore {
  readonly #connection: Connection<Prepared>
  readonly #redactor: Redactor
  #slow: Connection<RetentionStatements> | undefined

  constructor(path: DatabasePath, options: SqliteTraceOptions = {}) {
    this.#connection = new Connection(path, options, prepare)
    this.#redactor = new Redactor(options)
    this.#connection.file.queue.attach({
      build: (entry) => buildDrafts(entry, this.#redactor),
      write: (entries) => this.#connection.join(({ rows }) => appendEntries(rows, entries)),
      has: ({ id, seqs: [seq = 0] }) =>
        this.#connection.use(({ rows }) => seq <= rows.end('cut').seq || rows.bySeq(seq)?.id === id),
    })
  }

  async append(entry: TraceEntry, { waitMs }: AppendOptions = {}): Promise<Appended> {
    return this.#connection.file.queue.append(buildDrafts(entry, this.#redactor), waitMs)
  }

  query(filter: TraceFilter = {}): LogRow[] {
    return this.#connection.read(({ reader }) => reader.query(filter))
  }

  records(filter: TraceFilter = {}): TraceRecord[] {
    return this.#connection.read(({ reader }) => reader.records(filter))
  }

  get(id: string): Found {
    return this.#connection.read(({ reader }) => reader.get(id))
  }

  counters({ hours = DEFAULT_HOURS }: CounterOptions = {}): Counters {
    return this.#connection.read(({ rows }) => sumCounters(rows.counters(hours), hours))
  }

  statistics(request: StatisticsRequest = {}): TraceStatistics {
    return countStatistics(this.#connection.file, request)
  }

  verify(options: VerifyRequest = {}): Verification {
    const walk = new ChainWalk(this.#maintenance, options)
    while (walk.next()) options.onProgress?.(walk.records)
    return walk.result()
  }

  *export(): IterableIterator<string> {
    const { cut, first } = this.#connection.read(({ rows }) => ({
      cut: rows.end('cut'),
      first: rows.page(BEFORE_ALL, PAGE),
    }))
    if (cut.seq > 0) yield formatCutLine(cut)
    let page = first
    for (let end = page.at(-1); end !== undefined; end = page.at(-1)) {
      for (const row of page) yield formatRecordLine(row)
      const { seq } = end
      page = this.#connection.read(({ rows }) => rows.page(seq, PAGE))
    }
  }

  retain(policy: RetainPolicy): Retained {
    const search = new CutSearch(this.#maintenance, policy)
    while (search.next());
    let removed = 0
    for (;;) {
      // In batches: other writers wait for one batch only.
      const count = this.#maintenance.write((statements) =>
        removeBatch(statements, { upTo: search.upTo, limit: BATCH }),
      )
      if (count === 0) break
      removed += count
    }
    const cut = this.#connection.read(({ rows }) => rows.end('cut'))
    if (removed > 0) {
      void this.append(cutEntry(cut, removed, policy.now, policy.id))
      this.#connection.file.queue.flush()
      this.#connection.use((_prepared, db) => db.exec('PRAGMA incremental_vacuum'))
    }
    return { removed, cut: { seq: cut.seq, hash: cut.hash } }
  }

  close(): void {
    this.#connection.close()
  }

  // Prepared at the first use: a hook call needs none of these statements.
  get #maintenance(): Connection<RetentionStatements> {
    const { file } = this.#connection
    this.#slow ??= new Connection(file, file.options, prepareRetention)
    return this.#slow
  }
}

function prepare(db: Database): Prepared {
  const rows = new TraceRows(db)
  return { rows, reader: new TraceReader(db, rows) }
}

// In a transaction, so that no other writer moves the head meanwhile.
function appendEntries(rows: TraceRows, entries: readonly NewEntry[]): Appended[] {
  const { bytes: bytesBefore, ...headBefore } = rows.end('head')
  const deltas = new CounterDeltas()
  let head: Head = headBefore
  let bytes = bytesBefore
  const appended = entries.map(({ drafts, mayExist }) => {
    const present = mayExist ? findDrafts(rows, drafts) : undefined
    if (present !== undefined) return present
    const links = seal(drafts, head)
    for (const [at, link] of links.entries()) {
      rows.insert(link, drafts[at] as Draft)
      deltas.add(link)
      bytes += Buffer.byteLength(link.body)
      head = link
    }
    return { id: drafts[0]?.id ?? '', seqs: links.map(({ seq }) => seq) }
  })
  rows.setEnd('head', { seq: head.seq, hash: head.hash, clock: head.clock, bytes })
  rows.addToCounters(deltas.entries())
  return appended
}

// Each entry has another id, so one that was written by a commit in doubt is written once.
function findDrafts(rows: TraceRows, drafts: readonly Draft[]): Appended | undefined {
  const [first] = drafts
  const row = first && rows.byId(first.id)
  return row && { id: first.id, seqs: drafts.map((_, at) => row.seq + at) }
}
