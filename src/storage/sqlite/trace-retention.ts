// Removes the oldest records. The cut stores the hash of the last removed record, so that the chain can be verified from
// there on. A step is never separated from its evaluations. Every function here is one short read or write: the caller
// decides how many follow each other.

import { ArcError } from '../../engine/errors.ts'
import type { Checkpoint, Link } from '../../trace/chain.ts'
import type { RetainPolicy } from '../ports.ts'
import { Connection } from './connection.ts'
import type { DatabasePath } from './database-file.ts'
import type { Database, Statement } from './driver/driver.ts'
import type { OpenOptions } from './open-options.ts'
import { TraceReader } from './trace-reader.ts'
import type { ChainEnd } from './trace-rows.ts'
import {
  ChainWalk,
  checkRange,
  prepareVerification,
  type VerifyRange,
  type VerifyStatements,
} from './trace-verification.ts'

/** How much there is. */
export interface TraceUsage {
  /** Which database. */
  readonly database: string
  readonly cut: Checkpoint
  readonly head: Checkpoint
  /** When the oldest record was written, in ms; undefined without records. */
  readonly oldest: number | undefined
  /** The length of all records. */
  readonly textBytes: number
  /** The size of the database file without its free pages. */
  readonly usedBytes: number
  readonly freeBytes: number
}

/** Which records to remove. */
export interface CutRequest {
  /** The last of them; the rest of its step is removed too. */
  readonly upTo: number
  /** At most this many, and the rest of the last step. */
  readonly limit: number
  /** Also removes records that were changed: otherwise they stay, because they are evidence. */
  readonly isForced?: boolean | undefined
}

export interface RetentionStatements extends VerifyStatements {
  readonly reader: TraceReader
  readonly nextStep: Statement<[number], number>
  readonly lastUpTo: Statement<[number], ChainEnd>
  readonly database: Statement<[], string>
}

// Each of them is restored: a call waits for one page at most.
const SEARCH_PAGE = 250

export function prepareRetention(db: Database): RetentionStatements {
  const statements = prepareVerification(db)
  return {
    ...statements,
    reader: new TraceReader(db, statements.rows),
    nextStep: db
      .prepare<[number], number>('SELECT seq FROM trace WHERE seq > ? AND step IS NULL ORDER BY seq LIMIT 1')
      .pluck(),
    lastUpTo: db.prepare(`SELECT seq, hash, clock, 0 AS bytes FROM trace WHERE seq <= ? ORDER BY seq DESC LIMIT 1`),
    database: db.prepare<[], string>(`SELECT id FROM database_origin`).pluck(),
  }
}

/** Finds the last record to remove, page by page. */
export class CutSearch {
  readonly #connection: Connection<RetentionStatements>
  readonly #policy: Pick<RetainPolicy, 'before' | 'maxBytes'>
  #found: Found | undefined

  constructor(connection: Connection<RetentionStatements>, policy: Pick<RetainPolicy, 'before' | 'maxBytes'>) {
    this.#connection = connection
    this.#policy = policy
  }

  /** Reads the next page; false at the end. */
  next(): boolean {
    // Replaced as a whole, since the work of a read may be repeated.
    this.#found = this.#connection.read((statements) => searchNext(statements, this.#policy, this.#found))
    return !this.#found.isDone
  }

  get upTo(): number {
    return this.#found?.upTo ?? 0
  }
}

interface Found {
  readonly upTo: number
  /** How many bytes remain if the records up to there are removed. */
  readonly bytes: number
  readonly isDone: boolean
}

function searchNext(
  { rows, reader }: RetentionStatements,
  { before, maxBytes = Number.MAX_SAFE_INTEGER }: Pick<RetainPolicy, 'before' | 'maxBytes'>,
  found: Found | undefined,
): Found {
  const byAge = before === undefined ? 0 : reader.firstSince(before) - 1
  let { upTo, bytes } = found ?? { upTo: rows.end('cut').seq, bytes: rows.end('head').bytes }
  const page = bytes > maxBytes ? rows.page(upTo, SEARCH_PAGE) : []
  for (const row of page) {
    if (bytes <= maxBytes) break
    bytes -= Buffer.byteLength(row.body)
    upTo = row.seq
  }
  const isDone = bytes <= maxBytes || page.length === 0
  return { upTo: isDone ? Math.max(upTo, byAge) : upTo, bytes, isDone }
}

