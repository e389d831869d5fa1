// A connection that heals: waits when the database is locked, and when the file turns out damaged or was replaced under
// our feet, opens anew what stands there and does the work again.

import { DatabaseFile, type Place } from './database-file.ts'
import type { Database, Statement } from './driver/driver.ts'
import { isCorrupt, isUnavailable, storeUnavailable } from './errors.ts'
import { retryBusy, setAside } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitGroups, type GroupStatements, type WriteGroup } from './write-group.ts'

/** Holds a database and what was prepared on it. */
export class Connection<Prepared> {
  readonly #file: DatabaseFile
  readonly #prepare: (db: Database) => Prepared
  #ready: Ready<Prepared> | undefined

  constructor(place: Place, options: OpenOptions, prepare: (db: Database) => Prepared) {
    this.#file = typeof place === 'string' ? new DatabaseFile(place, options) : place
    this.#prepare = prepare
    this.#open()
  }

  /** Does something that may be done again: reads, or a whole transaction. */
  use<T>(work: (prepared: Prepared, db: Database) => T): T {
    const { group } = this.#file
    commitGroups(group)
    return this.#healing(({ prepared, db }) => {
      group?.flush()
      return work(prepared, db)
    })
  }

  /** The same inside a transaction that has the right to write from its start. */
  write<T>(work: (prepared: Prepared, db: Database) => T): T {
    this.#file.makeWay()
    return this.#healing((ready) => {
      if (!this.#joins(ready)) return this.#inTransaction(ready, ready.beginWriting, work)
      const group = this.#file.groupFor(ready.db, ready)
      group.flush()
      return group.add(() => this.#asPart(ready, work))
    })
  }

  /** The same for a single statement, which is a transaction by itself; not for where writes are grouped. */
  writeOnce<T>(work: (prepared: Prepared) => T): T {
    this.#file.makeWay()
    return this.#healing((ready) => {
      const result = work(ready.prepared)
      this.#file.noteKept()
      return result
    })
  }

  /**
   * Where writes are grouped, does something with what the group holds of it, which is written before the commit.
   * Elsewhere, what is done instead.
   */
  inGroup<T>(work: (group: WriteGroup, prepared: Prepared) => T, alone: () => T): T {
    if (!this.#file.isGrouping) return alone()
    this.#file.makeWay()
    return this.#healing((ready) => {
      if (!this.#joins(ready)) return alone()
      const group = this.#file.groupFor(ready.db, ready)
      return group.add(() => work(group, ready.prepared))
    })
  }

  /** The same with a group that is open already; undefined when none is. */
  inOpenGroup<T>(work: (group: WriteGroup, prepared: Prepared) => T): T | undefined {
    const { group } = this.#file
    return group && this.#healing(({ prepared }) => work(group, prepared))
  }

  /** Several questions that are answered from one moment, by the file that stands there now. */
  read<T>(work: (prepared: Prepared, db: Database) => T): T {
    // Of what is not committed nobody is told.
    commitGroups()
    this.#file.makeWay()
    return this.#healing((ready) => this.#inTransaction(ready, ready.begin, work))
  }

  /** The group of writes that is open, if one is. */
  get group(): WriteGroup | undefined {
    return this.#file.group
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

  // Unless it is a part of something else already.
  #joins({ db }: Ready<Prepared>): boolean {
    return this.#file.isGrouping && (this.#file.group !== undefined || !db.inTransaction)
  }

  // By statements that are prepared once: making a function for each transaction costs as much as a small one.
  #inTransaction<T>(ready: Ready<Prepared>, begin: Statement, work: (prepared: Prepared, db: Database) => T): T {
    const { db, prepared, commit, rollBack } = ready
    if (db.inTransaction) return this.#asPart(ready, work)
    begin.run()
    try {
      const result = work(prepared, db)
      commit.run()
      if (begin === ready.beginWriting) this.#file.noteKept()
      return result
    } catch (error) {
      // What was learnt in a transaction that did not come to pass is not so.
      this.#ready = undefined
      if (db.inTransaction) rollBack.run()
      throw error
    }
  }

  // Within another transaction of this process: kept or lost with that, and alone in leaving nothing behind when it fails.
  #asPart<T>(ready: Ready<Prepared>, work: (prepared: Prepared, db: Database) => T): T {
    const { db, prepared, beginPart, keepPart, rollBackPart } = ready
    beginPart.run()
    try {
      const result = work(prepared, db)
      keepPart.run()
      return result
    } catch (error) {
      this.#ready = undefined
      if (db.inTransaction) {
        rollBackPart.run()
        keepPart.run()
      }
      throw error
    }
  }

  #open(): Ready<Prepared> {
    const { db } = this.#file.open()
    const { generation } = this.#file
    if (this.#ready?.db === db && this.#ready.generation === generation) return this.#ready
    this.#ready = {
      db,
      generation,
      prepared: this.#prepare(db),
      begin: db.prepare('BEGIN'),
      beginWriting: db.prepare('BEGIN IMMEDIATE'),
      commit: db.prepare('COMMIT'),
      rollBack: db.prepare('ROLLBACK'),
      beginPart: db.prepare('SAVEPOINT part'),
      keepPart: db.prepare('RELEASE part'),
      rollBackPart: db.prepare('ROLLBACK TO part'),
    }
    return this.#ready
  }
}

interface Ready<Prepared> extends GroupStatements {
  readonly db: Database
  readonly generation: number
  readonly prepared: Prepared
  readonly begin: Statement
  readonly beginPart: Statement
  readonly keepPart: Statement
  readonly rollBackPart: Statement
}
