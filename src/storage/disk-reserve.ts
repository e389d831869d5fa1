// Disk space that is given up first when the disk is full, so that the steps under way can still be recorded.

import { randomBytes } from 'node:crypto'
import { closeSync, fsyncSync, openSync, renameSync, rmSync, statfsSync, statSync, writeSync } from 'node:fs'
import { dirname, join } from 'node:path'

const FILE = 'reserve'
const BYTES = 1024 * 1024
// Else the reserve would take the last space that the record needs.
const MIN_FREE_BYTES = 4 * BYTES
const MAKE_EVERY_MS = 10_000

/** The reserve of a home. */
export class DiskReserve {
  readonly #file: string
  #givenUpAt: number | undefined

  constructor(home: string) {
    this.#file = join(home, FILE)
  }

  /** Deletes the reserve. False if there is none. */
  giveUp(): boolean {
    try {
      rmSync(this.#file)
      this.#givenUpAt = performance.now()
      return true
    } catch {
      // There is none.
      return false
    }
  }

  /** Makes the reserve again where it was given up, some time after that. */
  makeSometimes(): void {
    if (this.#givenUpAt === undefined || performance.now() - this.#givenUpAt < MAKE_EVERY_MS) return
    this.#givenUpAt = performance.now()
    this.make()
    if (statSync(this.#file, { throwIfNoEntry: false }) !== undefined) this.#givenUpAt = undefined
  }

  /** Makes the reserve if there is none. Does nothing if there is not enough space. */
  make(): void {
    if (statSync(this.#file, { throwIfNoEntry: false })?.size === BYTES) return
    const { bavail, bsize } = statfsSync(dirname(this.#file))
    if (bavail * bsize < MIN_FREE_BYTES) return
    const part = `${this.#file}.${process.pid}`
    try {
      const file = openSync(part, 'w', 0o600)
      try {
        // Not zeros: some file systems store these without blocks.
        writeSync(file, randomBytes(BYTES))
        fsyncSync(file)
      } finally {
        closeSync(file)
      }
      renameSync(part, this.#file)
    } catch {
      rmSync(part, { force: true })
    }
  }
}
