// By what records are found, and the counters: written a part at a time, in the transaction that completes the part, so
// that most steps write nothing but themselves. What is not settled yet is less than a part, and whoever asks looks
// through it.

import { type Counter, CounterDeltas } from '../../trace/counter-deltas.ts'
import type { Database, Statement } from './driver/driver.ts'
import type { TraceClass } from './trace-rows.ts'

/** By what records are found. */
type PlaceKind = 'class' | 'hook' | 'session'

/** What a list of places is of: for `class` the name is empty. */
export interface IndexKey {
  readonly kind: PlaceKind
  readonly name: string
  readonly class: number
}

/** The columns of a record by which it is found and counted. */
export interface IndexedColumns {
  readonly seq: number
  readonly class: number
  readonly id: string | null
  readonly time: number
  readonly session: string | null
  readonly hook: string | null
}

/** Which parts are wanted, and how many of those that hold something. */
export interface SegmentRange {
  readonly first: number
  readonly last: number
  readonly isAscending: boolean
  readonly limit: number
}

interface PartRow {
  readonly part: number
  readonly places: string
  /** Of the second key, where two are asked for. */
  readonly others?: string
}

type Counted = Counter & { readonly count: number }

/** How many numbers make a part. The migration that made the tables has it as well. */
export const SEGMENT_SIZE = 256
// Read at once where much is to be settled.
const PARTS_AT_ONCE = 16
const SWEPT_AT_ONCE = 2_000

/** The part that a record belongs to. */
export function findSegment(seq: number): number {
  return Math.floor(seq / SEGMENT_SIZE)
}

/** The statements, prepared once a connection. */
export class TraceIndex {
  readonly #db: Database
  readonly #settled: Statement<[], number>
  readonly #setSettled: Statement<[number]>
  readonly #marks: Statement<[number, number], IndexedColumns>
  readonly #put: Statement<[string, string, number, number, string]>
  readonly #get: Statement<[string, string, number, number], string>
  readonly #putIds: Statement<[number, number]>
  readonly #hasId: Statement<[string, number], number>
  readonly #newestId: Statement<[string], number | null>
  readonly #nextId: Statement<[string], string>
  readonly #removeIds: Statement<[number]>
  readonly #keys: Statement<[string, string, number, number], IndexKey & { readonly part: number }>
  readonly #remove: Statement<[string, string, number, number]>
  readonly #count: Statement<[string, string, string, number]>
  readonly #lists = new Map<string, Statement<unknown[], PartRow>>()
  // Others may have settled more since, never less.
  #known = 0
  // What this connection wrote and has not settled: need not be read again, unless others wrote in between.
  #noted: IndexedColumns[] = []

