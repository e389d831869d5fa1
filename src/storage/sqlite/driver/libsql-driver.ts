// SQLite from the package `libsql`: its binary is in a package per platform, so nothing is compiled.
// Its own JavaScript takes 20 ms to find that binary, and its `get` leaves a read transaction open; so this calls the
// binary directly. The version of the package is pinned for that reason.

import { existsSync } from 'node:fs'
import { createRequire } from 'node:module'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  type Changes,
  codeName,
  type Database,
  type Driver,
  type OpenFlags,
  SqliteError,
  type Statement,
} from './driver.ts'
import { decodeRow, decodeValue, type ResultColumn, selectBytes } from './text-as-bytes.ts'

/** The functions of the binary that are used. All but `databaseOpen` take their object as `this`. */
interface Binary {
  databaseOpen(file: string, token: string, cipher: string, key: string, timeoutMs: number, remoteKey: string): object
  databaseInTransaction(db: object): boolean
  databaseClose(this: object): void
  databaseExecSync(this: object, sql: string): void
  databasePrepareSync(this: object, sql: string): object
  statementColumns(this: object): readonly ResultColumn[]
  statementRaw(this: object, isRaw: boolean): void
  statementRun(this: object, parameters: unknown): Changes
  statementRowsSync(this: object, parameters: unknown): object
  /** Fills the array; leaves its end empty when there are no more rows. */
  rowsNext(this: object, into: unknown[]): void
}

const CIPHER = 'aes256cbc'

/** Throws with the reason where the package has no binary for this platform. */
export function loadLibsqlDriver(): Driver {
  const { binary, path } = loadBinary()
  return {
    name: 'libsql',
    open: (file, flags) => new LibsqlDatabase(binary, file, flags),
    closed: collectClosed,
    // Executed without a statement: the binary would keep the file open until the garbage collector has taken it.
    checkpointSource: `(file) => {
      const { databaseOpen, databaseExecSync, databaseClose } = require(${JSON.stringify(path)})
      const db = databaseOpen(file, '', '${CIPHER}', '', 0, '')
      try { databaseExecSync.call(db, 'PRAGMA wal_checkpoint(PASSIVE)') } finally { databaseClose.call(db) }
    }`,
  }
}

function loadBinary(): { readonly binary: Binary; readonly path: string } {
  const own = createRequire(import.meta.url)
  const require = createRequire(own.resolve('libsql'))
  const failures: string[] = []
  for (const target of targets()) {
    try {
      const path = require.resolve(`@libsql/${target}`)
      return { binary: require(path) as Binary, path }
    } catch (error) {
      failures.push(error instanceof Error ? (error.message.split('\n')[0] ?? '') : String(error))
    }
  }
  throw new Error(failures.join('; ') || `libsql has no binary for ${process.platform}-${process.arch}`)
}

// A binary for the other C library does not load, so the next is tried: that is quicker than asking which one this is.
function targets(): string[] {
  const { platform, arch } = process
  if (platform === 'win32') return [`win32-${arch}-msvc`]
  if (platform !== 'linux') return [`${platform}-${arch}`]
  return arch === 'arm' ? ['linux-arm-gnueabihf', 'linux-arm-musleabihf'] : [`linux-${arch}-gnu`, `linux-${arch}-musl`]
}

// The binary closes the files of a connection when its statements were collected, in a turn after that.
async function collectClosed(): Promise<void> {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < COLLECT_ROUNDS; round++) {
    collect()
    await new Promise((resolve) => setImmediate(resolve))
  }
}

const COLLECT_ROUNDS = 3
const MIN_PRUNE = 256

class LibsqlDatabase implements Database {
  readonly #binary: Binary
  readonly #isReadOnly: boolean
  #db: object | undefined
  // Weak: statements that were prepared anew after an error must not stay until the end of the connection.
  #statements: WeakRef<LibsqlStatement<never, unknown>>[] = []
  #pruneAt = MIN_PRUNE

  constructor(binary: Binary, file: string, { timeoutMs = 0, isReadOnly = false }: OpenFlags = {}) {
    this.#binary = binary
    this.#isReadOnly = isReadOnly
    if (isReadOnly && !existsSync(file)) {
      throw new SqliteError('unable to open database file', 'SQLITE_CANTOPEN', undefined)
    }
    this.#db = translated(() => binary.databaseOpen(file, '', CIPHER, '', timeoutMs, ''))
    if (isReadOnly) this.exec('PRAGMA query_only = 1')
  }

  get inTransaction(): boolean {
    return this.#db !== undefined && this.#binary.databaseInTransaction(this.#db)
  }

