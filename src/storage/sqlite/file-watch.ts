// Notices that the files of an open database were removed, replaced or changed by another program: SQLite does not. Compares
// names, sizes and times only, since it runs once per commit.
// In WAL mode the database file is written by checkpoints only, and each checkpoint is counted in the index of the log. So a
// file that changed without a checkpoint was changed by another program.
// Must not open the database file or its log: closing such a descriptor ends all POSIX locks of this process on that file.

import { closeSync, fstatSync, openSync, readSync, type Stats, statSync } from 'node:fs'

/** What happened to the files. */
export interface FileChange {
  /**
   * `file`: the database file was removed or replaced. `log`: its log was. `index`: the index of the log was, or the log was
   * cut. `logs`: log and index were. `content`: the database file was cut or overwritten.
   */
  readonly kind: 'file' | 'log' | 'index' | 'logs' | 'content'
  readonly message: string
}

interface Look {
  readonly file: Stats | undefined
  readonly log: Stats | undefined
  readonly index: Stats | undefined
  /** Which checkpoints there were, read before the files; undefined where that is not known. */
  readonly checkpoints: string | undefined
}

// The layout of the index, in the byte order of the machine: https://sqlite.org/walformat.html
const INDEX = { bytes: 136, salt: [32, 40], copied: [96, 100], toCopy: [128, 132] } as const

/** Watches the files of one open database. */
export class FileWatch {
  readonly #path: string
  readonly #canCount: boolean
  #index: { readonly inode: number; readonly descriptor: number } | undefined
  #last: Look

  /** `countsCheckpoints`: for a process that has the database open for long. Else only a file that got smaller is noticed. */
  constructor(path: string, { countsCheckpoints = false } = {}) {
    this.#path = path
    this.#canCount = countsCheckpoints
    this.#last = this.#look()
  }

  get inode(): number {
    return this.#last.file?.ino ?? 0
  }

  /** Is the log at its place still that of this database? */
  get hasLog(): boolean {
    return stat(`${this.#path}-wal`)?.ino === this.#last.log?.ino
  }

  /** What changed since the last look. */
  check(): FileChange | undefined {
    const now = this.#look()
    const change = this.#compare(now)
    if (change === undefined) this.#last = now
    return change
  }

  #compare(now: Look): FileChange | undefined {
    const { file, log, index } = this.#last
    if (now.file === undefined) return this.#change('file', 'was removed')
    if (!isSame(now.file, file)) return this.#change('file', 'was replaced by another file')
    // Without a log, on a disk that does not support it, the file itself is written by each commit.
    if (log === undefined || index === undefined) return undefined
    const isOtherLog = !isSame(now.log, log)
    if (!isSame(now.index, index)) {
      const names = isOtherLog ? '-wal and -shm' : '-shm'
      return this.#change(isOtherLog ? 'logs' : 'index', `lost its files ${names}`)
    }
    if (isOtherLog) return this.#change('log', 'lost its file -wal')
    return this.#compareContent(now, { file: file as Stats, log })
  }

  #compareContent(now: Look, { file, log }: { readonly file: Stats; readonly log: Stats }): FileChange | undefined {
    const isCut = (now.file?.size ?? 0) < file.size
    const isChanged = isCut || now.file?.mtimeMs !== file.mtimeMs
    const isLogCut = (now.log?.size ?? 0) < log.size
    if (this.#last.checkpoints === undefined) return isCut ? this.#change('content', 'was cut') : undefined
    if (!isChanged && !isLogCut) return undefined
    if (this.#hadCheckpoint()) return undefined
    if (isLogCut) return this.#change('index', 'has a file -wal that was cut')
    return this.#change('content', isCut ? 'was cut' : 'was overwritten')
  }

  #change(kind: FileChange['kind'], what: string): FileChange {
    return { kind, message: `The database file ${this.#path} ${what} while it was in use.` }
  }

  #look(): Look {
    const index = stat(`${this.#path}-shm`)
    const checkpoints = this.#canCount ? this.#readIndex(index)?.mark : undefined
    return { checkpoints, index, file: stat(this.#path), log: stat(`${this.#path}-wal`) }
  }

  // A checkpoint announces what it will copy, copies, and notes what it copied. The last look read this before the files.
  #hadCheckpoint(): boolean {
    const index = this.#readIndex(this.#last.index)
    return index === undefined || index.isCopying || index.mark !== this.#last.checkpoints
  }

  #readIndex(stats: Stats | undefined): { readonly mark: string; readonly isCopying: boolean } | undefined {
    if (stats === undefined) return undefined
    if (this.#index?.inode !== stats.ino) this.#index = openIndex(`${this.#path}-shm`)
    if (this.#index?.inode !== stats.ino) return undefined
    const { descriptor } = this.#index
    const bytes = Buffer.allocUnsafe(INDEX.bytes)
    if (readSync(descriptor, bytes, 0, INDEX.bytes, 0) < INDEX.bytes) return undefined
    const [salt, copied, toCopy] = [INDEX.salt, INDEX.copied, INDEX.toCopy].map(([from, to]) =>
      bytes.toString('latin1', from, to),
    )
    return { mark: `${salt}${copied}${toCopy}`, isCopying: copied !== toCopy }
  }
}

// Never closed while the file has a name: see above. A daemon has one.
const indexes: { readonly inode: number; readonly device: number; readonly descriptor: number }[] = []

function openIndex(path: string): (typeof indexes)[number] | undefined {
  closeUnnamed()
  const stats = stat(path)
  const known = indexes.find(({ inode, device }) => inode === stats?.ino && device === stats.dev)
  if (known !== undefined) return known
  try {
    const descriptor = openSync(path, 'r')
    const { ino: inode, dev: device } = fstatSync(descriptor)
    const opened = { inode, device, descriptor }
    indexes.push(opened)
    return opened
  } catch {
    // Removed at this moment: the comparison of the files finds out.
    return undefined
  }
}

function closeUnnamed(): void {
  for (const index of [...indexes]) {
    if (fstatSync(index.descriptor).nlink > 0) continue
    indexes.splice(indexes.indexOf(index), 1)
    closeSync(index.descriptor)
  }
}

function stat(path: string): Stats | undefined {
  return statSync(path, { throwIfNoEntry: false })
}

function isSame(now: Stats | undefined, before: Stats | undefined): boolean {
  return now?.ino === before?.ino && now?.dev === before?.dev
}
