// The facts of a trace database that anchors are compared with.

import type { TraceFacts } from '../../trace/anchors.ts'
import { Connection } from './connection.ts'
import type { DatabasePath } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'

interface Origin {
  readonly id: string
  readonly created: number
  readonly anchored: number
}

interface EndRow {
  readonly name: 'cut' | 'head'
  readonly seq: number
  readonly hash: string
}

type Prepared = ReturnType<typeof prepare>

/** Reads the facts, all from one moment. */
export class TraceFactsReader {
  readonly #connection: Connection<Prepared>

  constructor(path: DatabasePath, options: OpenOptions = {}) {
    this.#connection = new Connection(path, options, prepare)
  }

  read<T>(work: (facts: TraceFacts) => T): T {
    return this.#connection.read((prepared) => work(readFacts(prepared)))
  }

  /** Notes in the database that anchors of it were written. */
  setAnchored(): void {
    this.#connection.write(({ setAnchored }) => setAnchored.run())
  }

  /** Safe to call twice. */
  close(): void {
    this.#connection.close()
  }
}

function prepare(db: Database) {
  return {
    origin: db.prepare<[], Origin>('SELECT id, created, anchored FROM database_origin'),
    ends: db.prepare<[], EndRow>('SELECT name, seq, hash FROM trace_end'),
    hash: db.prepare<[number], string>('SELECT hash FROM trace WHERE seq = ?').pluck(),
    setAnchored: db.prepare('UPDATE database_origin SET anchored = 1'),
  }
}

function readFacts({ origin, ends, hash }: Prepared): TraceFacts {
  // Rows that were taken away count as a database that is another and empty.
  const { id, created, anchored } = origin.get() ?? { id: '', created: 0, anchored: 0 }
  const rows = ends.all()
  const end = (name: EndRow['name']) => {
    const { seq, hash: last } = rows.find((row) => row.name === name) ?? { seq: 0, hash: '' }
    return { seq, hash: last }
  }
  const facts = { database: id, created, isAnchored: anchored === 1, cut: end('cut'), head: end('head') }
  return { ...facts, hashAt: (seq) => hash.get(seq) }
}
