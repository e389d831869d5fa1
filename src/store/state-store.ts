// State in SQLite: compare-and-set in one statement, so that of two processes that race exactly one wins.

import type Database from 'better-sqlite3'
import type { StateEntry, StateStore } from '../supervision/state.ts'
import { Connection } from './connection.ts'
import type { Place } from './database-file.ts'
import type { OpenOptions } from './open-options.ts'

interface Row {
  readonly key: string
  readonly value: string
  readonly version: number
}

type Prepared = ReturnType<typeof prepare>

export interface StateStoreOptions extends OpenOptions {
  /** Wall-clock milliseconds, by which values expire; those of the process unless given. */
  readonly wall?: () => number
}

// Each value that is made and will expire takes so many along that have: so the table never holds more than what lives
// at one time, whoever writes, and nobody has to sweep.
const SWEPT_AT_ONCE = 4
const MAX_ROUND_MS = 600_000

/**
 * State in a database file.
 * @example
 * const state = new SqliteStateStore('/home/me/.arc/arc.db')
 */
export class SqliteStateStore implements StateStore {
  readonly #connection: Connection<Prepared>
  readonly #wall: () => number

  constructor(place: Place, { wall = Date.now, ...options }: StateStoreOptions = {}) {
    this.#connection = new Connection(place, options, prepare)
    this.#wall = wall
  }

  get(key: string): StateEntry | undefined {
    return this.#connection.use(({ one }) => entryOf(one.get(key)))
  }

  set(key: string, value: unknown, version: number, keepMs?: number): boolean {
    const written = { key, text: JSON.stringify(value ?? null), version, keepMs }
    // What is there is replaced by one statement; what is made may take others along.
    if (version > 0) return this.#connection.writeOnce((prepared) => this.#write(prepared, written))
    return this.#connection.write((prepared) => this.#write(prepared, written))
  }

  remove(key: string, version: number): boolean {
    return this.#connection.write((prepared) => removeFrom(prepared, key, version))
  }

  list(prefix: string): readonly StateEntry[] {
    return this.#connection.use(({ range }) =>
      range.all(prefix, `${prefix}${LAST_CHARACTER}`).map((row) => entryOf(row)),
    )
  }

  change<T>(key: string, change: (value: T | undefined) => T | undefined, keepMs?: number): T | undefined {
    return this.#connection.write((prepared) => {
      const entry = entryOf(prepared.one.get(key))
      const before = entry?.value as T | undefined
      const after = change(before)
      if (after === undefined) return before
      this.#write(prepared, { key, text: JSON.stringify(after), version: entry?.version ?? 0, keepMs })
      return after
    })
  }

  /** Safe to call twice. */
  close(): void {
    this.#connection.close()
  }

  #write(prepared: Prepared, { key, text, version, keepMs }: Written): boolean {
    const now = keepMs === undefined ? 0 : Math.floor(this.#wall())
    const expires = keepMs === undefined ? null : expiryOf(now, keepMs)
    if (version > 0) return prepared.replace.run(text, expires, key, version).changes > 0
    if (expires !== null) sweep(prepared, now)
    return prepared.insert.run(key, text, expires).changes > 0
  }
}

// A little later than asked for, at round times: what is written to again soon after keeps its place in the index.
function expiryOf(now: number, keepMs: number): number {
  const roundMs = Math.max(1, Math.min(MAX_ROUND_MS, Math.floor(keepMs / 64)))
  return Math.ceil((now + keepMs) / roundMs) * roundMs
}

interface Written {
  readonly key: string
  readonly text: string
  readonly version: number
  readonly keepMs: number | undefined
}

// Keys are compared by their bytes, and nothing has higher ones.
const LAST_CHARACTER = '\u{10ffff}'

function prepare(db: Database.Database) {
  return {
    one: db.prepare<[string], Row>('SELECT key, value, version FROM state WHERE key = ?'),
    range: db.prepare<[string, string], Row>(
      'SELECT key, value, version FROM state WHERE key >= ? AND key < ? ORDER BY key',
    ),
    insert: db.prepare<[string, string, number | null]>(
      `INSERT INTO state (key, value, version, expires)
       SELECT ?, ?, version + 1, ? FROM state_removed WHERE true ON CONFLICT DO NOTHING`,
    ),
    replace: db.prepare<[string, number | null, string, number]>(
      'UPDATE state SET value = ?, version = version + 1, expires = ? WHERE key = ? AND version = ?',
    ),
    expired: db.prepare<[number], Pick<Row, 'key' | 'version'>>(
      `SELECT key, version FROM state WHERE expires <= ? ORDER BY expires LIMIT ${SWEPT_AT_ONCE}`,
    ),
    remove: db.prepare<[string, number]>('DELETE FROM state WHERE key = ? AND version = ?'),
    noteRemoved: db.prepare<[number]>('UPDATE state_removed SET version = max(version, ?)'),
  }
}

function removeFrom({ remove, noteRemoved }: Prepared, key: string, version: number): boolean {
  if (remove.run(key, version).changes === 0) return false
  noteRemoved.run(version)
  return true
}

function sweep(prepared: Prepared, now: number): void {
  for (const { key, version } of prepared.expired.all(now)) removeFrom(prepared, key, version)
}

function entryOf(row: Row): StateEntry
function entryOf(row: Row | undefined): StateEntry | undefined
function entryOf(row: Row | undefined): StateEntry | undefined {
  return row && { key: row.key, value: JSON.parse(row.value) as unknown, version: row.version }
}