/** Removes a batch inside the caller's transaction. Returns how many records; 0 when there is nothing left to remove. */
export function removeBatch(statements: RetentionStatements, { upTo, limit, isForced }: CutRequest): number {
  const { rows } = statements
  const cut = rows.end('cut')
  if (upTo <= cut.seq) return 0
  const end = findEndOfStep(statements, Math.min(upTo, cut.seq + limit))
  if (isForced !== true) refuseBroken(statements, cut, end)
  const last = statements.lastUpTo.get(end)
  if (last === undefined || last.seq <= cut.seq) return 0
  const { bytes, count } = rows.sizeUpTo(last.seq)
  rows.removeUpTo(last.seq)
  rows.setEnd('cut', { ...last, bytes: 0 })
  const head = rows.end('head')
  rows.setEnd('head', { ...head, bytes: Math.max(0, head.bytes - bytes) })
  return count
}

function findEndOfStep({ rows, nextStep }: RetentionStatements, seq: number): number {
  const next = nextStep.get(seq)
  return next === undefined ? rows.end('head').seq : next - 1
}

// What was changed is evidence, so it must not be removed automatically.
function refuseBroken(statements: RetentionStatements, cut: ChainEnd, end: number): void {
  const added = statements.lastUpTo.get(cut.seq)
  const message = added === undefined ? checkRange(statements, cut, end)?.message : `record ${added.seq} was added`
  if (message === undefined) return
  throw new ArcError('ARC_TRACE_BROKEN', `Retention stops where a record is not as it was written: ${message}.`)
}

/** Retention of one database file. */
export class TraceRetention {
  readonly #connection: Connection<RetentionStatements>
  readonly #path: string

  constructor(path: DatabasePath, options: OpenOptions = {}) {
    this.#connection = new Connection(path, options, prepareRetention)
    this.#path = typeof path === 'string' ? path : path.path
  }

  get path(): string {
    return this.#path
  }

  usage(): TraceUsage {
    return this.#connection.read(({ rows, database }, db) => {
      const cut = rows.end('cut')
      const head = rows.end('head')
      const first = rows.page(cut.seq, 1)[0]
      const pageSize = Number(db.pragma('page_size'))
      const free = Number(db.pragma('freelist_count'))
      return {
        database: database.get() ?? '',
        cut: { seq: cut.seq, hash: cut.hash },
        head: { seq: head.seq, hash: head.hash },
        oldest: first?.clock,
        textBytes: head.bytes,
        usedBytes: (Number(db.pragma('page_count')) - free) * pageSize,
        freeBytes: free * pageSize,
      }
    })
  }

  search(policy: Pick<RetainPolicy, 'before' | 'maxBytes'>): CutSearch {
    return new CutSearch(this.#connection, policy)
  }

  /** The record that a cut up to here really ends with: the last of its step. */
  endOfStep(seq: number): Checkpoint | undefined {
    return this.#connection.read((statements) => {
      const last = statements.lastUpTo.get(findEndOfStep(statements, seq))
      return last && { seq: last.seq, hash: last.hash }
    })
  }

  /** The number of the last record that the newest recorded cut removed. */
  recordedCut(): number | undefined {
    const [cut] = this.#connection.read(({ reader }) => reader.records({ action: 'trace:cut', limit: 1 }))
    const { seq } = (cut?.metadata ?? {}) as { seq?: unknown }
    return typeof seq === 'number' ? seq : undefined
  }

  /** A verification of the chain, page by page. */
  walk(range: VerifyRange = {}): ChainWalk {
    return new ChainWalk(this.#connection, range)
  }

  removeBatch(request: CutRequest): number {
    return this.#connection.write((statements) => removeBatch(statements, request))
  }

  /** The records after a number, in order. */
  links(after: number, limit: number): Link[] {
    return this.#connection.read(({ rows }) => rows.page(after, limit))
  }

  /** Gives up to this many free pages back to the disk. Returns how many. */
  vacuum(pages: number): number {
    return this.#connection.write((_statements, db) => {
      const before = Number(db.pragma('freelist_count'))
      db.exec(`PRAGMA incremental_vacuum(${pages})`)
      return before - Number(db.pragma('freelist_count'))
    })
  }

  /** Safe to call twice. */
  close(): void {
    this.#connection.close()
  }
}
