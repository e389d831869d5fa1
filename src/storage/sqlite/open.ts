// Opens the one database: WAL, a busy timeout, migrations. A newer schema is refused before anything is written, and a
// damaged file is renamed and a new one created, so that supervision continues.

import {
  chmodSync,
  closeSync,
  existsSync,
  fstatSync,
  mkdirSync,
  openSync,
  readSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs'
import { dirname } from 'node:path'
import type { Database } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'
import { isBusy, isCorrupt, isUnavailable, newerSchema, storeBusy, storeUnavailable } from './errors.ts'
import { MIGRATIONS } from './migrations/list.ts'
import type { OpenOptions } from './open-options.ts'

/** An open database, and which file on the disk it is. */
export interface Opened {
  readonly db: Database
  readonly inode: number
}

/** How long a locked database is waited for by default. */
export const WAIT_MS = 30_000
// How long SQLite itself waits before we look again.
const BUSY_MS = 5_000
const NAP_MS = 5
const USE_MS = 10
// A process that died while it set a file aside must not keep others from it.
const STALE_GUARD_MS = 10_000
const HEADER_BYTES = 100

/**
 * Opens the database, making it and its folder where needed.
 * @example
 * const { db } = openDatabase('/home/me/.arc/arc.db', { onSetAside: ({ movedTo, why }) => console.error(movedTo, why) })
 */
export function openDatabase(file: string, options: OpenOptions = {}, { makesFolder = true } = {}): Opened {
  const open = (): Opened => retryBusy(file, options, () => tryOpen(file, options, makesFolder))
  try {
    return open()
  } catch (error) {
    if (isUnavailable(error)) throw storeUnavailable(file, error)
    if (!isCorrupt(error)) throw error
    setAside(file, error, options)
    return open()
  }
}

/**
 * Sets a file aside that is shorter than its first page says: another program cut it. To be called before this process opens the
 * file: closing the descriptor ends all POSIX locks of the process on it.
 */
export function setAsideIfCut(file: string, options: OpenOptions): void {
  if (isShort(file)) setAside(file, 'The file is shorter than its header says', options)
}

/** Calls until the database is no longer locked. Waits without giving way: everything here is synchronous. */
export function retryBusy<T>(file: string, { waitMs = WAIT_MS }: Pick<OpenOptions, 'waitMs'>, work: () => T): T {
  let giveUpAt: number | undefined
  for (let attempt = 1; ; attempt++) {
    try {
      return work()
    } catch (error) {
      if (!isBusy(error)) throw error
      giveUpAt ??= performance.now() + waitMs
      if (performance.now() > giveUpAt) throw storeBusy(file, waitMs)
      nap(Math.random() * NAP_MS * Math.min(attempt, 10))
    }
  }
}

/** Which file on the disk it is; 0 for none. */
export function readInode(file: string): number {
  return statSync(file, { throwIfNoEntry: false })?.ino ?? 0
}

/**
 * Moves a damaged database out of the way, unless somebody else already did. `seen` is the file that was found damaged
 * while it was open. True if it was moved.
 */
export function setAside(file: string, why: unknown, options: OpenOptions, seen?: number): boolean {
  const release = takeGuard(`${file}.set-aside`)
  try {
    if (seen !== undefined && readInode(file) !== seen) return false
    if (!isStillCorrupt(file)) return false
    const movedTo = moveAway(file)
    options.onSetAside?.({ file, movedTo, why: why instanceof Error ? why.message : String(why) })
    return true
  } finally {
    release()
  }
}

/** The name of files that are moved out of the way. */
export function asideName(file: string, why: 'corrupt' | 'replaced'): string {
  return `${file}.${why}-${new Date().toISOString().replace(/[:.]/g, '-')}`
}

function tryOpen(file: string, { waitMs = WAIT_MS }: OpenOptions, makesFolder: boolean): Opened {
  makePrivate(file, makesFolder)
  const db = loadDriver().open(file, { timeoutMs: Math.min(BUSY_MS, waitMs) })
  try {
    // A database that has tables is not written by opening it: another process may keep it locked.
    if (refuseNewer(db, file) === 0) {
      // Only takes on a file without tables, and only before WAL.
      db.pragma('auto_vacuum = INCREMENTAL')
      // A step takes about half of it; every page that changes is written twice.
      db.pragma('page_size = 8192')
    }
    db.pragma('journal_mode = WAL')
    db.pragma('synchronous = NORMAL')
    // A writer checkpoints once the WAL passes this number of pages.
    db.pragma('wal_autocheckpoint = 500')
    migrate(db, file)
    // From here on `retryBusy` waits, as long as the caller may be blocked.
    db.pragma(`busy_timeout = ${USE_MS}`)
    return { db, inode: readInode(file) }
  } catch (error) {
    db.close()
    throw error
  }
}

// Only the owner may read what agents do.
function makePrivate(file: string, makesFolder: boolean): void {
  if (existsSync(file)) return
  if (makesFolder) mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  closeSync(openSync(file, 'a', 0o600))
  chmodSync(file, 0o600)
}

function refuseNewer(db: Database, file: string): number {
  const version = Number(db.pragma('user_version'))
  refuseVersion(file, version)
  return version
}

/** Throws for the schema of a newer version of ARC. */
export function refuseVersion(file: string, version: number): void {
  if (version > MIGRATIONS.length) throw newerSchema(file, version, MIGRATIONS.length)
}

function migrate(db: Database, file: string): void {
  if (refuseNewer(db, file) === MIGRATIONS.length) return
  db.exec('BEGIN IMMEDIATE')
  try {
    // Read again: another process may have migrated meanwhile.
    const version = refuseNewer(db, file)
    for (const step of MIGRATIONS.slice(version)) db.exec(step)
    db.exec(`PRAGMA user_version = ${MIGRATIONS.length}`)
    db.exec('COMMIT')
  } catch (error) {
    if (db.inTransaction) db.exec('ROLLBACK')
    throw error
  }
}

function isStillCorrupt(file: string): boolean {
  if (!existsSync(file)) return false
  let db: Database | undefined
  try {
    db = loadDriver().open(file, { timeoutMs: BUSY_MS })
    // First: a page that is whole in the log only would be lost with the log.
    db.pragma('wal_checkpoint(PASSIVE)')
    return db.pragma('quick_check(1)') !== 'ok' || lacksRecords(db)
  } catch (error) {
    return isCorrupt(error)
  } finally {
    db?.close()
  }
}

// An older copy under a newer log may have all its pages, and not all records.
function lacksRecords(db: Database): boolean {
  const ends = db.prepare<[], number>('SELECT seq FROM trace_end ORDER BY name DESC').pluck().all()
  const count = db.prepare<[], number>('SELECT count(*) FROM trace').pluck().get()
  const [head = 0, cut = 0] = ends
  return count !== head - cut
}

// The number of pages in the header, as of the last checkpoint: https://sqlite.org/fileformat.html
function isShort(file: string): boolean {
  const header = Buffer.alloc(HEADER_BYTES)
  let descriptor: number | undefined
  try {
    descriptor = openSync(file, 'r')
    const read = readSync(descriptor, header, 0, HEADER_BYTES, 0)
    if (read < HEADER_BYTES) return read > 0
    const pageBytes = header.readUInt16BE(16) === 1 ? 65_536 : header.readUInt16BE(16)
    return fstatSync(descriptor).size < header.readUInt32BE(28) * pageBytes
  } catch {
    // There is none yet, or it cannot be read: opening it finds out.
    return false
  } finally {
    if (descriptor !== undefined) closeSync(descriptor)
  }
}

// The log goes first: left behind, it would be played into the new database.
function moveAway(file: string): string {
  const movedTo = asideName(file, 'corrupt')
  for (const suffix of ['-wal', '-shm', '']) {
    if (existsSync(`${file}${suffix}`)) renameSync(`${file}${suffix}`, `${movedTo}${suffix}`)
  }
  return movedTo
}

// One process at a time sets aside, else the second would move the new database away.
function takeGuard(guard: string): () => void {
  for (;;) {
    try {
      closeSync(openSync(guard, 'wx'))
      return () => rmSync(guard, { force: true })
    } catch (error) {
      if (!(error instanceof Error && 'code' in error && error.code === 'EEXIST')) throw error
      const age = Date.now() - (statSync(guard, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
      if (age > STALE_GUARD_MS) rmSync(guard, { force: true })
      else nap(NAP_MS)
    }
  }
}

const cell = new Int32Array(new SharedArrayBuffer(4))

function nap(ms: number): void {
  Atomics.wait(cell, 0, 0, Math.max(1, ms))
}
