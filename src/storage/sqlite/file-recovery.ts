// What is done when another program removed, replaced or changed the files of an open database: saves what this process
// still has of it, closes all connections of the process, and moves damaged files out of the way.

import { existsSync, renameSync, statSync } from 'node:fs'
import type { Database } from './driver/driver.ts'
import type { FileChange } from './file-watch.ts'
import { asideName, readInode, setAside } from './open.ts'
import type { OpenOptions } from './open-options.ts'

/** An open database whose files changed. */
export interface ChangedFile {
  readonly path: string
  readonly options: OpenOptions
  readonly db: Database
  readonly inode: number
  /** Is the log at its place still that of this connection? */
  readonly hasLog: boolean
  /** Closes all connections of this process. */
  release(options: { readonly isLogForeign: boolean }): void
}

/** The result. */
export interface Recovery {
  /** All that was committed is in the file that is there now. */
  readonly isSaved: boolean
  /** SQLite uses the lost index until no connection of this process has the file open. */
  readonly mustClose: boolean
}

/** The reason, and whether something is lost. */
export interface FileLoss extends Pick<Recovery, 'isSaved'> {
  readonly error: Error
}

/** Saves, closes, moves away. The next use opens the file that is there then. */
export function recoverFile({ kind, message }: FileChange, changed: ChangedFile): Recovery {
  return RECOVERIES[kind](changed, message)
}

const RECOVERIES: Readonly<Record<FileChange['kind'], (changed: ChangedFile, why: string) => Recovery>> = {
  // The database may have been moved: then its records are complete without the log.
  file({ path, db, hasLog, release }) {
    if (hasLog) copyLog(db, 'PASSIVE')
    release({ isLogForeign: true })
    if (hasLog) moveLogAway(path)
    return { isSaved: false, mustClose: false }
  },

  // This connection still has the log without a name.
  log({ db, release }) {
    const isSaved = copyLog(db, 'TRUNCATE')
    release({ isLogForeign: true })
    return { isSaved, mustClose: !isSaved }
  },

  // The next connection makes the index anew from the log.
  index({ release }) {
    release({ isLogForeign: true })
    return { isSaved: false, mustClose: true }
  },

  // Not when another process has begun a log: it does not know of what is in this one.
  logs({ path, db, release }) {
    const isSaved = (statSync(`${path}-wal`, { throwIfNoEntry: false })?.size ?? 0) === 0 && copyLog(db, 'TRUNCATE')
    release({ isLogForeign: true })
    return { isSaved, mustClose: true }
  },

  content({ path, options, db, inode, release }, why) {
    copyLog(db, 'PASSIVE')
    release({ isLogForeign: true })
    setAside(path, why, options, inode)
    return { isSaved: readInode(path) === inode, mustClose: false }
  },
}

function copyLog(db: Database, mode: 'PASSIVE' | 'TRUNCATE'): boolean {
  try {
    return db.pragma(`wal_checkpoint(${mode})`) === 0
  } catch {
    // The file is damaged too, or the disk is full: the records in the log are lost, and verification finds that.
    return false
  }
}

// A log of another database would be played into the one that is there now.
function moveLogAway(path: string): void {
  const aside = asideName(path, 'replaced')
  for (const suffix of ['-wal', '-shm']) {
    try {
      if (existsSync(`${path}${suffix}`)) renameSync(`${path}${suffix}`, `${aside}${suffix}`)
    } catch {
      // Its owner has just moved it too.
    }
  }
}
