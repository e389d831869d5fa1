// A database and the statements of a store, opened at the first use and whenever the file turns out to be another. All stores
// use this: it waits while the database is locked; when the file turns out to be damaged or was replaced, it opens the
// file that is there now and repeats the work.

import { DatabaseFile, type DatabasePath, MAX_BLOCK_MS } from './database-file.ts'
import type { Database } from './driver/driver.ts'
import { isChanged, isCorrupt, isLocked, isOutOfSpace, isUnavailable, storeBusy, storeUnavailable } from './errors.ts'
import { retryBusy } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { inSavepoint, type TransactionStatements } from './transaction-statements.ts'
import { commitAll, flushAll } from './writer-queue.ts'

type Work<Prepared, T> = (prepared: Prepared, db: Database) => T

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

  get file(): DatabaseFile {
    return this.#file
  }

  /** Reads, the uncommitted writes of this process to the state included. The work may be repeated. */
  use<T>(work: Work<Prepared, T>): T {
    commitAll(this.#file.queue)
    return this.#healing(({ prepared, db }) => work(prepared, db))
  }

  /** Reads committed data only, all from one moment, from the file that is there now. The work may be repeated. */
  read<T>(work: Work<Prepared, T>): T {
    flushAll()
    this.#file.checkFiles()
    return this.#healing((ready) =>
      ready.db.inTransaction
        ? inSavepoint(ready, () => work(ready.prepared, ready.db))
        : this.#inTransaction(ready, work, 'read'),
    )
  }

  /**
   * Writes in the transaction of this turn if writes of this file are grouped, else in a separate transaction that is
   * committed on return. The work may be repeated. Work that throws leaves nothing behind.
   */
  write<T>(work: Work<Prepared, T>): T {
    return this.#write(work, (ready) => inSavepoint(ready, () => work(ready.prepared, ready.db)))
  }

  /** Like `write`, for work that throws only before its first statement or in its last: no savepoint is needed. */
  writeOne<T>(work: Work<Prepared, T>): T {
    return this.#write(work, (ready) => work(ready.prepared, ready.db))
  }

  /** Writes in the transaction that the writer queue is about to commit. */
  join<T>(work: Work<Prepared, T>): T {
    const { queue } = this.#file
    commitAll(queue)
    const blockMs = Math.min(MAX_BLOCK_MS, this.#file.blockMs)
    return this.#healing((ready) => queue.join(ready, () => work(ready.prepared, ready.db)), blockMs)
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#file.close()
    this.#ready = undefined
  }

  #write<T>(work: Work<Prepared, T>, inOpenTransaction: (ready: Ready<Prepared>) => T): T {
    const { queue, isGrouped, path } = this.#file
    if (isGrouped && queue.isBlocked) throw storeBusy(path, 0)
    commitAll(queue)
    // Grouped writes are checked with their commit.
    if (!isGrouped) this.#file.checkFiles()
    return this.#healing((ready) => {
      if (isGrouped) return queue.join(ready, () => inOpenTransaction(ready))
      return ready.db.inTransaction ? inOpenTransaction(ready) : this.#inTransaction(ready, work, 'write')
    })
  }

  #healing<T>(work: (ready: Ready<Prepared>) => T, blockMs = this.#file.blockMs): T {
    const { path } = this.#file
    try {
      return this.#attempt(work, blockMs)
    } catch (error) {
      if (isOutOfSpace(error) && this.#file.makeRoom()) return this.#attempt(work, blockMs)
      if (isChanged(error) && this.#file.checkFiles() !== undefined) return this.#attempt(work, blockMs)
      if (isLocked(error) && this.#file.isGrouped) this.#file.queue.block()
      if (isUnavailable(error)) throw storeUnavailable(path, error)
      if (!isCorrupt(error)) throw error
      this.#file.setAside(error)
      return this.#attempt(work, blockMs)
    }
  }

  #attempt<T>(work: (ready: Ready<Prepared>) => T, waitMs: number): T {
    return retryBusy(this.#file.path, { waitMs }, () => work(this.#open()))
  }

  #inTransaction<T>(ready: Ready<Prepared>, work: Work<Prepared, T>, kind: 'read' | 'write'): T {
    const { db, prepared, begin, beginWriting, commit, rollBack } = ready
    const first = kind === 'write' ? beginWriting : begin
    first.run()
    try {
      const result = work(prepared, db)
      if (kind === 'write') this.#file.refuseChanged()
      commit.run()
      return result
    } catch (error) {
      if (db.inTransaction) rollBack.run()
      throw error
    }
  }

  #open(): Ready<Prepared> {
    const { db } = this.#file.open()
    if (this.#ready?.db === db) return this.#ready
    const ready: Ready<Prepared> = {
      ...{ db, prepared: this.#prepare(db) },
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
  readonly prepared: Prepared
}
