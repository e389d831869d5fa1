// The connection of a store. It waits when the database is locked; when the file turns out to be damaged or was replaced,
// it opens the file that is there now and repeats the work.

import { DatabaseFile, type DatabasePath } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import { isCorrupt, isUnavailable, storeUnavailable } from './errors.ts'
import { retryBusy, setAside } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitAll, inSavepoint, type TransactionStatements } from './writer-queue.ts'

/** A database and the statements that a store prepared on it. */
export class Connection<Prepared> {
  readonly #file: DatabaseFile
  readonly #prepare: (db: Database) => Prepared
  #ready: Ready<Prepared> | undefined

  constructor(path: DatabasePath, options: OpenOptions, prepare: (db: Database) => Prepared) {
    this.#file = typeof path === 'string' ? new DatabaseFile(path, options) : path
    this.#prepare = prepare
    this.#open()
  }

  /** Reads, the uncommitted writes of this process included. The work may be repeated. */
  use<T>(work: (prepared: Prepared, db: Database) => T): T {
    commitAll(this.#file.queue)
    return this.#healing(({ prepared, db }) => work(prepared, db))
  }

  /** Reads committed data only, all from one moment, from the file that is there now. The work may be repeated. */
  read<T>(work: (prepared: Prepared, db: Database) => T): T {
    commitAll()
    this.#file.closeIfReplaced()
    return this.#healing((ready) =>
      ready.db.inTransaction
        ? this.#inSavepoint(ready, work)
        : this.#inTransaction(ready, () => ready.begin.run(), work),
    )
  }

  /**
   * Writes in the shared transaction of this turn if the file has a writer queue, else in a separate transaction that is
   * committed on return. The work may be repeated. `entries` is the number of trace entries in it.
   */
  write<T>(work: (prepared: Prepared, db: Database) => T, entries = 0): T {
    const file = this.#file
    commitAll(file.queue)
    file.closeIfReplaced()
    return this.#healing((ready) => {
      const { queue } = file
      if (queue !== undefined && (queue.isOpen || !ready.db.inTransaction)) {
        return queue.write(ready, entries, () => this.#run(ready, work))
      }
      if (ready.db.inTransaction) return this.#inSavepoint(ready, work)
      const result = this.#inTransaction(ready, () => ready.beginWriting.run(), work)
      file.resumeQueue()
      return result
    })
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

  #inTransaction<T>(ready: Ready<Prepared>, begin: () => unknown, work: (prepared: Prepared, db: Database) => T): T {
    begin()
    try {
      const result = this.#run(ready, work)
      ready.commit.run()
      return result
    } catch (error) {
      this.#ready = undefined
      if (ready.db.inTransaction) ready.rollBack.run()
      throw error
    }
  }

  #inSavepoint<T>(ready: Ready<Prepared>, work: (prepared: Prepared, db: Database) => T): T {
    return inSavepoint(ready, () => this.#run(ready, work))
  }

  // Statements may remember what they read or wrote; after a rollback that is wrong, so they are prepared anew.
  #run<T>(ready: Ready<Prepared>, work: (prepared: Prepared, db: Database) => T): T {
    try {
      return work(ready.prepared, ready.db)
    } catch (error) {
      this.#ready = undefined
      throw error
    }
  }

  #open(): Ready<Prepared> {
    const { db } = this.#file.open()
    const { generation } = this.#file
    if (this.#ready?.db === db && this.#ready.generation === generation) return this.#ready
    const ready: Ready<Prepared> = {
      ...{ db, generation, prepared: this.#prepare(db) },
      begin: db.prepare('BEGIN'),
      beginWriting: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollBack: db.prepare('ROLLBACK'),
      savepoint: db.prepare('SAVEPOINT part'),
      release: db.prepare('RELEASE part'),
      rollBackTo: db.prepare('ROLLBACK TO part'),
    }
    this.#ready = ready
    return ready
  }
}

interface Ready<Prepared> extends TransactionStatements {
  readonly generation: number
  readonly prepared: Prepared
}
