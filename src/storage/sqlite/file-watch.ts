// Notices that the files of an open database were removed, replaced or changed by another program: SQLite does not. Compares
// names, sizes, times and the counts of the log's index only, since it runs before and after each commit.
// In WAL mode the database file is written by checkpoints only, and the index counts them. So a file that changed without a
// checkpoint was changed by another program.
// Must not open the database file or its log: closing a descriptor ends all POSIX locks of this process on the file.

import { type Stats, statSync } from 'node:fs'
import { type LogCounts, LogIndex, mayHaveCopied } from './log-index.ts'

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
  /** From the index, read before the other files; undefined where it is not read. */
  readonly counts: LogCounts | undefined
}

// A commit of another process between our own commit and the look after it is not told apart from ours.
const RECHECK_MS = 1_000

/** Watches the files of one open database. */
export class FileWatch {
  readonly #path: string
  readonly #logPath: string
  readonly #indexPath: string
  readonly #index: LogIndex | undefined
  #last: Look
  #hasOtherCommits = true
  #versionSeenAt = Number.NEGATIVE_INFINITY

  /** `readsIndex`: for a process that has the database open for long. Else only a file that got smaller is noticed. */
  constructor(path: string, { readsIndex = false } = {}) {
    this.#path = path
    this.#logPath = `${path}-wal`
    this.#indexPath = `${path}-shm`
    this.#index = readsIndex ? new LogIndex(this.#indexPath) : undefined
    this.#last = this.#look()
  }

  /** Is the log at its place still that of this database? */
  get hasLog(): boolean {
    return isSame(stat(this.#logPath), this.#last.log)
  }

  /** May another process have changed the version of the schema since `noteVersion`? */
  get mayHaveOtherVersion(): boolean {
    return this.#hasOtherCommits || performance.now() - this.#versionSeenAt > RECHECK_MS
  }

  /** What changed since the last look. `isOwnCommit`: this process has just committed. */
  check({ isOwnCommit = false } = {}): FileChange | undefined {
    const now = this.#look()
    const change = this.#compare(now)
    if (change !== undefined) return change
    if (!isOwnCommit && (now.counts === undefined || now.counts.commits !== this.#last.counts?.commits))
      this.#hasOtherCommits = true
    this.#last = now
    return undefined
  }

  /** The version of the schema is a known one, in a transaction that no other process can write beside. */
  noteVersion(): void {
    this.#hasOtherCommits = false
    this.#versionSeenAt = performance.now()
  }

  #compare(now: Look): FileChange | undefined {
    const { file, log, index } = this.#last
    if (now.file === undefined) return this.#change('file', 'was removed')
    if (file === undefined || !isSame(now.file, file)) return this.#change('file', 'was replaced by another file')
    // Without a log, on a disk that does not support it, the file itself is written by each commit.
    if (log === undefined || index === undefined) return undefined
    const isOtherLog = !isSame(now.log, log)
    if (!isSame(now.index, index)) {
      const names = isOtherLog ? 'files -wal and -shm' : 'file -shm'
      return this.#change(isOtherLog ? 'logs' : 'index', `lost its ${names}`)
    }
    if (isOtherLog) return this.#change('log', 'lost its file -wal')
    if (this.#isLogCut(now)) return this.#change('index', 'has a file -wal that was cut')
    return this.#compareContent(now.file, file)
  }

  #isLogCut({ index, log, counts }: Look): boolean {
    if (index === undefined || counts === undefined || (log?.size ?? 0) >= counts.minLogBytes) return false
    // A program that empties the log takes its pages out of the index first. So they are in it before and after the size.
    const size = stat(this.#logPath)?.size ?? 0
    const after = this.#index?.read(index)
    return after?.logs === counts.logs && size < Math.min(after.minLogBytes, counts.minLogBytes)
  }

  #compareContent(now: Stats, before: Stats): FileChange | undefined {
    const isCut = now.size < before.size
    const countsBefore = this.#last.counts
    if (countsBefore === undefined) return isCut ? this.#change('content', 'was cut') : undefined
    if (!isCut && now.mtimeMs === before.mtimeMs) return undefined
    const counts = this.#last.index && this.#index?.read(this.#last.index)
    if (counts === undefined || counts.copied !== counts.toCopy) return undefined
    // A checkpoint gives space back, but never pages that are in use.
    if (now.size < counts.minBytes) return this.#change('content', 'was cut')
    // The last look read them before the files: a checkpoint that wrote after it has changed them.
    if (mayHaveCopied(countsBefore, counts)) return undefined
    return this.#change('content', isCut ? 'was cut' : 'was overwritten')
  }

  #change(kind: FileChange['kind'], what: string): FileChange {
    return { kind, message: `The database file ${this.#path} ${what} while it was in use.` }
  }

  #look(): Look {
    const index = stat(this.#indexPath)
    const counts = index && this.#index?.read(index)
    return { counts, index, file: stat(this.#path), log: stat(this.#logPath) }
  }
}

const NO_ENTRY = { throwIfNoEntry: false } as const

function stat(path: string): Stats | undefined {
  return statSync(path, NO_ENTRY)
}

function isSame(now: Stats | undefined, before: Stats | undefined): boolean {
  return now?.ino === before?.ino && now?.dev === before?.dev
}