  constructor(db: Database) {
    this.#db = db
    this.#settled = db.prepare<[], number>('SELECT seq FROM trace_settled').pluck()
    this.#setSettled = db.prepare('UPDATE trace_settled SET seq = ?')
    this.#marks = db.prepare(
      `SELECT seq, class, ${db.text('id')}, time, ${db.text('session')}, ${db.text('hook')} FROM trace
       WHERE seq BETWEEN ? AND ? ORDER BY seq`,
    )
    this.#put = db.prepare(
      'INSERT OR REPLACE INTO trace_place (kind, name, class, part, places) VALUES (?, ?, ?, ?, ?)',
    )
    this.#get = db
      .prepare<[string, string, number, number], string>(
        `SELECT ${db.text('places')} FROM trace_place WHERE kind = ? AND name = ? AND class = ? AND part = ?`,
      )
      .pluck()
    this.#putIds = db.prepare(
      'INSERT OR IGNORE INTO trace_id SELECT id, seq FROM trace WHERE seq > ? AND seq <= ? AND id IS NOT NULL',
    )
    this.#hasId = db.prepare<[string, number], number>('SELECT 1 FROM trace_id WHERE id = ? AND seq = ?').pluck()
    this.#newestId = db.prepare<[string], number | null>('SELECT max(seq) FROM trace_id WHERE id = ?').pluck()
    this.#nextId = db
      .prepare<[string], string>(
        `SELECT ${db.text('id')} FROM trace_id WHERE trace_id.id > ? ORDER BY trace_id.id LIMIT 1`,
      )
      .pluck()
    this.#removeIds = db.prepare(
      'DELETE FROM trace_id WHERE (id, seq) IN (SELECT id, seq FROM trace WHERE seq <= ? AND id IS NOT NULL)',
    )
    this.#keys = db.prepare(
      `SELECT ${db.text('kind')}, ${db.text('name')}, class, part FROM trace_place AS place
       WHERE (place.kind, place.name, class, part) > (?, ?, ?, ?)
       ORDER BY place.kind, place.name, class, part LIMIT ${SWEPT_AT_ONCE}`,
    )
    this.#remove = db.prepare('DELETE FROM trace_place WHERE kind = ? AND name = ? AND class = ? AND part = ?')
    this.#count = db.prepare(
      `INSERT INTO trace_counter (scope, key, name, count) VALUES (?, ?, ?, ?)
       ON CONFLICT (scope, key, name) DO UPDATE SET count = count + excluded.count`,
    )
  }

  /** The last record that is settled. */
  indexedUpTo(): number {
    this.#known = this.#settled.get() ?? 0
    return this.#known
  }

  /** Remembers a record that was just written, until its part is settled. */
  note(mark: IndexedColumns): void {
    this.#noted.push(mark)
  }

  /** Settles the parts that are complete when the chain ends here. In a transaction of its caller's. */
  indexSegments(head: number, classes: () => readonly TraceClass[]): void {
    const last = findSegment(head + 1) * SEGMENT_SIZE - 1
    if (last > this.#known && last > this.indexedUpTo()) this.indexUpTo(last, classes())
    if (this.#noted.length > SEGMENT_SIZE) this.#noted = this.#noted.filter(({ seq }) => seq > this.#known)
  }

  /** Settles everything up to this record, in the middle of a part too: that part is then written again later. */
  indexUpTo(last: number, classes: readonly TraceClass[]): void {
    const before = this.indexedUpTo()
    const byId = new Map(classes.map((row) => [row.id, row]))
    const additions = new CounterDeltas()
    for (let part = findSegment(before + 1); part * SEGMENT_SIZE <= last; part += PARTS_AT_ONCE) {
      const end = Math.min(last, (part + PARTS_AT_ONCE) * SEGMENT_SIZE - 1)
      const marks = this.#marksOf(part * SEGMENT_SIZE, end)
      this.#keepPlaces(marks)
      for (const mark of marks) {
        // The beginning of a part may have been settled before.
        if (mark.seq > before) count(additions, mark, byId)
      }
    }
    this.#putIds.run(before, last)
    for (const { scope, key, name, count } of additions.entries()) this.#count.run(scope, key, name, count)
    this.#setSettled.run(last)
    this.#known = last
  }

  /** The records after this one that are not settled, in order. */
  readUnindexed(after = 0): IndexedColumns[] {
    return this.#marks.all(Math.max(after, this.indexedUpTo()) + 1, Number.MAX_SAFE_INTEGER)
  }

  /** What the records that are not settled add to the counters. */
  countUnindexed(classes: readonly TraceClass[]): Iterable<Counted> {
    const byId = new Map(classes.map((row) => [row.id, row]))
    const additions = new CounterDeltas()
    for (const mark of this.readUnindexed()) count(additions, mark, byId)
    return additions.entries()
  }

  /** The parts that hold something of a key, or of both keys at once, with the records that they hold of it. */
  findSegments(key: IndexKey, other: IndexKey | undefined, range: SegmentRange): Segment[] {
    const own = [key.kind, key.name, key.class, range.first, range.last, range.limit]
    const given = other === undefined ? own : [other.kind, other.name, other.class, ...own]
    const rows = this.#statement(other !== undefined, range.isAscending).all(...given)
    return rows.map(({ part, places, others }) => ({ part, seqs: seqsOf(part, places, others) }))
  }

  /** The newest settled record with this id. */
  newestWith(id: string): number | undefined {
    return this.#newestId.get(id) ?? undefined
  }

  /** The next settled id in order. */
  idAfter(id: string): string | undefined {
    return this.#nextId.get(id)
  }

  /** Is a record found by all that it should be? Gives what it is not found by. */
  checkIndexed(): (mark: IndexedColumns) => string | undefined {
    const settled = this.indexedUpTo()
    const lists = new Map<string, ReadonlySet<number>>()
    let part = -1
    const isIn = (key: IndexKey, seq: number): boolean => {
      const at = `${key.class} ${key.kind} ${key.name}`
      const seqs = lists.get(at) ?? new Set(seqsOf(part, this.#get.get(key.kind, key.name, key.class, part) ?? '[]'))
      lists.set(at, seqs)
      return seqs.has(seq)
    }
    return (mark) => {
      if (mark.seq > settled) return undefined
      if (findSegment(mark.seq) !== part) lists.clear()
      part = findSegment(mark.seq)
      if (mark.id !== null && this.#hasId.get(mark.id, mark.seq) === undefined) return 'id'
      return keysOf(mark).find((key) => !isIn(key, mark.seq))?.kind
    }
  }

  /** Before records go: their ids go with them. In a transaction of its caller's. */
  removeIds(last: number): void {
    this.#removeIds.run(last)
  }

  /**
   * Removes some of the lists of parts that lie before this one, beginning after a key. Gives the key to go on after, or
   * nothing at the end. Lists that are left over do no harm: what was cut is not looked for.
   */
  compact(before: number, { kind, name, class: of, part }: IndexKey & { readonly part: number }) {
    const keys = this.#keys.all(kind, name, of, part)
    for (const key of keys) if (key.part < before) this.#remove.run(key.kind, key.name, key.class, key.part)
    return keys.at(-1)
  }

  #marksOf(first: number, last: number): readonly IndexedColumns[] {
    const noted = this.#noted.filter(({ seq }) => seq >= first && seq <= last)
    return noted.length === last - Math.max(first, 1) + 1 ? noted : this.#marks.all(first, last)
  }

  #keepPlaces(marks: readonly IndexedColumns[]): void {
    for (let at = 0; at < marks.length; ) {
      const part = findSegment(marks[at]?.seq ?? 0)
      const classes = new Map<number, PlacesOfClass>()
      for (let mark = marks[at]; mark !== undefined && findSegment(mark.seq) === part; mark = marks[++at]) {
        addPlace(classes, mark)
      }
      for (const [of, { all, hooks, sessions }] of classes) {
        this.#put.run('class', '', of, part, JSON.stringify(all))
        for (const [name, places] of hooks) this.#put.run('hook', name, of, part, JSON.stringify(places))
        for (const [name, places] of sessions) this.#put.run('session', name, of, part, JSON.stringify(places))
      }
    }
  }

  #statement(isOfTwo: boolean, isAscending: boolean): Statement<unknown[], PartRow> {
    const name = `${isOfTwo} ${isAscending}`
    const present =
      this.#lists.get(name) ?? this.#db.prepare<unknown[], PartRow>(listSql(this.#db, isOfTwo, isAscending))
    this.#lists.set(name, present)
    return present
  }
}

/** A part, and the records in it that were asked for, in no order. */
export interface Segment {
  readonly part: number
  readonly seqs: number[]
}

function listSql(db: Database, isOfTwo: boolean, isAscending: boolean): string {
  const both = `CROSS JOIN trace_place AS other
    ON other.kind = ? AND other.name = ? AND other.class = ? AND other.part = own.part`
  const columns = `${db.text('places')}${isOfTwo ? `, ${db.text('others')}` : ''}`
  return `SELECT part, ${columns} FROM (SELECT own.part AS part, own.places AS places${isOfTwo ? ', other.places AS others' : ''}
    FROM trace_place AS own ${isOfTwo ? both : ''}
    WHERE own.kind = ? AND own.name = ? AND own.class = ? AND own.part BETWEEN ? AND ?
    ORDER BY own.part ${isAscending ? 'ASC' : 'DESC'} LIMIT ?) ORDER BY part ${isAscending ? 'ASC' : 'DESC'}`
}

// Gathered without making a key for each record: it is done in the transaction of a step.
interface PlacesOfClass {
  readonly all: number[]
  readonly hooks: Map<string, number[]>
  readonly sessions: Map<string, number[]>
}

function addPlace(classes: Map<number, PlacesOfClass>, { seq, class: of, hook, session }: IndexedColumns): void {
  const own: PlacesOfClass = classes.get(of) ?? { all: [], hooks: new Map(), sessions: new Map() }
  if (own.all.length === 0) classes.set(of, own)
  const place = seq % SEGMENT_SIZE
  own.all.push(place)
  if (hook !== null) addTo(own.hooks, hook, place)
  if (session !== null) addTo(own.sessions, session, place)
}

function addTo(lists: Map<string, number[]>, name: string, place: number): void {
  const list = lists.get(name)
  if (list === undefined) lists.set(name, [place])
  else list.push(place)
}

function keysOf({ class: of, hook, session }: IndexedColumns): IndexKey[] {
  const keys: IndexKey[] = [{ kind: 'class', name: '', class: of }]
  if (hook !== null) keys.push({ kind: 'hook', name: hook, class: of })
  if (session !== null) keys.push({ kind: 'session', name: session, class: of })
  return keys
}

function seqsOf(part: number, places: string, others?: string): number[] {
  const own = JSON.parse(places) as number[]
  const shared = others === undefined ? undefined : new Set(JSON.parse(others) as number[])
  const wanted = shared === undefined ? own : own.filter((place) => shared.has(place))
  return wanted.map((place) => part * SEGMENT_SIZE + place)
}

function count(
  additions: CounterDeltas,
  { class: of, hook, time }: IndexedColumns,
  classes: ReadonlyMap<number, TraceClass>,
): void {
  const { kind = '', action = '', decision = '' } = classes.get(of) ?? {}
  additions.add({ kind, action, decision, hook: hook ?? undefined, time })
}
