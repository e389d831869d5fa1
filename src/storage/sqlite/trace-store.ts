// The trace in SQLite. Redacts before it takes the lock; then one transaction holds a step, its evaluations and the end
// of the chain, and now and then what a whole part of the chain is found and counted by, so that a process that dies
// leaves either all of it or nothing.

import { type Verification, verifyChain } from '../../trace/chain.ts'
import { sumCounters } from '../../trace/counter-deltas.ts'
import { formatCutLine, formatRecordLine } from '../../trace/export.ts'
import type { LogRow, TraceEntry, TraceRecord } from '../../trace/record.ts'
import { type RedactOptions, Redactor } from '../../trace/redact.ts'
import { buildDrafts, type Draft, type Head, readSealed, seal } from '../../trace/seal.ts'
import { cutEntry } from '../memory/trace-store.ts'
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
} from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabasePath } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'
import { TraceIndex } from './trace-index.ts'
import { TraceReader } from './trace-reader.ts'
import { compactIndex, cutSome, findCut } from './trace-retention.ts'
import { type TraceClass, type TraceRow, TraceRows } from './trace-rows.ts'

/** How the trace is opened and what it hides. */
export type SqliteTraceOptions = OpenOptions & RedactOptions

interface Prepared {
  readonly rows: TraceRows
  readonly places: TraceIndex
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

  constructor(path: DatabasePath, options: SqliteTraceOptions = {}) {
    this.#connection = new Connection(path, options, prepare)
    this.#redactor = new Redactor(options)
  }

  append(entry: TraceEntry): Appended {
    return this.appendAll([entry])[0] as Appended
  }

  appendAll(entries: readonly TraceEntry[]): readonly Appended[] {
    const drafts = entries.map((entry) => buildDrafts(entry, this.#redactor))
    return this.#connection.write((prepared) => appendDrafts(prepared, drafts), entries.length)
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
    return this.#connection.read(({ rows, places }) => {
      const counted = [...rows.counters(hours), ...places.countUnindexed(rows.classes())]
      return sumCounters(counted, hours)
    })
  }

  verify(): Verification {
    return this.#connection.read(({ rows, places }) => {
      const from = rows.end('cut')
      const hasColumns = columnCheck(from.clock, rows.classes())
      const isFound = placeCheck(places)
      const check = (row: TraceRow): string | undefined => hasColumns(row) ?? isFound(row)
      return verifyChain(allRows(rows), { from, head: rows.end('head'), check })
    })
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
    const upTo = this.#connection.read(({ rows, reader }) => findCut(policy, rows, reader))
    let removed = 0
    for (;;) {
      // A little at a time: nobody who writes meanwhile has to wait for all of it.
      const part = this.#connection.write(({ rows, places }, db) => cutSome(db, rows, places, upTo))
      if (part === 0) break
      removed += part
    }
    const cut = this.#connection.read(({ rows }) => rows.end('cut'))
    if (removed > 0) {
      compactIndex(cut.seq, (work) => this.#connection.write(({ places }) => work(places)))
      this.append(cutEntry(cut, removed, policy.now, policy.id))
      this.#connection.use((_prepared, db) => db.exec('PRAGMA incremental_vacuum'))
    }
    return { removed, cut: { seq: cut.seq, hash: cut.hash } }
  }

  close(): void {
    this.#connection.close()
  }
}

function prepare(db: Database): Prepared {
  const rows = new TraceRows(db)
  const places = new TraceIndex(db)
  return { rows, places, reader: new TraceReader(rows, places) }
}

// In a transaction, so that no other writer moves the head meanwhile.
function appendDrafts({ rows, places }: Prepared, entries: readonly (readonly Draft[])[]): Appended[] {
  const { bytes: bytesBefore, ...headBefore } = rows.end('head')
  let head: Head = headBefore
  let bytes = bytesBefore
  const appended = entries.map((drafts) => {
    const links = seal(drafts, head)
    for (const link of links) {
      places.note(rows.insert(link))
      bytes += Buffer.byteLength(link.body)
      head = link
    }
    return { id: drafts[0]?.id ?? '', seqs: links.map(({ seq }) => seq) }
  })
  if (appended.length === 0) return []
  rows.setEnd('head', { seq: head.seq, hash: head.hash, clock: head.clock, bytes })
  places.indexSegments(head.seq, () => rows.classes())
  return appended
}

function* allRows(rows: TraceRows): Generator<TraceRow> {
  for (let last = BEFORE_ALL; ; ) {
    const page = rows.page(last, PAGE)
    yield* page
    const end = page.at(-1)
    if (end === undefined) return
    last = end.seq
  }
}

// What a record is found by must say the same as its text, which alone is hashed.
function columnCheck(clockBefore: number, classes: readonly TraceClass[]): (row: TraceRow) => string | undefined {
  const byId = new Map(classes.map((row) => [row.id, row]))
  let clock = clockBefore
  return (row) => {
    const fields = readSealed(JSON.parse(row.body) as TraceRecord, clock, row.seq, row.body, row.hash)
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

// And it must be found by them.
function placeCheck(places: TraceIndex): (row: TraceRow) => string | undefined {
  const missing = places.checkIndexed()
  return (row) => {
    const what = missing(row)
    return what === undefined ? undefined : `it is not found by its ${what}`
  }
}
