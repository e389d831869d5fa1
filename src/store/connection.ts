// A connection that heals: waits when the database is locked, and when the file turns out damaged or was replaced under
// our feet, opens anew what stands there and does the work again.

import type Database from 'better-sqlite3'
import { isCorrupt, isUnavailable, storeUnavailable } from './errors.ts'
import { inodeOf, type Opened, type OpenOptions, openDatabase, retryBusy, setAside } from './open.ts'

/** Holds a database and what was prepared on it. */
export class Connection<Prepared> {
  readonly #file: string
  readonly #options: OpenOptions
  readonly #prepare: (db: Database.Database) => Prepared
  #opened: Opened | undefined
  #prepared: Prepared | undefined

  constructor(file: string, options: OpenOptions, prepare: (db: Database.Database) => Prepared) {
    this.#file = file
    this.#options = options
    this.#prepare = prepare
    this.#open()
  }

  /** Does something that may be done again: reads, or a whole transaction. */
  use<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    try {
      return this.#attempt(work)
    } catch (error) {
      if (isUnavailable(error)) throw storeUnavailable(this.#file, error)
      if (!isCorrupt(error)) throw error
      const seen = this.#opened?.inode
      this.close()
      setAside(this.#file, error, this.#options, seen)
      return this.#attempt(work)
    }
  }

  /** The same with the file that stands there now, which may have taken the place of the one that was opened. */
  read<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    this.#leaveReplaced()
    return this.use(work)
  }

  /** The same inside a transaction that has the right to write from its start. */
  write<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    this.#leaveReplaced()
    return this.use((prepared, db) => db.transaction(() => work(prepared, db)).immediate())
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#opened?.db.close()
    this.#opened = undefined
    this.#prepared = undefined
  }

  #leaveReplaced(): void {
    if (this.#opened !== undefined && inodeOf(this.#file) !== this.#opened.inode) this.close()
  }

  #attempt<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    return retryBusy(this.#file, this.#options, () => {
      const { db } = this.#open()
      return work(this.#prepared as Prepared, db)
    })
  }

  #open(): Opened {
    if (this.#opened === undefined) {
      this.#opened = openDatabase(this.#file, this.#options)
      this.#prepared = this.#prepare(this.#opened.db)
    }
    return this.#opened
  }
}
