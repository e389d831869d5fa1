// Chooses the SQLite that this process uses: the one that comes with Node, else libsql, else better-sqlite3 if it is
// installed. ARC_SQLITE names the driver to try first.

import { ArcError } from '../../../engine/errors.ts'
import { loadBetterSqliteDriver } from './better-sqlite3-driver.ts'
import type { Driver } from './driver.ts'
import { loadLibsqlDriver } from './libsql-driver.ts'
import { loadNodeDriver } from './node-driver.ts'

// In the order in which they are tried: built into the runtime, then dependencies, then optional peers.
const LOADERS = {
  node: loadNodeDriver,
  libsql: loadLibsqlDriver,
  'better-sqlite3': loadBetterSqliteDriver,
} satisfies Readonly<Record<string, () => Driver>>

/** A package that brings SQLite. */
export type DriverName = keyof typeof LOADERS

const DRIVER_NAMES = Object.keys(LOADERS) as readonly DriverName[]

const loaded = new Map<string, Driver>()

/**
 * The driver of this process. Throws ARC_SQLITE_MISSING, with the reason of each driver that was tried.
 * @example
 * const db = loadDriver().open('/home/me/.arc/arc.db')
 */
export function loadDriver(preferred: string = process.env.ARC_SQLITE ?? ''): Driver {
  const present = loaded.get(preferred)
  if (present !== undefined) return present
  const failures: string[] = []
  for (const name of inOrder(preferred)) {
    try {
      const driver = LOADERS[name]()
      loaded.set(preferred, driver)
      return driver
    } catch (error) {
      failures.push(`${name}: ${firstLine(error)}`)
    }
  }
  throw new ArcError('ARC_SQLITE_MISSING', `No SQLite could be loaded. ${failures.join('. ')}.`)
}

/** The drivers that this process can load. */
export function loadableDrivers(): DriverName[] {
  return DRIVER_NAMES.filter((name) => {
    try {
      return loadDriver(name).name === name
    } catch {
      // Not installed, or not for this platform or Node.
      return false
    }
  })
}

// A name that cannot be used costs the preference, not the record.
function inOrder(preferred: string): readonly DriverName[] {
  return [...DRIVER_NAMES].sort((a, b) => Number(b === preferred) - Number(a === preferred))
}

function firstLine(error: unknown): string {
  const message = error instanceof Error ? error.message : String(error)
  return message.split('\n')[0] ?? ''
}
