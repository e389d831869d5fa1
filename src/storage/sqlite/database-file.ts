// The database file that the stores of a process share.

import { GapTracker } from '../gap-tracker.ts'
import { checkpoint } from './checkpointer.ts'
import { type Opened, openDatabase, readInode, WAIT_MS } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitAll, WriterQueue } from './writer-queue.ts'

// About how many WAL pages a transaction takes, and each trace entry with the state of its call.
const PAGES_PER_TRANSACTION = 12
const PAGES_PER_ENTRY = 4
// A worker thread checkpoints after this many pages. If it falls behind, the writer checkpoints at the maximum.
const CHECKPOINT_PAGES = 500
const MAX_WAL_PAGES = 4_000

// Longer locks are waited for without blocking the calls of others.
export const MAX_BLOCK_MS = 100

/** How the stores of a process use a file. */
export interface FileOptions {
  readonly isGrouped?: boolean | undefined
  /** Counts the entries that were not recorded in time. */
  readonly gaps?: GapTracker | undefined
  /** Frees disk space; false if there is none to free. */
  readonly makeRoom?: (() => boolean) | undefined
  readonly onCommitted?: (() => void) | undefined
}

/** A database file, opened at its first use. Stores that share it share SQLite's page cache as well. */
export class DatabaseFile {
  readonly path: string
  readonly options: OpenOptions
  /** Writes of the state share the transaction of a turn: for a process that answers many calls at once. */
  readonly isGrouped: boolean
  /** @internal */
  readonly queue: WriterQueue
  /** @internal */
  readonly makeRoom: () => boolean
  #opened: Opened | undefined
  #walPages = 0

  constructor(
    path: string,
    options: OpenOptions = {},
    { isGrouped = false, gaps, makeRoom, onCommitted }: FileOptions = {},
  ) {
    this.path = path
    this.options = options
    this.isGrouped = isGrouped
    this.makeRoom = makeRoom ?? (() => false)
    this.queue = new WriterQueue({
      path,
      waitMs: options.waitMs ?? WAIT_MS,
      gaps: gaps ?? new GapTracker(),
      makeRoom: this.makeRoom,
      onCommitted: (entries) => {
        this.#countPages(PAGES_PER_TRANSACTION + entries * PAGES_PER_ENTRY)
        onCommitted?.()
      },
    })
  }

  /** How long a write may block this thread for a locked database. */
  get blockMs(): number {
    if (this.queue.isBlocked) return 0
    return this.isGrouped ? MAX_BLOCK_MS : (this.options.waitMs ?? WAIT_MS)
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
    if (readInode(this.path) !== this.#opened.inode) this.release()
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.queue.close()
    this.release()
  }

  /** @internal Closes the connection; what waits is written to the next. */
  release(): void {
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
