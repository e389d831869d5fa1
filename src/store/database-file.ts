// The file behind the stores of a process.

import { inodeOf, type Opened, openDatabase } from './open.ts'
import type { OpenOptions } from './open-options.ts'

/**
 * A database file, opened when it is first used. Several stores of one process may share it: what one of them writes
 * then takes nothing from what SQLite remembers for the others.
 */
export class DatabaseFile {
  readonly path: string
  readonly options: OpenOptions
  #opened: Opened | undefined

  constructor(path: string, options: OpenOptions = {}) {
    this.path = path
    this.options = options
  }

  /** @internal */
  open(): Opened {
    this.#opened ??= openDatabase(this.path, this.options)
    return this.#opened
  }

  get inode(): number | undefined {
    return this.#opened?.inode
  }

  /** Lets go of a file that no longer stands in its place. */
  closeIfReplaced(): void {
    if (this.#opened === undefined || this.#opened.db.inTransaction) return
    if (inodeOf(this.path) !== this.#opened.inode) this.close()
  }

  /** Safe to call twice; the next use opens again. */
  close(): void {
    this.#opened?.db.close()
    this.#opened = undefined
  }
}

/** Where a store is kept: a file of its own, or one that it shares. */
export type Place = string | DatabaseFile
