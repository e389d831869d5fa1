// The writes of a process to one database file. Trace entries wait in memory until the end of the turn of the event loop;
// one transaction then writes all of them, since a commit costs about as much as all writes of a call. Writes of the state
// run at once; in a process that answers many calls they are part of the same transaction.
// Entries that cannot be written now are kept in order, up to a limit, and are written when that works again.

import type { TraceEntry } from '../../trace/record.ts'
import type { Draft } from '../../trace/seal.ts'
import type { GapTracker } from '../gap-tracker.ts'
import type { Appended } from '../ports.ts'
import { isChanged, isLocked, isOutOfSpace, isTemporary, storeError } from './errors.ts'
import type { FileLoss } from './file-recovery.ts'
import type { TransactionStatements } from './transaction-statements.ts'

/** How a store of the trace writes entries. */
export interface EntryWriter {
  /** Adds entries to the end of the chain, in a transaction of the queue; those that are there are skipped. */
  write(entries: readonly NewEntry[]): readonly Appended[]
  build(entry: TraceEntry): readonly Draft[]
  /** Is an entry still on record, or removed by retention? */
  has(entry: Appended): boolean
}

/** An entry to be written. */
export interface NewEntry {
  readonly drafts: readonly Draft[]
  /** It was in a transaction whose commit was begun and not confirmed, so it is looked for by its id. */
  readonly mayExist: boolean
}

export interface WriterQueueOptions {
  readonly path: string
  /** How long an entry waits for a locked database before its promise is rejected. */
  readonly waitMs: number
  /** Counts the entries that were not recorded in time. */
  readonly gaps: GapTracker
  /** Notices files of the database that changed; they are opened again by the next use. */
  checkFiles(isOwnCommit: boolean): FileLoss | undefined
  /** Throws if a transaction must not be committed: the files changed, or have the schema of a newer version. */
  refuseChanged(): void
  /** A transaction was committed, with this number of trace entries. */
  onCommitted(entries: number): void
  /** Frees disk space; false if there is none to free. */
  makeRoom(): boolean
}

interface WaitingEntry extends NewEntry {
  mayExist: boolean
  readonly time: number
  readonly giveUpAt: number
  readonly resolve: (appended: Appended) => void
  readonly reject: (error: unknown) => void
  /** Its promise was rejected: no caller waits for it. */
  isLate: boolean
  bytes: number
}

const RETRY_MS = { first: 10, most: 500 } as const
const MAX_KEPT = { entries: 5_000, bytes: 32 * 1024 * 1024 } as const

const NEW = { isLate: false, bytes: 0, mayExist: false } as const

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
process.once('exit', () => {
  for (const queue of busyQueues) queue.close()
})

/** The entries that wait, and at most one open transaction. */
export class WriterQueue {
  readonly #options: WriterQueueOptions
  #writer: EntryWriter | undefined
  #waiting: WaitingEntry[] = []
  #open: TransactionStatements | undefined
  #turn: NodeJS.Immediate | undefined
  #retry: NodeJS.Timeout | undefined
  #retryMs = 0
  #isBusy = false
  #isBlocked = false
  #last: Appended | undefined

  constructor(options: WriterQueueOptions) {
    this.#options = options
  }

  /** Has this queue an open transaction? */
  get isOpen(): boolean {
    return this.#open !== undefined
  }

  /** Is the last entry that was acknowledged on record? */
  get hasLast(): boolean {
    try {
      return this.#last === undefined || this.#writer?.has(this.#last) !== false
    } catch {
      // It cannot be read now: entries in doubt are looked for when they are written.
      return false
    }
  }

  /** Another process keeps the database locked. The queue tries again later. */
  get isBlocked(): boolean {
    return this.#isBlocked
  }

