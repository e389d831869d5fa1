// A connection that heals: waits when the database is locked, and when the file turns out damaged or was replaced under
// our feet, opens anew what stands there and does the work again.

import type Database from 'better-sqlite3'
import { DatabaseFile, type Place } from './database-file.ts'
import { isCorrupt, isUnavailable, storeUnavailable } from './errors.ts'
import { retryBusy, setAside } from './open.ts'
import type { OpenOptions } from './open-options.ts'

/** Holds a database and what was prepared on it. */
export class Connection<Prepared> {
  readonly #file: DatabaseFile
  readonly #prepare: (db: Database.Database) => Prepared
  #ready: Ready<Prepared> | undefined

  constructor(place: Place, options: OpenOptions, prepare: (db: Database.Database) => Prepared) {
    this.#file = typeof place === 'string' ? new DatabaseFile(place, options) : place
    this.#prepare = prepare
    this.#open()
  }

  /** Does something that may be done again: reads, or a whole transaction. */
  use<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    return this.#healing(({ prepared, db }) => work(prepared, db))
  }

  /** The same inside a transaction that has the right to write from its start. */
  write<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    this.#file.closeIfReplaced()
    return this.#healing((ready) => this.#inTransaction(ready, ready.beginWriting, work))
  }

  /** The same for a single statement, which is a transaction by itself. */
  writeOnce<T>(work: (prepared: Prepared) => T): T {
    this.#file.closeIfReplaced()
    return this.#healing(({ prepared }) => work(prepared))
  }

  /** Several questions that are answered from one moment, by the file that stands there now. */
  read<T>(work: (prepared: Prepared, db: Database.Database) => T): T {
    this.#file.closeIfReplaced()
    return this.#healing((ready) => this.#inTransaction(ready, ready.begin, work))
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#file.close()
    this.#ready = undefined
  }

  #healing<T>(work: (ready: Ready<Prepared>) => T): T {
    const { path, options } = this.#file
    try {
      return this.#attempt(work)
    } catch (error) {
      if (isUnavailable(error)) throw storeUnavailable(path, error)
      if (!isCorrupt(error)) throw error
      const seen = this.#file.inode
      this.close()
      setAside(path, error, options, seen)
      return this.#attempt(work)
    }
  }

  #attempt<T>(work: (ready: Ready<Prepared>) => T): T {
    return retryBusy(this.#file.path, this.#file.options, () => work(this.#open()))
  }

  // By statements that are prepared once: making a function for each transaction costs as much as a small one.
  #inTransaction<T>(
    { db, prepared, commit, rollBack }: Ready<Prepared>,
    begin: Database.Statement,
    work: (prepared: Prepared, db: Database.Database) => T,
  ): T {
    // Within another one of this process it is a part of that.
    const isInner = db.inTransaction
    if (!isInner) begin.run()
    try {
      if (isInner) return db.transaction(() => work(prepared, db))()
      const result = work(prepared, db)
      commit.run()
      return result
    } catch (error) {
      // What was learnt in a transaction that did not come to pass is not so.
      this.#ready = undefined
      if (!isInner && db.inTransaction) rollBack.run()
      throw error
    }
  }

  #open(): Ready<Prepared> {
    const { db } = this.#file.open()
    if (this.#ready?.db === db) return this.#ready
    this.#ready = {
      db,
      prepared: this.#prepare(db),
      begin: db.prepare('BEGIN'),
      beginWriting: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollBack: db.prepare('ROLLBACK'),
    }
    return this.#ready
  }
}

interface Ready<Prepared> {
  readonly db: Database.Database
  readonly prepared: Prepared
  readonly begin: Database.Statement
  readonly beginWriting: Database.Statement
  readonly commit: Database.Statement
  readonly rollBack: Database.Statement
}
