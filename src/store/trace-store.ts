// The trace in SQLite. Redacts before it takes the lock; then one transaction holds a step, its evaluations, the
// counters and the end of the chain, so that a process that dies leaves either all of it or nothing.

import type Database from 'better-sqlite3'
import { type Verification, verifyChain } from '../trace/chain.ts'
import { cutLine, exportLine } from '../trace/export.ts'
import { cutEntry } from '../trace/memory-store.ts'
import type { LogRow, TraceEntry, TraceRecord } from '../trace/record.ts'
import { type RedactOptions, Redactor } from '../trace/redact.ts'
import { type Draft, draftsOf, type Head, seal, sealedOf } from '../trace/seal.ts'
import {
  type Appended,
  type CounterOptions,
  type Counters,
  DEFAULT_HOURS,
  type Found,
  type Retained,
  type RetainPolicy,
  type TraceFilter,
  type TraceStore,
} from '../trace/store.ts'
import { Additions, countersFrom } from '../trace/tally.ts'
import { Connection } from './connection.ts'
import type { OpenOptions } from './open.ts'
import { TraceReader } from './trace-reader.ts'
import { cutSome, findCut } from './trace-retention.ts'
import { type Row, type TraceClass, TraceRows } from './trace-rows.ts'

/** How the trace is opened and what it hides. */
export type SqliteTraceOptions = OpenOptions & RedactOptions

interface Prepared {
  readonly rows: TraceRows
  readonly reader: TraceReader
}

const PAGE = 1_000
// Nothing is written below 1, but somebody else may have.
const BEFORE_ALL = Number.MIN_SAFE_INTEGER

/**
 * The trace in a database file.
 * @example
 * const trace = new SqliteTraceStore('/home/me/.arc/arc.db', { env: process.env })
 */
export class SqliteTraceStore implements TraceStore {
  readonly #connection: Connection<Prepared>
  readonly #redactor: Redactor

  constructor(file: string, options: SqliteTraceOptions = {}) {
    this.#connection = new Connection(file, options, prepare)
    this.#redactor = new Redactor(options)
  }

  append(entry: TraceEntry): Appended {
    return this.appendAll([entry])[0] as Appended
  }

  appendAll(entries: readonly TraceEntry[]): readonly Appended[] {
    const drafts = entries.map((entry) => draftsOf(entry, this.#redactor))
    return this.#connection.write(({ rows }) => {
      try {
        return insertAll(drafts, rows)
      } catch (error) {
        rows.forget()
        throw error
      }
    })
  }

  query(filter: TraceFilter = {}): LogRow[] {
    return this.#read(({ reader }) => reader.query(filter))
  }

  records(filter: TraceFilter = {}): TraceRecord[] {
    return this.#read(({ reader }) => reader.records(filter))
  }

  get(id: string): Found {
    return this.#read(({ reader }) => reader.get(id))
  }

  counters({ hours = DEFAULT_HOURS }: CounterOptions = {}): Counters {
    return this.#read(({ rows }) => countersFrom(rows.counters(hours), hours))
  }

  verify(): Verification {
    return this.#read(({ rows }) => {
      const from = rows.end('cut')
      const check = columnCheck(from.clock, rows.classes())
      return verifyChain(allRows(rows), { from, head: rows.end('head'), check })
    })
  }

  *export(): IterableIterator<string> {
    const { cut, first } = this.#read(({ rows }) => ({ cut: rows.end('cut'), first: rows.page(BEFORE_ALL, PAGE) }))
    if (cut.seq > 0) yield cutLine(cut)
    let page = first
    for (let end = page.at(-1); end !== undefined; end = page.at(-1)) {
      for (const row of page) yield exportLine(row)
      const { seq } = end
      page = this.#read(({ rows }) => rows.page(seq, PAGE))
    }
  }

  retain(policy: RetainPolicy): Retained {
    const upTo = this.#read(({ rows, reader }) => findCut(policy, rows, reader))
    let removed = 0
    for (;;) {
      // A little at a time: nobody who writes meanwhile has to wait for all of it.
      const part = this.#connection.write(({ rows }, db) => cutSome(db, rows, upTo))
      if (part === 0) break
      removed += part
    }
    const cut = this.#read(({ rows }) => rows.end('cut'))
    if (removed > 0) {
      this.append(cutEntry(cut, removed, policy.now, policy.id))
      this.#connection.use((_prepared, db) => void db.pragma('incremental_vacuum'))
    }
    return { removed, cut: { seq: cut.seq, hash: cut.hash } }
  }

  close(): void {
    this.#connection.close()
  }

  // In one transaction, so that an answer put together from several questions is of one moment.
  #read<T>(work: (prepared: Prepared) => T): T {
    return this.#connection.use((prepared, db) => db.transaction(() => work(prepared)).deferred())
  }
}

function prepare(db: Database.Database): Prepared {
  const rows = new TraceRows(db)
  return { rows, reader: new TraceReader(db, rows) }
}

function insertAll(entries: readonly (readonly Draft[])[], rows: TraceRows): Appended[] {
  const before = rows.end('head')
  const additions = new Additions()
  let head: Head = before
  let { bytes } = before
  const appended = entries.map((drafts) => {
    const links = seal(drafts, head)
    for (const link of links) {
      rows.insert(link)
      additions.add(link)
      bytes += Buffer.byteLength(link.body)
      head = link
    }
    return { id: drafts[0]?.id ?? '', seqs: links.map(({ seq }) => seq) }
  })
  for (const counter of additions.entries()) rows.count(counter)
  rows.setEnd('head', { seq: head.seq, hash: head.hash, clock: head.clock, bytes })
  return appended
}

function* allRows(rows: TraceRows): Generator<Row> {
  for (let last = BEFORE_ALL; ; ) {
    const page = rows.page(last, PAGE)
    yield* page
    const end = page.at(-1)
    if (end === undefined) return
    last = end.seq
  }
}

// What a record is found by must say the same as its text, which alone is hashed.
function columnCheck(clockBefore: number, classes: readonly TraceClass[]): (row: Row) => string | undefined {
  const byId = new Map(classes.map((row) => [row.id, row]))
  let clock = clockBefore
  return (row) => {
    const fields = sealedOf(JSON.parse(row.body) as TraceRecord, clock, row.seq, row.body, row.hash)
    clock = fields.clock
    const has = byId.get(row.class)
    const pairs: [string, unknown, unknown][] = [
      ['kind', has?.kind, fields.kind],
      ['component', has?.component, fields.component],
      ['action', has?.action, fields.action],
      ['decision', has?.decision, fields.decision ?? ''],
      ['id', row.id, fields.kind === 'evaluation' ? null : fields.id],
      ['time', row.time, fields.time],
      ['clock', row.clock, fields.clock],
      ['session', row.session, fields.session ?? null],
      ['hook', row.hook, fields.hook ?? null],
      ['step', row.step, fields.step ?? null],
    ]
    const wrong = pairs.find(([, kept, written]) => kept !== written)
    return wrong === undefined ? undefined : `its ${wrong[0]} is kept as ${JSON.stringify(wrong[1])}`
  }
}
