// The database file that the stores of a process share.

import { checkpoint } from './checkpointer.ts'
import { isUnavailable, storeUnavailable } from './errors.ts'
import { type Opened, openDatabase, readInode } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitAll, WriterQueue } from './writer-queue.ts'

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
  /** Writes of the state share the transaction of a turn: for a process that answers many calls at once. */
  readonly isGrouped: boolean
  /** @internal */
  readonly queue: WriterQueue
  #opened: Opened | undefined
  #walPages = 0

  constructor(path: string, options: OpenOptions = {}, { isGrouped = false } = {}) {
    this.path = path
    this.options = options
    this.isGrouped = isGrouped
    this.queue = new WriterQueue({
      onCommitted: (entries) => this.#countPages(PAGES_PER_TRANSACTION + entries * PAGES_PER_ENTRY),
      toError: (error) => (isUnavailable(error) ? storeUnavailable(path, error) : error),
    })
  }

  /** @internal */
  open(): Opened {
    if (this.#opened !== undefined) return this.#opened
    commitAll()
    this.#opened = openDatabase(this.path, this.options)
    if (this.isGrouped) this.#opened.db.pragma(`wal_autocheckpoint = ${MAX_WAL_PAGES}`)
    return this.#opened
  }

  get inode(): number | undefined {
    return this.#opened?.inode
  }

  /** @internal Closes a file that was replaced or removed; the next use opens the file that is there then. */
  closeIfReplaced(): void {
    if (this.#opened === undefined || this.#opened.db.inTransaction) return
    if (readInode(this.path) !== this.#opened.inode) this.#release()
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.queue.flush()
    this.#release()
  }

  #release(): void {
    this.queue.abandon()
    this.#opened?.db.close()
    this.#opened = undefined
  }

  #countPages(count: number): void {
    if (!this.isGrouped) return
    this.#walPages += count
    if (this.#walPages < CHECKPOINT_PAGES) return
    this.#walPages = 0
    checkpoint(this.path)
  }
}

/** Where a store keeps its data: a file for itself, or a shared one. */
export type DatabasePath = string | DatabaseFile
