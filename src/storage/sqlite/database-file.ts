// The database file that the stores of a process share.

import { checkpoint } from './checkpointer.ts'
import { isUnavailable, storeUnavailable } from './errors.ts'
import { type Opened, openDatabase, readInode } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitAll, WriterQueue } from './writer-queue.ts'

/** For a process that answers many calls at once: the writes of a turn share a commit. */
export interface QueueOptions {
  /** Called when a transaction with trace entries could not be committed. */
  onLost(error: unknown, entries: number): void
}

// About how many WAL pages a transaction takes, and each trace entry with the state of its call.
const PAGES_PER_TRANSACTION = 12
const PAGES_PER_ENTRY = 4
// A worker thread checkpoints after this many pages. If it falls behind, the writer checkpoints at the maximum.
const CHECKPOINT_PAGES = 500
const MAX_WAL_PAGES = 4_000

/** A database file, opened at its first use. Stores that share it share SQLite's page cache as well. */
export class DatabaseFile {
  readonly path: string
  readonly options: OpenOptions
  readonly #isQueued: boolean
  readonly #queue: WriterQueue
  #opened: Opened | undefined
  // After a lost transaction each write is committed separately, so that its caller sees the error, until one succeeds.
  #isSuspended = false
  #walPages = 0
  /** Grows when a transaction was rolled back: prepared statements may remember its contents. */
  generation = 0

  constructor(path: string, options: OpenOptions = {}, queue?: QueueOptions) {
    this.path = path
    this.options = options
    this.#isQueued = queue !== undefined
    this.#queue = new WriterQueue({
      onCommitted: (entries) => this.#countPages(PAGES_PER_TRANSACTION + entries * PAGES_PER_ENTRY),
      onLost: (error, entries) => {
        this.generation++
        this.#isSuspended = true
        queue?.onLost(isUnavailable(error) ? storeUnavailable(path, error) : error, entries)
      },
    })
  }

  /** @internal */
  open(): Opened {
    if (this.#opened !== undefined) return this.#opened
    commitAll()
    this.#opened = openDatabase(this.path, this.options)
    if (this.#isQueued) this.#opened.db.pragma(`wal_autocheckpoint = ${MAX_WAL_PAGES}`)
    return this.#opened
  }

  get inode(): number | undefined {
    return this.#opened?.inode
  }

  /** @internal The queue to write to; undefined when each write is committed separately. */
  get queue(): WriterQueue | undefined {
    return this.#isQueued && !this.#isSuspended ? this.#queue : undefined
  }

  /** @internal A write was committed: writes may share a commit again. */
  resumeQueue(): void {
    this.#isSuspended = false
  }

  /** Resolves when all writes so far are committed or reported as lost; undefined when none is waiting. */
  committed(): Promise<void> | undefined {
    return this.#queue.committed()
  }

  /** @internal Closes a file that was replaced or removed; the next use opens the file that is there then. */
  closeIfReplaced(): void {
    if (this.#opened === undefined || this.#opened.db.inTransaction) return
    if (readInode(this.path) !== this.#opened.inode) this.close()
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#queue.commit()
    this.#opened?.db.close()
    this.#opened = undefined
  }

  #countPages(count: number): void {
    this.#walPages += count
    if (this.#walPages < CHECKPOINT_PAGES) return
    this.#walPages = 0
    checkpoint(this.path)
  }
}

/** Where a store keeps its data: a file for itself, or a shared one. */
export type DatabasePath = string | DatabaseFile
