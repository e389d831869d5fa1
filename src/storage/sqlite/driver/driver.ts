// What the stores need of SQLite, whichever package brings it. A driver translates parameters, rows and errors; it knows
// no table. A process uses one driver: two copies of SQLite in a process do not see each other's file locks, so that using
// both on one file would damage it.

/** Opens databases. */
export interface Driver {
  /** The name that ARC_SQLITE selects it with. */
  readonly name: string
  /** Throws a SqliteError when the file cannot be opened. */
  open(file: string, options?: OpenFlags): Database
  /**
   * Source of a function `(file) => void` that checkpoints the WAL of a file. It runs in a worker thread, which cannot load
   * the bundled driver, so it must not use anything outside of itself but `require` and `process`.
   */
  readonly checkpointSource: string
  /** Resolves when the connections that were closed no longer have a file open. Undefined where `close` sees to that. */
  readonly closed?: () => Promise<void>
}

export interface OpenFlags {
  /** How long SQLite waits for a lock. */
  readonly timeoutMs?: number
  /** Fails when there is no file, and writes nothing. */
  readonly isReadOnly?: boolean
}

/** An open connection. A text is read whole whatever bytes it has: bytes that are not UTF-8 become U+FFFD. */
export interface Database {
  prepare<Parameters extends readonly unknown[] = readonly unknown[], Row = unknown>(
    sql: string,
  ): Statement<Parameters, Row>
  /** Runs statements that need no parameter and return no row. */
  exec(sql: string): void
  /** Reads or sets a pragma: the first column of its first row. */
  pragma(sql: string): unknown
  readonly inTransaction: boolean
  /**
   * Safe to call twice. Statements of a closed connection cannot be used. `isLogForeign`: the log may be that of others now,
   * so nothing of it is copied into the file.
   */
  close(options?: { readonly isLogForeign?: boolean }): void
}

/** A prepared statement. Parameters are numbers, strings and null; or one object for `:name`
 * parameters, which may have more fields than the statement has parameters. */
export interface Statement<Parameters extends readonly unknown[] = readonly unknown[], Row = unknown> {
  /** For a statement that returns no row: use `get` with RETURNING. */
  run(...parameters: Parameters): Changes
  /** The first row. The SQL must return one row at most: a rest that is never read keeps a lock in some drivers. */
  get(...parameters: Parameters): Row | undefined
  all(...parameters: Parameters): Row[]
  /** From now on a row is the value of its first column. */
  pluck(): Statement<Parameters, Row>
}

export interface Changes {
  readonly changes: number
  readonly lastInsertRowid: number
}

/** An error of SQLite, with the same code from every driver. */
export class SqliteError extends Error {
  override readonly name = 'SqliteError'
  /** Such as SQLITE_BUSY; may be an extended code, such as SQLITE_IOERR_WRITE. */
  readonly code: string

  constructor(message: string, code: string, cause: unknown) {
    super(message, { cause })
    this.code = code
  }
}

// Extended codes have the primary code in their lowest byte.
const PRIMARY_CODES: Readonly<Record<number, string>> = {
  1: 'SQLITE_ERROR',
  3: 'SQLITE_PERM',
  5: 'SQLITE_BUSY',
  6: 'SQLITE_LOCKED',
  7: 'SQLITE_NOMEM',
  8: 'SQLITE_READONLY',
  10: 'SQLITE_IOERR',
  11: 'SQLITE_CORRUPT',
  13: 'SQLITE_FULL',
  14: 'SQLITE_CANTOPEN',
  15: 'SQLITE_PROTOCOL',
  17: 'SQLITE_SCHEMA',
  19: 'SQLITE_CONSTRAINT',
  20: 'SQLITE_MISMATCH',
  21: 'SQLITE_MISUSE',
  23: 'SQLITE_AUTH',
  26: 'SQLITE_NOTADB',
}

/** The name of a numeric result code. */
export function codeName(code: number): string {
  return PRIMARY_CODES[code & 0xff] ?? 'SQLITE_ERROR'
}
