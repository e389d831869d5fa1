// The errors of the database, worded in one place, and what the codes of SQLite mean for us.

import { ArcError } from '../../engine/errors.ts'

/** The database was written by a newer version of ARC. */
export function newerSchema(file: string, found: number, known: number): ArcError {
  const what = `The database ${file} has schema version ${found}, and this version of ARC knows ${known} at most.`
  return new ArcError('ARC_STORE_NEWER', `${what} It was left as it is.`)
}

/** Another process locked the database for longer than the wait limit. */
export function storeBusy(file: string, waitedMs: number): ArcError {
  return new ArcError(
    'ARC_STORE_BUSY',
    `The database ${file} was kept locked by another process for more than ${waitedMs} ms.`,
  )
}

/** The database cannot be used: missing permission, missing folder, full or read-only disk. */
export function storeUnavailable(file: string, cause: unknown): ArcError {
  const why = cause instanceof Error ? cause.message : String(cause)
  return new ArcError('ARC_STORE_UNAVAILABLE', `The database ${file} cannot be used: ${why}.`)
}

/** Another program removed, replaced or changed the files of the database. */
export function storeChanged(what: string): ArcError {
  return new ArcError('ARC_STORE_CHANGED', what)
}

/** Is it the files, which are opened again? */
export function isChanged(error: unknown): boolean {
  return readCode(error) === 'ARC_STORE_CHANGED'
}

/** Will it go away by waiting? */
export function isBusy(error: unknown): boolean {
  return /^SQLITE_(BUSY|LOCKED|PROTOCOL)/.test(readCode(error))
}

/** Is the file damaged, or not a database? */
export function isCorrupt(error: unknown): boolean {
  return /^SQLITE_(CORRUPT|NOTADB)/.test(readCode(error))
}

/** Is it the disk or the rights to it? */
export function isUnavailable(error: unknown): boolean {
  return /^SQLITE_(CANTOPEN|READONLY|FULL|IOERR|PERM)|^E(ACCES|PERM|ROFS|NOSPC|NOTDIR|NOENT|EXIST|ISDIR)$/.test(
    readCode(error),
  )
}

/** May it work after something was deleted? */
export function isOutOfSpace(error: unknown): boolean {
  return /^SQLITE_(FULL|IOERR|CANTOPEN)|^ENOSPC$/.test(readCode(error))
}

/** Is another process to blame, which may release its lock at any moment? */
export function isLocked(error: unknown): boolean {
  return isBusy(error) || readCode(error) === 'ARC_STORE_BUSY'
}

/** Is it the file, the disk or another process, and not what was to be written? */
export function isTemporary(error: unknown): boolean {
  return isLocked(error) || isUnavailable(error) || /^ARC_STORE_(UNAVAILABLE|NEWER|CHANGED)$/.test(readCode(error))
}

/** The error as callers get it. */
export function storeError(file: string, error: unknown): unknown {
  if (isBusy(error)) return storeBusy(file, 0)
  return isUnavailable(error) ? storeUnavailable(file, error) : error
}

function readCode(error: unknown): string {
  if (!(error instanceof Error) || !('code' in error)) return ''
  return typeof error.code === 'string' ? error.code : ''
}
