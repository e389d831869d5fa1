// The writes of a process that answers many calls at once: those of a turn of the event loop share one transaction, since
// a commit costs about as much as all writes of a call. This process reads its own writes at once; other processes see
// them with the commit. An answer that depends on a write waits for `committed`.

import type { Database, Statement } from './driver/driver.ts'

/** Receives the end of each transaction, with its number of trace entries. */
export interface WriterQueueEvents {
  onCommitted(entries: number): void
  /** The transaction was rolled back. */
  onLost(error: unknown, entries: number): void
}

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

// Other processes that want to write wait for an open transaction, and so does an answer.
const MAX_OPEN_MS = 16

const openQueues = new Set<WriterQueue>()

/** Commits the open transactions of this process, but for one queue: a second connection would wait for their locks. */
export function commitAll(except?: WriterQueue): void {
  for (const queue of openQueues) if (queue !== except) queue.commit()
}

interface OpenTransaction {
  readonly statements: TransactionStatements
  readonly startedAt: number
  readonly done: Promise<void>
  readonly finish: () => void
  timer: NodeJS.Immediate
  writes: number
  /** Of the writes, how many there were one turn ago. */
  writesBefore: number
  entries: number
}

/** At most one open transaction. */
export class WriterQueue {
  readonly #events: WriterQueueEvents
  #open: OpenTransaction | undefined
  #depth = 0

  constructor(events: WriterQueueEvents) {
    this.#events = events
  }

  /** Has this queue an open transaction? */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Resolves when all writes so far are committed or lost; undefined when none is waiting. */
  committed(): Promise<void> | undefined {
    return this.#open?.done
  }

  /** Runs a write in the transaction of this turn. A write that throws leaves nothing behind; the others stay. */
  write<T>(statements: TransactionStatements, entries: number, work: () => T): T {
    if (!this.#takesMore()) this.commit()
    this.#open ??= this.#begin(statements)
    const open = this.#open
    open.writes++
    this.#depth++
    try {
      const result = inSavepoint(statements, work)
      open.entries += entries
      return result
    } catch (error) {
      // On a full disk SQLite rolls back the whole transaction.
      if (!statements.db.inTransaction) this.#lose(open, error)
      throw error
    } finally {
      this.#depth--
    }
  }

  /** Commits the open transaction. Not in the middle of a write: the turn then commits later. */
  commit(): void {
    const open = this.#open
    if (open === undefined || this.#depth > 0) return
    try {
      open.statements.commit.run()
    } catch (error) {
      this.#lose(open, error)
      return
    }
    this.#end(open)
    this.#events.onCommitted(open.entries)
  }

  #takesMore(): boolean {
    const open = this.#open
    if (open === undefined || !open.statements.db.inTransaction) return false
    return this.#depth > 0 || performance.now() - open.startedAt < MAX_OPEN_MS
  }

  #begin(statements: TransactionStatements): OpenTransaction {
    statements.beginWriting.run()
    let finish: () => void = () => undefined
    const done = new Promise<void>((resolve) => {
      finish = resolve
    })
    openQueues.add(this)
    const timer = setImmediate(this.#commitWhenQuiet)
    return { statements, startedAt: performance.now(), done, finish, timer, writes: 0, writesBefore: 0, entries: 0 }
  }

  // While each turn brings more writes, waiting for them is cheaper for all: they share the commit.
  readonly #commitWhenQuiet = (): void => {
    const open = this.#open
    if (open === undefined) return
    const isQuiet = open.writes === open.writesBefore
    open.writesBefore = open.writes
    if (isQuiet || !this.#takesMore()) this.commit()
    else open.timer = setImmediate(this.#commitWhenQuiet)
  }

  #lose(open: OpenTransaction, error: unknown): void {
    if (this.#open !== open) return
    if (open.statements.db.inTransaction) open.statements.rollBack.run()
    this.#events.onLost(error, open.entries)
    this.#end(open)
  }

  #end(open: OpenTransaction): void {
    this.#open = undefined
    openQueues.delete(this)
    clearImmediate(open.timer)
    open.finish()
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
