// The index of a database's log (arc.db-shm), which counts commits and checkpoints of all processes. Only read, and only its
// head: https://sqlite.org/walformat.html
// A descriptor of it is never closed while the file has a name: closing it would end all POSIX locks of this process on it.
// A daemon has one.

import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** The counts of an index. */
export interface LogCounts {
  /** Changes with each commit. */
  readonly commits: string
  /** Changes with each checkpoint, before it writes and after it. */
  readonly checkpoints: string
  /** A checkpoint has begun and not ended. */
  readonly isCopying: boolean
  /** How many bytes the database file has at least: all that was committed, less what may be in the log only. */
  readonly minBytes: number
}

const WORD_BYTES = 4
// Which 32-bit words of the file are used, in the byte order of the machine.
const WORD = { change: 2, frames: 4, pages: 5, salt: [8, 9], copied: 24, toCopy: 32 } as const
const WORDS = 34
// The size of a page is a number of 16 bits; 1 means 65,536.
const PAGE_SIZE_AT = 7

interface OpenIndex {
  readonly inode: number
  readonly device: number
  readonly descriptor: number
}

const openIndexes: OpenIndex[] = []

/** Reads the index of one log. */
export class LogIndex {
  readonly #path: string
  readonly #words = new Uint32Array(WORDS)
  readonly #halfWords = new Uint16Array(this.#words.buffer)
  #open: OpenIndex | undefined

  constructor(path: string) {
    this.#path = path
  }

  /** The counts; undefined if the file is not the one of `stats`, or has none yet. */
  read({ ino, dev }: Pick<Stats, 'ino' | 'dev'>): LogCounts | undefined {
    if (this.#open?.inode !== ino || this.#open.device !== dev) this.#open = openIndex(this.#path)
    if (this.#open?.inode !== ino || this.#open.device !== dev) return undefined
    const words = this.#words
    const length = WORDS * WORD_BYTES
    if (readSync(this.#open.descriptor, words, 0, length, 0) < length) return undefined
    const [copied = 0, toCopy = 0] = [words[WORD.copied], words[WORD.toCopy]]
    const [frames = 0, pages = 0] = [words[WORD.frames], words[WORD.pages]]
    const pageSize = this.#halfWords[PAGE_SIZE_AT] ?? 0
    const salt = `${words[WORD.salt[0]]} ${words[WORD.salt[1]]}`
    return {
      commits: `${words[WORD.change]} ${frames} ${salt}`,
      checkpoints: `${copied} ${toCopy} ${salt}`,
      isCopying: copied !== toCopy,
      minBytes: (pages - (frames - copied)) * (pageSize === 1 ? 65_536 : pageSize),
    }
  }
}

function openIndex(path: string): OpenIndex | undefined {
  closeUnnamed()
  const stats = statSync(path, { throwIfNoEntry: false })
  const known = openIndexes.find(({ inode, device }) => inode === stats?.ino && device === stats.dev)
  if (known !== undefined) return known
  try {
    const descriptor = openSync(path, 'r')
    const { ino: inode, dev: device } = fstatSync(descriptor)
    const opened = { inode, device, descriptor }
    openIndexes.push(opened)
    return opened
  } catch {
    // Removed at this moment: the comparison of the files finds out.
    return undefined
  }
}

function closeUnnamed(): void {
  for (const index of [...openIndexes]) {
    if (fstatSync(index.descriptor).nlink > 0) continue
    openIndexes.splice(openIndexes.indexOf(index), 1)
    closeSync(index.descriptor)
  }
}
