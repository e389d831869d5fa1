// The file behind the stores of a process.

import { moveLog } from './checkpointer.ts'
import { isUnavailable, storeUnavailable } from './errors.ts'
import { inodeOf, type Opened, openDatabase } from './open.ts'
import type { OpenOptions } from './open-options.ts'
import { commitGroups, type GroupStatements, WriteGroup } from './write-group.ts'

/** For a process that answers many at once: writes that come together are committed together. */
export interface Grouping {
  /** Told of entries of the trace that were written and could not be committed. */
  onLost(error: unknown, entries: number): void
}

// About how many pages of the log a group takes, and each entry in it with what the state keeps of its call.
const PAGES_OF_A_GROUP = 4
const PAGES_OF_AN_ENTRY = 2
// The log is moved after so many, beside those who write. It cannot begin anew while they go on writing, so at some time
// one of them has to wait for the rest of it.
const MOVED_AFTER_PAGES = 500
const MAX_LOG_PAGES = 4_000

/**
 * A database file, opened when it is first used. Several stores of one process may share it: what one of them writes
 * then takes nothing from what SQLite remembers for the others.
 */
export class DatabaseFile {
  readonly path: string
  readonly options: OpenOptions
  readonly #grouping: Grouping | undefined
  #opened: Opened | undefined
  #group: WriteGroup | undefined
  // After a group was lost each write is committed by itself, so that each is told what becomes of it, until one is kept.
  #isAlone = false
  #pagesToMove = 0
  /** Another one when what was learnt in a transaction did not come to pass. */
  generation = 0

  constructor(path: string, options: OpenOptions = {}, grouping?: Grouping) {
    this.path = path
    this.options = options
    this.#grouping = grouping
  }

  /** @internal */
  open(): Opened {
    if (this.#opened !== undefined) return this.#opened
    commitGroups()
    this.#opened = openDatabase(this.path, this.options)
    if (this.#grouping !== undefined) this.#opened.db.pragma(`wal_autocheckpoint = ${MAX_LOG_PAGES}`)
    return this.#opened
  }

  get inode(): number | undefined {
    return this.#opened?.inode
  }

  /** @internal The group that is open, if one is. */
  get group(): WriteGroup | undefined {
    return this.#group?.takesMore === true ? this.#group : undefined
  }

  /** Are writes grouped at the moment? */
  get isGrouping(): boolean {
    return this.#grouping !== undefined && !this.#isAlone
  }

  /** When all that was written so far is committed, or known not to be; undefined for at once. */
  committed(): Promise<void> | undefined {
    return this.#group?.over
  }

  /** @internal The group to add to, begun if there is none. */
  groupFor(db: Opened['db'], statements: GroupStatements): WriteGroup {
    const open = this.group
    if (open !== undefined) return open.join()
    this.#group?.commit()
    this.#group = new WriteGroup(db, statements, {
      onKept: (entries) => this.#countPages(PAGES_OF_A_GROUP + entries * PAGES_OF_AN_ENTRY),
      onLost: (error, entries) => this.#lose(error, entries),
    })
    return this.#group.join()
  }

  /** A write of its own was kept: others may be put together again. */
  noteKept(): void {
    this.#isAlone = false
  }

  /** To be called before each use: nobody of this process may stand in the way, and the file must still be there. */
  makeWay(): void {
    const { group } = this
    commitGroups(group)
    if (group === undefined) this.#closeIfReplaced()
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#group?.commit()
    this.#opened?.db.close()
    this.#opened = undefined
  }

  // Lets go of a file that no longer stands in its place.
  #closeIfReplaced(): void {
    if (this.#opened === undefined || this.#opened.db.inTransaction) return
    if (inodeOf(this.path) !== this.#opened.inode) this.close()
  }

  #countPages(count: number): void {
    this.#pagesToMove += count
    if (this.#pagesToMove < MOVED_AFTER_PAGES) return
    this.#pagesToMove = 0
    moveLog(this.path)
  }

  #lose(error: unknown, entries: number): void {
    this.generation++
    this.#isAlone = true
    this.#grouping?.onLost(isUnavailable(error) ? storeUnavailable(this.path, error) : error, entries)
  }
}

/** Where a store is kept: a file of its own, or one that it shares. */
export type Place = string | DatabaseFile
