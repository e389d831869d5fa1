// SQLite as it comes with Node: nothing to install. Node 22.16 is the first that can tell whether a transaction is open.

import {
  type Changes,
  codeName,
  type Database,
  type Driver,
  type OpenFlags,
  SqliteError,
  type Statement,
} from './driver.ts'
import { decodeRow, type ResultColumn, selectBytes } from './text-as-bytes.ts'

// The types of the oldest supported Node do not know the module.
interface Sqlite {
  readonly DatabaseSync: new (
    file: string,
    options: { readonly readOnly: boolean; readonly timeout: number },
  ) => DatabaseSync
}

interface DatabaseSync {
  readonly isOpen: boolean
  readonly isTransaction: boolean
  prepare(sql: string): StatementSync
  exec(sql: string): void
  close(): void
}

interface StatementSync {
  columns(): readonly ResultColumn[]
  setAllowUnknownNamedParameters(isAllowed: boolean): void
  run(...parameters: readonly unknown[]): {
    readonly changes: number | bigint
    readonly lastInsertRowid: number | bigint
  }
  get(...parameters: readonly unknown[]): Row | undefined
  all(...parameters: readonly unknown[]): Row[]
}

type Row = Readonly<Record<string, unknown>>

/** Throws with the reason where this Node has no usable `node:sqlite`. */
export function loadNodeDriver(): Driver {
  const sqlite = withoutWarning(() => process.getBuiltinModule('node:sqlite')) as Sqlite | undefined
  const abilities = sqlite && probe(sqlite)
  if (sqlite === undefined || abilities?.tellsTransaction !== true) {
    throw new Error(
      `Node ${process.versions.node} has no node:sqlite that can be used; Node 22.16 is the first that has`,
    )
  }
  const { cutsTexts } = abilities
  return {
    name: 'node',
    open: (file, flags) => new NodeDatabase(sqlite, file, cutsTexts, flags),
    checkpointSource: `(file) => {
      process.emitWarning = () => {}
      const { DatabaseSync } = process.getBuiltinModule('node:sqlite')
      const db = new DatabaseSync(file)
      try { db.exec('PRAGMA wal_checkpoint(PASSIVE)') } finally { db.close() }
    }`,
  }
}

// Node before 22.16 does not say whether a transaction is open; Node 22 ends a text at its first NUL character.
function probe({ DatabaseSync }: Sqlite): { readonly tellsTransaction: boolean; readonly cutsTexts: boolean } {
  const db = new DatabaseSync(':memory:', { readOnly: false, timeout: 0 })
  try {
    const text = firstColumn(db.prepare("SELECT 'a' || char(0) || 'b'").get())
    // A property of the object, not of its class.
    return { tellsTransaction: 'isTransaction' in db, cutsTexts: text !== 'a\0b' }
  } finally {
    db.close()
  }
}

// Node prints an ExperimentalWarning when the module is loaded, into the stderr that a host reads.
function withoutWarning<T>(load: () => T): T {
  const { emitWarning } = process
  process.emitWarning = () => undefined
  try {
    return load()
  } finally {
    process.emitWarning = emitWarning
  }
}

class NodeDatabase implements Database {
  readonly #db: DatabaseSync
  readonly #cutsTexts: boolean

  constructor(
    { DatabaseSync }: Sqlite,
    file: string,
    cutsTexts: boolean,
    { timeoutMs = 0, isReadOnly = false }: OpenFlags = {},
  ) {
    this.#cutsTexts = cutsTexts
    this.#db = translated(() => new DatabaseSync(file, { readOnly: isReadOnly, timeout: timeoutMs }))
  }

  get inTransaction(): boolean {
    return this.#db.isOpen && this.#db.isTransaction
  }

  prepare<Parameters extends readonly unknown[], R>(sql: string): Statement<Parameters, R> {
    const bytesSql = this.#cutsTexts ? selectBytes(sql, () => this.#compile(sql).columns()) : sql
    return new NodeStatement<Parameters, R>(this.#compile(bytesSql), this.#cutsTexts)
  }

  #compile(sql: string): StatementSync {
    return translated(() => this.#db.prepare(sql))
  }

  exec(sql: string): void {
    translated(() => this.#db.exec(sql))
  }

  pragma(sql: string): unknown {
    return firstColumn(translated(() => this.#compile(`PRAGMA ${sql}`).get()))
  }

  close(): void {
    if (this.#db.isOpen) translated(() => this.#db.close())
  }
}

class NodeStatement<Parameters extends readonly unknown[], R> implements Statement<Parameters, R> {
  readonly #statement: StatementSync
  readonly #decode: (row: Row) => Row
  #isPlucked = false

  constructor(statement: StatementSync, hasBytes: boolean) {
    this.#statement = statement
    this.#decode = hasBytes ? decodeRow : (row) => row
    // As the other drivers: an object may have more fields than the statement has parameters.
    statement.setAllowUnknownNamedParameters(true)
  }

  run(...parameters: Parameters): Changes {
    const { changes, lastInsertRowid } = translated(() => this.#statement.run(...parameters))
    return { changes: Number(changes), lastInsertRowid: Number(lastInsertRowid) }
  }

  get(...parameters: Parameters): R | undefined {
    const row = translated(() => this.#statement.get(...parameters))
    const decoded = row && this.#decode(row)
    return (this.#isPlucked ? firstColumn(decoded) : decoded) as R | undefined
  }

  all(...parameters: Parameters): R[] {
    const rows = translated(() => this.#statement.all(...parameters)).map(this.#decode)
    return (this.#isPlucked ? rows.map(firstColumn) : rows) as R[]
  }

  pluck(): this {
    this.#isPlucked = true
    return this
  }
}

function firstColumn(row: Row | undefined): unknown {
  for (const name in row) return row[name]
  return undefined
}

function translated<T>(work: () => T): T {
  try {
    return work()
  } catch (error) {
    if (!(error instanceof Error) || !('errcode' in error)) throw error
    throw new SqliteError(error.message, codeName(Number(error.errcode)), error)
  }
}
