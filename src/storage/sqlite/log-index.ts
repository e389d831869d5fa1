// The index of a database's log (arc.db-shm), which counts commits and checkpoints of all processes. Only read, and only its
// head: https://sqlite.org/walformat.html
// A descriptor of it is never closed while the file has a name: closing it would end all POSIX locks of this process on it.
// A daemon has one.

import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** The counts of an index. */
export interface LogCounts {
  /** Changes with each commit. */
  readonly commits: string
  /** Changes when the log begins anew, which a commit does if all of it was copied into the database file. */
  readonly logs: string
  /** Grows by one each time the log begins anew. */
  readonly logNumber: number
  /** The pages in the log; how many were copied into the database file; and how many a checkpoint has begun to copy. */
  readonly frames: number
  readonly copied: number
  readonly toCopy: number
  /** How many bytes the database file has at least: all that was committed, less what may be in the log only. */
  readonly minBytes: number
  /** How many bytes the log has at least. */
  readonly minLogBytes: number
}

/** May a checkpoint have written to the database file between two reads of the counts? */
export function mayHaveCopied(before: LogCounts, now: LogCounts): boolean {
  if (now.logs === before.logs) return now.copied !== before.copied || now.toCopy !== before.toCopy
  // A log begins anew only after all of it was copied: if it was before, there was nothing left to copy.
  const isNext = now.logNumber === (before.logNumber + 1) >>> 0
  return !isNext || before.copied !== before.frames || now.copied > 0 || now.toCopy > 0
}

const WORD_BYTES = 4
// Which 32-bit words of the file are used, in the byte order of the machine.
const WORD = { change: 2, frames: 4, pages: 5, salt: [8, 9], copied: 24, toCopy: 32 } as const
const WORDS = 34
// The size of a page is a number of 16 bits; 1 means 65,536.
const PAGE_SIZE_AT = 7
// Of the log: https://sqlite.org/fileformat.html#the_write_ahead_log
const LOG_HEADER_BYTES = 32
const FRAME_HEADER_BYTES = 24

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
  // The number of a log is the one word in a fixed byte order.
  readonly #view = new DataView(this.#words.buffer)
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
    const half = this.#halfWords[PAGE_SIZE_AT] ?? 0
    const pageBytes = half === 1 ? 65_536 : half
    const logs = `${words[WORD.salt[0]]} ${words[WORD.salt[1]]}`
    return {
      commits: `${words[WORD.change]} ${frames} ${logs}`,
      ...{ logs, logNumber: this.#view.getUint32(WORD.salt[0] * WORD_BYTES), frames, copied, toCopy },
      minBytes: (pages - (frames - copied)) * pageBytes,
      minLogBytes: frames === 0 ? 0 : LOG_HEADER_BYTES + frames * (FRAME_HEADER_BYTES + pageBytes),
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