  prepare<Parameters extends readonly unknown[], R>(sql: string): Statement<Parameters, R> {
    if (BEGIN.test(sql)) return new ExecutedStatement(() => this.exec(sql))
    const bytesSql = selectBytes(sql, () => this.#binary.statementColumns.call(this.#compile(sql)))
    const statement = new LibsqlStatement<Parameters, R>(this.#binary, this.#compile(bytesSql))
    this.#track(statement as unknown as LibsqlStatement<never, unknown>)
    return statement
  }

  exec(sql: string): void {
    translated(() => this.#binary.databaseExecSync.call(this.#open(), sql))
  }

  pragma(sql: string): unknown {
    const statement = this.#compile(`PRAGMA ${sql}`)
    // Not plucked: the binary refuses that for a pragma that returns no row.
    const row = new LibsqlStatement<readonly [], object>(this.#binary, statement).get()
    return row && Object.values(row)[0]
  }

  // The binary keeps the file open until the garbage collector has taken the statements, so SQLite does not see a last
  // connection that closes: the WAL is moved here.
  close({ isLogForeign = false } = {}): void {
    if (this.#db === undefined) return
    try {
      if (!this.#isReadOnly && !isLogForeign && !this.inTransaction) this.exec('PRAGMA wal_checkpoint(PASSIVE)')
    } catch {
      // The file is locked, damaged or gone: the next connection finds out.
    }
    for (const statement of this.#statements) statement.deref()?.finalize()
    this.#statements = []
    this.#binary.databaseClose.call(this.#db)
    this.#db = undefined
  }

  #compile(sql: string): object {
    return translated(() => this.#binary.databasePrepareSync.call(this.#open(), sql))
  }

  #track(statement: LibsqlStatement<never, unknown>): void {
    if (this.#statements.length >= this.#pruneAt) {
      this.#statements = this.#statements.filter((known) => known.deref() !== undefined)
      this.#pruneAt = Math.max(MIN_PRUNE, 2 * this.#statements.length)
    }
    this.#statements.push(new WeakRef(statement))
  }

  #open(): object {
    return this.#db ?? failClosed()
  }
}

// A prepared statement that fails because of a lock stays active until it runs again: the binary has no function to reset
// it. Reads then keep their snapshot, and every write fails with SQLITE_BUSY_SNAPSHOT, also when the lock is gone. A
// transaction waits for its lock in BEGIN, so BEGIN is executed without a prepared statement, which costs no more.
const BEGIN = /^BEGIN\b/i

class ExecutedStatement<Parameters extends readonly unknown[], R> implements Statement<Parameters, R> {
  readonly #execute: () => void

  constructor(execute: () => void) {
    this.#execute = execute
  }

  run(): Changes {
    this.#execute()
    return { changes: 0, lastInsertRowid: 0 }
  }

  get(): undefined {
    this.#execute()
  }

  all(): R[] {
    this.#execute()
    return []
  }

  pluck(): this {
    return this
  }
}

// Most queries return one row; the second place sees the end of them.
const FIRST_ROWS = 2
const MORE_ROWS = 100

class LibsqlStatement<Parameters extends readonly unknown[], R> implements Statement<Parameters, R> {
  readonly #binary: Binary
  #statement: object | undefined
  #isPlucked = false

  constructor(binary: Binary, statement: object) {
    this.#binary = binary
    this.#statement = statement
  }

  run(...parameters: Parameters): Changes {
    return translated(() => this.#binary.statementRun.call(this.#open(), bound(parameters)))
  }

  get(...parameters: Parameters): R | undefined {
    return this.#rows(parameters, FIRST_ROWS)[0]
  }

  all(...parameters: Parameters): R[] {
    return this.#rows(parameters, MORE_ROWS)
  }

  pluck(): this {
    this.#isPlucked = true
    this.#binary.statementRaw.call(this.#open(), true)
    return this
  }

  finalize(): void {
    this.#statement = undefined
  }

  // Reads to the end: a statement that was left before it holds its read transaction open.
  #rows(parameters: Parameters, size: number): R[] {
    return translated(() => {
      const source = this.#binary.statementRowsSync.call(this.#open(), bound(parameters))
      const rows: R[] = []
      for (;;) {
        const page: unknown[] = new Array(size)
        this.#binary.rowsNext.call(source, page)
        for (const row of page as (object | undefined)[]) {
          if (row === undefined) return rows
          rows.push((this.#isPlucked ? decodeValue((row as unknown[])[0]) : decodeRow(row)) as R)
        }
      }
    })
  }

  #open(): object {
    return this.#statement ?? failClosed()
  }
}

function bound(parameters: readonly unknown[]): unknown {
  const [first] = parameters
  return parameters.length === 1 && typeof first === 'object' && first !== null ? first : parameters
}

function failClosed(): never {
  throw new TypeError('The database connection is not open')
}

interface LibsqlFailure {
  readonly code?: unknown
  readonly rawCode?: unknown
}

function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || error instanceof TypeError) throw error
    const { code, rawCode } = error as LibsqlFailure
    // A file that cannot be opened is reported in the message only: 'ConnectionFailed("… : 14")'.
    const number = typeof rawCode === 'number' ? rawCode : Number(/: (\d+)"\)$/.exec(error.message)?.[1] ?? 1)
    throw new SqliteError(error.message, typeof code === 'string' && code !== '' ? code : codeName(number), error)
  }
}
