// The statements of the trace's tables, and rows as the rest of the store sees them. SQL stands here and in the reader.

import type { Counter } from '../../trace/counter-deltas.ts'
import type { Sealed } from '../../trace/seal.ts'
import type { Database, Statement } from './driver/driver.ts'
import type { IndexedColumns } from './trace-index.ts'

/** A record as it is kept. */
export interface TraceRow {
  readonly seq: number
  readonly class: number
  readonly step: number | null
  readonly id: string | null
  readonly time: number
  readonly clock: number
  readonly session: string | null
  readonly hook: string | null
  readonly hash: string
  readonly body: string
}

/** One end of the chain: the cut before its first record, or the head, its last. */
export interface ChainEnd {
  readonly seq: number
  readonly hash: string
  readonly clock: number
  /** How long the texts of all records are; of the head only. */
  readonly bytes: number
}

export interface TraceClass {
  readonly id: number
  readonly kind: string
  readonly component: string
  readonly action: string
  readonly decision: string
}

// An hour has at most so many counters.
const NAMES_OF_A_TALLY = 6

type Counted = Counter & { readonly count: number }

/** The statements, prepared once a connection. */
export class TraceRows {
  readonly #end: Statement<[string], ChainEnd>
  readonly #setEnd: Statement<[number, string, number, number, string]>
  readonly #insert: Statement<
    [number, number, number | null, string | null, number, number, string | null, string | null, string, string]
  >
  readonly #counters: Statement<[number], Counted>
  readonly #page: Statement<[number, number], TraceRow>
  readonly #one: Statement<[number], TraceRow>
  readonly #body: Statement<[number], string>
  readonly #clock: Statement<[number], number>
  readonly #time: Statement<[number], number>
  readonly #classes: Statement<[], TraceClass>
  readonly #addClass: Statement<[string, string, string, string]>
  // By action.
  readonly #known = new Map<string, readonly TraceClass[]>()

  constructor(db: Database) {
    this.#end = db.prepare(`SELECT seq, ${db.text('hash')}, clock, bytes FROM trace_end WHERE name = ?`)
    this.#setEnd = db.prepare('UPDATE trace_end SET seq = ?, hash = ?, clock = ?, bytes = ? WHERE name = ?')
    this.#insert = db.prepare(
      'INSERT INTO trace (seq, class, step, id, time, clock, session, hook, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    )
    this.#counters = db.prepare(
      `SELECT ${db.text('scope')}, ${db.text('key')}, ${db.text('name')}, count FROM
         (SELECT * FROM trace_counter WHERE scope IN ('records', 'total', 'hook')
          UNION ALL SELECT * FROM (SELECT * FROM trace_counter WHERE scope = 'hour' ORDER BY key DESC LIMIT ?))`,
    )
    const columns = ['id', 'session', 'hook', 'hash', 'body'].map((name) => db.text(name)).join(', ')
    this.#page = db.prepare(
      `SELECT seq, class, step, time, clock, ${columns} FROM trace WHERE seq > ? ORDER BY seq LIMIT ?`,
    )
    this.#one = db.prepare(`SELECT seq, class, step, time, clock, ${columns} FROM trace WHERE seq = ?`)
    this.#body = db.prepare<[number], string>(`SELECT ${db.text('body')} FROM trace WHERE seq = ?`).pluck()
    this.#clock = db.prepare<[number], number>('SELECT clock FROM trace WHERE seq = ?').pluck()
    this.#time = db.prepare<[number], number>('SELECT time FROM trace WHERE seq = ?').pluck()
    this.#classes = db.prepare(
      `SELECT id, ${['kind', 'component', 'action', 'decision'].map((name) => db.text(name)).join(', ')} FROM trace_class`,
    )
    this.#addClass = db.prepare(
      'INSERT OR IGNORE INTO trace_class (kind, component, action, decision) VALUES (?, ?, ?, ?)',
    )
  }

  end(name: 'cut' | 'head'): ChainEnd {
    const end = this.#end.get(name)
    // A row that was taken away is a chain that says it is empty; the records then say otherwise.
    return end ?? { seq: 0, hash: '', clock: 0, bytes: 0 }
  }

  setEnd(name: 'cut' | 'head', { seq, hash, clock, bytes }: ChainEnd): void {
    this.#setEnd.run(seq, hash, clock, bytes, name)
  }

  /** Keeps a record; gives what it is found by. */
  insert(link: Sealed): IndexedColumns {
    const { seq, time, clock, hash, body } = link
    const of = this.#classOf(link)
    const id = link.kind === 'evaluation' ? null : link.id
    const { session = null, hook = null, step = null } = link
    this.#insert.run(seq, of, step, id, time, clock, session, hook, hash, body)
    return { seq, class: of, id, time, session, hook }
  }

  /** All counters of what is settled, of the hours only the newest. */
  counters(hours: number): Counted[] {
    return this.#counters.all(hours * NAMES_OF_A_TALLY)
  }

  /** Some records after a place, in order. */
  page(after: number, limit: number): TraceRow[] {
    return this.#page.all(after, limit)
  }

  one(seq: number): TraceRow | undefined {
    return this.#one.get(seq)
  }

  body(seq: number): string | undefined {
    return this.#body.get(seq)
  }

  clock(seq: number): number | undefined {
    return this.#clock.get(seq)
  }

  time(seq: number): number | undefined {
    return this.#time.get(seq)
  }

  classes(): TraceClass[] {
    return this.#classes.all()
  }

  #classOf(link: Sealed): number {
    const known = findClass(this.#known.get(link.action), link)
    if (known !== undefined) return known.id
    const { kind, component, action, decision = '' } = link
    this.#addClass.run(kind, component, action, decision)
    this.#known.clear()
    for (const row of this.classes()) this.#known.set(row.action, [...(this.#known.get(row.action) ?? []), row])
    return findClass(this.#known.get(action), link)?.id ?? 0
  }
}

// Without making a key for each record: there are few of one action.
function findClass(classes: readonly TraceClass[] | undefined, link: Sealed): TraceClass | undefined {
  const { kind, component, decision = '' } = link
  return classes?.find((row) => row.kind === kind && row.component === component && row.decision === decision)
}
