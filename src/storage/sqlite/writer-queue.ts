// The writes of a process to one database file. Trace entries wait in memory until the end of the turn of the event loop;
// one transaction then writes all of them, since a commit costs about as much as all writes of a call. Writes of the state
// run at once; in a process that answers many calls they are part of the same transaction.

import type { Draft } from '../../trace/seal.ts'
import type { Appended } from '../ports.ts'
import type { Database, Statement } from './driver/driver.ts'

/** Adds entries to the end of the chain, in a transaction of the queue. */
export type WriteEntries = (entries: readonly (readonly Draft[])[]) => readonly Appended[]

/** The statements of a transaction, prepared once per connection. */
export interface TransactionStatements {
  readonly db: Database
  readonly begin: Statement
  readonly beginWriting: Statement
  readonly commit: Statement
  readonly rollBack: Statement
  readonly savepoint: Statement
  readonly release: Statement
  readonly rollBackTo: Statement
}

export interface WriterQueueEvents {
  /** A transaction was committed, with this number of trace entries. */
  onCommitted(entries: number): void
  /** The error that an entry which cannot be written is rejected with. */
  toError(error: unknown): unknown
}

interface WaitingEntry {
  readonly drafts: readonly Draft[]
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
}

const busyQueues = new Set<WriterQueue>()

/** Commits the open transactions of this process, but for one queue: a second connection would wait for their locks. */
export function commitAll(except?: WriterQueue): void {
  for (const queue of busyQueues) if (queue !== except && queue.isOpen) queue.flush()
}

/** Writes and commits everything that waits in this process. */
export function flushAll(): void {
  for (const queue of busyQueues) queue.flush()
}

// A program that ends without closing its stores still keeps what it appended.
process.once('exit', flushAll)

/** The entries that wait, and at most one open transaction. */
export class WriterQueue {
  readonly #events: WriterQueueEvents
  #write: WriteEntries | undefined
  #waiting: WaitingEntry[] = []
  #open: TransactionStatements | undefined
  #turn: NodeJS.Immediate | undefined
  #isBusy = false

  constructor(events: WriterQueueEvents) {
    this.#events = events
  }

  /** Has this queue an open transaction? */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** How entries are written. Several stores of one file write them in the same way. */
  attach(write: WriteEntries): void {
    this.#write = write
  }

  /** Adds an entry. Resolves when it is committed. */
  append(drafts: readonly Draft[]): Promise<Appended> {
    return new Promise((resolve, reject) => {
      this.#waiting.push({ drafts, resolve, reject })
      this.#schedule()
    })
  }

  /** Runs a write in the transaction of this turn. */
  join<T>(statements: TransactionStatements, work: () => T): T {
    if (this.#open?.db.inTransaction !== true) this.#begin(statements)
    const wasBusy = this.#isBusy
    this.#isBusy = true
    try {
      return work()
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction.
      if (!statements.db.inTransaction) this.#end()
      throw error
    } finally {
      this.#isBusy = wasBusy
    }
  }

  /** Writes the entries that wait, and commits. Not in the middle of a write: the end of the turn does it then. */
  flush(): void {
    if (this.#isBusy || (this.#open === undefined && this.#waiting.length === 0)) return
    const entries = this.#waiting
    this.#waiting = []
    try {
      const appended = this.#commit(entries)
      entries.forEach(({ resolve }, at) => void resolve(appended[at] as Appended))
    } catch (error) {
      for (const { reject } of entries) reject(this.#events.toError(error))
    }
  }

  /** Forgets the open transaction: its connection is closed. */
  abandon(): void {
    this.#end()
  }

  #commit(entries: readonly WaitingEntry[]): readonly Appended[] {
    this.#isBusy = true
    try {
      const drafts = entries.map((entry) => entry.drafts)
      const appended = drafts.length === 0 ? [] : (this.#write?.(drafts) ?? [])
      this.#open?.commit.run()
      this.#events.onCommitted(entries.length)
      return appended
    } catch (error) {
      if (this.#open?.db.inTransaction === true) this.#open.rollBack.run()
      throw error
    } finally {
      this.#isBusy = false
      this.#end()
    }
  }

  #begin(statements: TransactionStatements): void {
    statements.beginWriting.run()
    this.#open = statements
    this.#schedule()
  }

  #schedule(): void {
    if (this.#turn !== undefined) return
    busyQueues.add(this)
    this.#turn = setImmediate(() => {
      this.#turn = undefined
      this.flush()
    })
  }

  #end(): void {
    this.#open = undefined
    if (this.#waiting.length > 0) return
    busyQueues.delete(this)
    clearImmediate(this.#turn)
    this.#turn = undefined
  }
}

/** Runs work inside an open transaction so that it leaves nothing behind when it throws. */
export function inSavepoint<T>({ db, savepoint, release, rollBackTo }: TransactionStatements, work: () => T): T {
  savepoint.run()
  try {
    const result = work()
    release.run()
    return result
  } catch (error) {
    if (db.inTransaction) {
      rollBackTo.run()
      release.run()
    }
    throw error
  }
}
