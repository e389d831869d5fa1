// The database file that the stores of a process share.

import { GapTracker } from '../gap-tracker.ts'
import { checkpoint } from './checkpointer.ts'
import type { Statement } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'
import { storeChanged } from './errors.ts'
import { type FileLoss, recoverFile } from './file-recovery.ts'
import { type FileChange, FileWatch } from './file-watch.ts'
import { type Opened, openDatabase, refuseVersion, setAside, WAIT_MS } from './open.ts'
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

interface Used extends Opened {
  readonly watch: FileWatch
  /** Of the schema. */
  readonly version: Statement<[], number>
}

// SQLite shares the locks and the index of a file between all connections of a process, so they are closed together.
const openFiles = new Map<string, Set<DatabaseFile>>()
// Files whose connections are being closed.
const closing = new Set<string>()

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
  #opened: Used | undefined
  #wasOpen = false
  #walPages = 0

  constructor(
    path: string,
    options: OpenOptions = {},
    { isGrouped = false, gaps, makeRoom, onCommitted }: FileOptions = {},
  ) {
    this.path = path
    this.options = {
      ...options,
      onSetAside: (aside) => {
        options.onSetAside?.(aside)
        this.queue.note(
          storeChanged(`The database ${path} was damaged and set aside as ${aside.movedTo}: ${aside.why}.`),
        )
      },
    }
    this.isGrouped = isGrouped
    this.makeRoom = makeRoom ?? (() => false)
    this.queue = new WriterQueue({
      path,
      waitMs: options.waitMs ?? WAIT_MS,
      gaps: gaps ?? new GapTracker(),
      makeRoom: this.makeRoom,
      checkFiles: (isOwnCommit) => this.checkFiles({ isOwnCommit }),
      refuseChanged: () => this.refuseChanged(),
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
    if (closing.has(this.path)) throw storeChanged(`The database ${this.path} changed and is being opened again.`)
    commitAll()
    // A home that was moved away is not made again by the process that used it.
    const opened = openDatabase(this.path, this.options, { makesFolder: !this.#wasOpen })
    if (this.isGrouped) opened.db.pragma(`wal_autocheckpoint = ${MAX_WAL_PAGES}`)
    const version = opened.db.prepare<[], number>('PRAGMA user_version').pluck()
    this.#opened = { ...opened, version, watch: new FileWatch(this.path, { readsIndex: this.isGrouped }) }
    this.#wasOpen = true
    openFiles.set(this.path, (openFiles.get(this.path) ?? new Set()).add(this))
    return this.#opened
  }

  /**
   * @internal Notices files that another program removed, replaced or changed since the last look. The next use opens the
   * file that is there then.
   */
  checkFiles(options: { readonly isOwnCommit?: boolean } = {}): FileLoss | undefined {
    if (this.#opened === undefined || this.#opened.db.inTransaction) return undefined
    const change = this.#opened.watch.check(options)
    return change && this.#recover(change, this.#opened)
  }

  /** @internal In a transaction, before its commit: throws if the files changed, or have the schema of a newer version. */
  refuseChanged(): void {
    if (this.#opened === undefined) return
    const { watch, version } = this.#opened
    const change = watch.check()
    if (change !== undefined) throw storeChanged(change.message)
    if (!watch.mayHaveOtherVersion) return
    refuseVersion(this.path, version.get() ?? 0)
    watch.noteVersion()
  }

  /** @internal The file turned out to be damaged: it is moved out of the way, unless another process did that. */
  setAside(error: unknown): void {
    const inode = this.#opened?.inode
    this.#releaseAll({ isLogForeign: false })
    setAside(this.path, error, this.options, inode)
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.queue.close()
    this.release()
  }

  /** @internal Closes the connection; what waits is written to the next. */
  release(options?: { readonly isLogForeign: boolean }): void {
    this.queue.abandon()
    this.#opened?.db.close(options)
    this.#opened = undefined
    openFiles.get(this.path)?.delete(this)
  }

  #recover(change: FileChange, { db, inode, watch }: Used): FileLoss {
    const { path, options } = this
    const users = [...(openFiles.get(path) ?? [])]
    const { mustClose, ...recovery } = recoverFile(change, {
      ...{ path, options, db, inode, hasLog: watch.hasLog },
      release: (how) => this.#releaseAll(how),
    })
    if (mustClose && closeFully(path)) for (const { queue } of users) queue.block()
    const error = storeChanged(change.message)
    // A file that was touched and is whole is used again, and nothing is missing. It may also be a whole copy of an earlier time.
    const isSaved = recovery.isSaved && (change.kind !== 'content' || this.queue.hasLast)
    if (!isSaved || change.kind !== 'content') for (const { queue } of users) queue.note(error)
    return { error, isSaved }
  }

  #releaseAll(options: { readonly isLogForeign: boolean }): void {
    for (const file of [...(openFiles.get(this.path) ?? []), this]) file.release(options)
  }

  #countPages(count: number): void {
    if (!this.isGrouped) return
    this.#walPages += count
    if (this.#walPages < CHECKPOINT_PAGES) return
    this.#walPages = 0
    checkpoint(this.path)
  }
}

// True if that takes some turns: what is to be written waits meanwhile.
function closeFully(path: string): boolean {
  const closed = loadDriver().closed?.()
  if (closed === undefined) return false
  closing.add(path)
  const end = (): void => void closing.delete(path)
  closed.then(end, end)
  return true
}

/** Where a store keeps its data: a file for itself, or a shared one. */
export type DatabasePath = string | DatabaseFile