  /** How entries are written. Several stores of one file write them in the same way. */
  attach(writer: EntryWriter): void {
    this.#writer = writer
    if (this.#options.gaps.gap !== undefined) this.#schedule()
  }

  /** Adds an entry. Resolves when it is committed. Rejects when it is not in time; it may be written later. */
  append(drafts: readonly Draft[], waitMs = this.#options.waitMs): Promise<Appended> {
    return new Promise((resolve, reject) => {
      const giveUpAt = performance.now() + waitMs
      this.#waiting.push({ ...NEW, drafts, time: Date.now(), giveUpAt, resolve, reject })
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

  /** Records that the files of the database changed, with the reason. */
  note(error: Error): void {
    this.#options.gaps.note(error)
    if (this.#writer !== undefined) this.#schedule()
  }

  /** A write found the database locked. */
  block(): void {
    if (this.#isBlocked) return
    this.#isBlocked = true
    this.#retryLater()
  }

  /**
   * Writes the entries that wait, and commits. False if something is not recorded. Not in the middle of a write, nor while
   * the database is locked: that is done later.
   */
  flush(): boolean {
    if (this.#isBusy || this.#isBlocked) return false
    return this.#flush()
  }

  /** The last attempt to write: what cannot be written is lost. */
  close(): void {
    if (this.#isBusy || this.#flush()) return
    clearTimeout(this.#retry)
    this.#retry = undefined
    this.#isBlocked = false
    this.#waiting = []
    this.#options.gaps.end()
    this.#end()
  }

  /** Forgets the open transaction: its connection is closed. */
  abandon(): void {
    this.#end()
  }

  #flush(isSecond = false): boolean {
    const { gaps } = this.#options
    const isIdle = this.#open === undefined && this.#waiting.length === 0
    if (isIdle && !this.#isBlocked && gaps.gap === undefined) return true
    try {
      this.#writeAll()
      this.#isBlocked = false
      this.#retryMs = 0
      return true
    } catch (error) {
      if (!isSecond && (this.#options.checkFiles(false) !== undefined || isChanged(error))) return this.#flush(true)
      if (!isSecond && isOutOfSpace(error) && this.#options.makeRoom()) return this.#flush(true)
      this.#fail(storeError(this.#options.path, error))
      return this.#waiting.length === 0 && gaps.gap === undefined
    }
  }

  // The gap is recorded before the entries that were kept meanwhile.
  #writeAll(): void {
    const { gaps } = this.#options
    const late = this.#waiting.filter(({ isLate }) => isLate).length
    const gap = this.#writer && gaps.toEntry(late)
    const gapDrafts = gap && this.#writer?.build(gap)
    const entries =
      gapDrafts === undefined ? this.#waiting : [toWaiting(gapDrafts, () => gaps.close(late)), ...this.#waiting]
    const appended = this.#commit(entries, () => {
      // From here on the gap is an entry as all others: if the commit is lost now, that is another gap.
      this.#waiting = entries
      if (gap !== undefined) gaps.detach()
    })
    this.#waiting = this.#waiting.slice(entries.length)
    this.#last = appended.at(-1) ?? this.#last
    entries.forEach(({ resolve }, at) => void resolve(appended[at] as Appended))
  }

  #commit(entries: readonly WaitingEntry[], onCommitted: () => void): readonly Appended[] {
    this.#isBusy = true
    try {
      const appended = this.#open !== undefined && entries.length === 0 ? [] : (this.#writer?.write(entries) ?? [])
      if (this.#open !== undefined) this.#options.refuseChanged()
      for (const entry of entries) entry.mayExist = true
      this.#open?.commit.run()
      onCommitted()
      this.#confirm()
      this.#options.onCommitted(entries.length)
      return appended
    } catch (error) {
      if (this.#open?.db.inTransaction === true) this.#open.rollBack.run()
      throw error
    } finally {
      this.#isBusy = false
      this.#end()
    }
  }

  // Before an entry is acknowledged.
  #confirm(): void {
    const loss = this.#options.checkFiles(true)
    if (loss !== undefined && !loss.isSaved) throw loss.error
  }

  #fail(error: unknown): void {
    if (!isTemporary(error)) {
      this.#dropBad(error)
      return
    }
    this.#isBlocked = isLocked(error) || isChanged(error)
    const now = performance.now()
    const isOver = ({ isLate, giveUpAt }: WaitingEntry): boolean => !isLate && (!this.#isBlocked || giveUpAt <= now)
    this.#giveUp(this.#waiting.filter(isOver), error)
    this.#retryLater()
  }

  // One of the entries cannot be written whatever the state of the disk: each is written alone.
  #dropBad(error: unknown): void {
    const [first, ...rest] = this.#waiting
    if (first === undefined || rest.length === 0) {
      if (first !== undefined) this.#giveUp([first], error)
      this.#waiting = []
      this.#retryLater()
      return
    }
    this.#waiting = [first]
    this.#flush()
    this.#waiting.push(...rest)
    if (!this.#isBlocked) this.#flush()
  }

  // The promises of the entries are rejected. The oldest entries are kept, so that what is lost is the end of the gap.
  #giveUp(entries: readonly WaitingEntry[], error: unknown): void {
    if (entries.length === 0) return
    for (const entry of entries) {
      entry.isLate = true
      entry.bytes = JSON.stringify(entry.drafts).length
      entry.reject(error)
    }
    this.#options.gaps.add(
      entries.map(({ time }) => time),
      error,
    )
    let bytes = 0
    let kept = 0
    this.#waiting = this.#waiting.filter((entry) => {
      if (!entry.isLate) return true
      bytes += entry.bytes
      kept++
      return kept <= MAX_KEPT.entries && bytes <= MAX_KEPT.bytes
    })
  }

  #retryLater(): void {
    this.#retryMs = Math.min(RETRY_MS.most, Math.max(RETRY_MS.first, this.#retryMs * 2))
    clearTimeout(this.#retry)
    busyQueues.add(this)
    this.#retry = setTimeout(() => {
      this.#retry = undefined
      if (!this.#isBusy) this.#flush()
    }, this.#retryMs)
    // No caller waits for entries that are late.
    if (this.#waiting.every(({ isLate }) => isLate)) this.#retry.unref()
  }

  #begin(statements: TransactionStatements): void {
    statements.beginWriting.run()
    this.#open = statements
    this.#schedule()
  }

  #schedule(): void {
    if (this.#isBlocked) return void this.#retry?.ref()
    if (this.#turn !== undefined) return
    busyQueues.add(this)
    this.#turn = setImmediate(() => {
      this.#turn = undefined
      this.flush()
    })
  }

  #end(): void {
    this.#open = undefined
    if (this.#waiting.length > 0 || this.#retry !== undefined) return
    busyQueues.delete(this)
    clearImmediate(this.#turn)
    this.#turn = undefined
  }
}

function toWaiting(drafts: readonly Draft[], resolve: () => void): WaitingEntry {
  const reject = (): void => undefined
  return { ...NEW, mayExist: true, drafts, time: Date.now(), giveUpAt: Number.POSITIVE_INFINITY, resolve, reject }
}
