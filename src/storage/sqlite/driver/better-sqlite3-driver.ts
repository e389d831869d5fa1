// SQLite as the package better-sqlite3 brings it. An optional peer: it is compiled when it is installed.

import { createRequire } from 'node:module'
import { type Database, type Driver, type OpenFlags, SqliteError, type Statement } from './driver.ts'

// Its types are not needed for the little that is used.
interface BetterDatabase {
  readonly inTransaction: boolean
  prepare(sql: string): Statement<never, never>
  exec(sql: string): unknown
  pragma(sql: string, options: { readonly simple: true }): unknown
  close(): unknown
}

type BetterSqlite = new (
  file: string,
  options: { readonly timeout: number; readonly readonly: boolean; readonly fileMustExist: boolean },
) => BetterDatabase

/** Throws with the reason where the package is not installed or cannot be loaded. */
export function loadBetterSqliteDriver(): Driver {
  const require = createRequire(import.meta.url)
  const path = require.resolve('better-sqlite3')
  const Sqlite = require(path) as BetterSqlite
  // Its compiled part is loaded by the first connection only.
  new Sqlite(':memory:', { timeout: 0, readonly: false, fileMustExist: false }).close()
  return {
    name: 'better-sqlite3',
    open: (file, flags) => new BetterSqliteDatabase(Sqlite, file, flags),
    checkpointSource: `(file) => {
      const Sqlite = require(${JSON.stringify(path)})
      const db = new Sqlite(file, { fileMustExist: true })
      try { db.pragma('wal_checkpoint(PASSIVE)') } finally { db.close() }
    }`,
  }
}

// Rows, parameters and codes of errors are already as the interface has them.
class BetterSqliteDatabase implements Database {
  readonly #db: BetterDatabase

  constructor(Sqlite: BetterSqlite, file: string, { timeoutMs = 0, isReadOnly = false }: OpenFlags = {}) {
    try {
      this.#db = new Sqlite(file, { timeout: timeoutMs, readonly: isReadOnly, fileMustExist: isReadOnly })
    } catch (error) {
      if (!(error instanceof TypeError)) throw error
      // Its own check of the folder.
      throw new SqliteError(error.message, 'SQLITE_CANTOPEN', error)
    }
  }

  get inTransaction(): boolean {
    return this.#db.inTransaction
  }

  prepare<Parameters extends readonly unknown[], R>(sql: string): Statement<Parameters, R> {
    return this.#db.prepare(sql) as unknown as Statement<Parameters, R>
  }

  exec(sql: string): void {
    this.#db.exec(sql)
  }

  pragma(sql: string): unknown {
    return this.#db.pragma(sql, { simple: true })
  }

  close(): void {
    this.#db.close()
  }
}
