// State in SQLite: compare-and-set in one statement, so that of two processes that race exactly one wins.

import type { StateEntry, StateStore } from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabasePath } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'
import { StateRedactor } from './state-redaction.ts'

interface Row {
  readonly key: string
  readonly value: string
  readonly version: number
}

interface Written {
  readonly key: string
  readonly text: string
  /** The version that the value must still have; 0: the key does not exist yet. */
  readonly version: number
  readonly expires: number | null
}

type Prepared = ReturnType<typeof prepare>

export interface StateStoreOptions extends OpenOptions {
  /** Wall-clock milliseconds, by which values expire; those of the process unless given. */
  readonly wall?: () => number
}

// Each new value that expires removes some expired values, so the table holds little more than the live values, without a
// cleanup job. Values created together do this together.
const EXPIRED_PER_VALUE = 4
const EXPIRE_INTERVAL_MS = 50
const MAX_BEFORE_EXPIRE = 16
const MAX_ROUND_MS = 200

/**
 * State in a database file.
 * @example
 * const state = new SqliteStateStore('/home/me/.arc/arc.db')
 */
export class SqliteStateStore implements StateStore {
  readonly #connection: Connection<Prepared>
  readonly #wall: () => number
  readonly #redactor = new StateRedactor()
  #expiredAt = Number.NEGATIVE_INFINITY
  #newValues = 0

  constructor(path: DatabasePath, { wall = Date.now, ...options }: StateStoreOptions = {}) {
    this.#connection = new Connection(path, options, prepare)
    this.#wall = wall
  }

  get(key: string): StateEntry | undefined {
    return this.#connection.use(({ one }) => toEntry(one.get(key)))
  }

  set(key: string, value: unknown, version: number, ttlMs?: number): boolean {
    const now = ttlMs === undefined ? 0 : Math.floor(this.#wall())
    const expires = ttlMs === undefined ? null : computeExpiry(now, ttlMs)
    const written = { key, text: this.#textOf(key, value ?? null), version, expires }
    const due = version === 0 && expires !== null ? this.#expiriesDue(now) : 0
    return this.#connection.writeOne((prepared) => {
      if (due > 0) this.#expire(prepared, now, due)
      return write(prepared, written)
    })
  }

  remove(key: string, version: number): boolean {
    return this.#connection.writeOne((prepared) => this.#remove(prepared, key, version))
  }

  list(prefix: string): readonly StateEntry[] {
    return this.#connection.use(({ range }) =>
      range.all(prefix, `${prefix}${LAST_CHARACTER}`).map((row) => toEntry(row)),
    )
  }

  change<T>(key: string, change: (value: T | undefined) => T | undefined, ttlMs?: number): T | undefined {
    return this.#connection.write((prepared) => {
      const entry = toEntry(prepared.one.get(key))
      const before = entry?.value as T | undefined
      const after = change(before)
      if (after === undefined) return before
      const expires = ttlMs === undefined ? null : computeExpiry(Math.floor(this.#wall()), ttlMs)
      write(prepared, { key, text: this.#textOf(key, after), version: entry?.version ?? 0, expires })
      return after
    })
  }

  /** Safe to call twice. */
  close(): void {
    this.#connection.close()
  }

  #textOf(key: string, value: unknown): string {
    return JSON.stringify(this.#redactor.clean(key, value))
  }

  #remove({ remove, noteRemoved }: Prepared, key: string, version: number): boolean {
    if (remove.run(key, version).changes === 0) return false
    noteRemoved.run(version)
    return true
  }

  #expiriesDue(now: number): number {
    this.#newValues++
    if (Math.abs(now - this.#expiredAt) < EXPIRE_INTERVAL_MS && this.#newValues < MAX_BEFORE_EXPIRE) return 0
    const due = this.#newValues * EXPIRED_PER_VALUE
    this.#expiredAt = now
    this.#newValues = 0
    return due
  }

  #expire(prepared: Prepared, now: number, count: number): void {
    for (const { key, version } of prepared.expired.all(now, count)) this.#remove(prepared, key, version)
  }
}

// Rounded up: a value that is written again soon keeps its position in the index, and values written together are neighbours
// in it.
function computeExpiry(now: number, ttlMs: number): number {
  const roundMs = Math.max(1, Math.min(MAX_ROUND_MS, Math.floor(ttlMs / 64)))
  return Math.ceil((now + ttlMs) / roundMs) * roundMs
}

function write({ insert, replace }: Prepared, { key, text, version, expires }: Written): boolean {
  const row = version > 0 ? replace.get(text, expires, key, version) : insert.get(key, text, expires)
  return row !== undefined
}

// Keys are compared by their bytes, and nothing has higher ones.
const LAST_CHARACTER = '\u{10ffff}'

function prepare(db: Database) {
  return {
    one: db.prepare<[string], Row>('SELECT key, value, version FROM state WHERE state.key = ?'),
    range: db.prepare<[string, string], Row>(
      `SELECT key, value, version FROM state
       WHERE state.key >= ? AND state.key < ? ORDER BY state.key`,
    ),
    insert: db.prepare<[string, string, number | null], Pick<Row, 'version'>>(
      `INSERT INTO state (key, value, version, expires)
       SELECT ?, ?, version + 1, ? FROM state_removed WHERE true ON CONFLICT DO NOTHING RETURNING version`,
    ),
    replace: db.prepare<[string, number | null, string, number], Pick<Row, 'version'>>(
      'UPDATE state SET value = ?, version = version + 1, expires = ? WHERE key = ? AND version = ? RETURNING version',
    ),
    expired: db.prepare<[number, number], Pick<Row, 'key' | 'version'>>(
      'SELECT key, version FROM state WHERE expires <= ? ORDER BY expires LIMIT ?',
    ),
    remove: db.prepare<[string, number]>('DELETE FROM state WHERE key = ? AND version = ?'),
    noteRemoved: db.prepare<[number]>('UPDATE state_removed SET version = max(version, ?)'),
  }
}

function toEntry(row: Row): StateEntry
function toEntry(row: Row | undefined): StateEntry | undefined
function toEntry(row: Row | undefined): StateEntry | undefined {
  return row && { key: row.key, value: JSON.parse(row.value) as unknown, version: row.version }
}
