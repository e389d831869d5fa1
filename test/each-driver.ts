// For tests: runs them with every SQLite that this process can load.

import { existsSync, readdirSync, readlinkSync } from 'node:fs'
import { join } from 'node:path'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe } from 'vitest'
import { loadableDrivers } from '../src/storage/sqlite/driver/load-driver.ts'

const DESCRIPTORS = '/proc/self/fd'

/** Declares the tests once per driver. Processes that they start inherit the choice. */
export function describeEachDriver(declare: () => void): void {
  describe.each(loadableDrivers())('with %s', (name) => {
    const before = process.env.ARC_SQLITE
    beforeAll(() => {
      process.env.ARC_SQLITE = name
    })
    afterAll(() => {
      if (before === undefined) delete process.env.ARC_SQLITE
      else process.env.ARC_SQLITE = before
    })
    declare()
  })
}

/** The files below a path that this process has open. Nothing where the system does not say. */
export function openFiles(path: string): string[] {
  if (!existsSync(DESCRIPTORS)) return []
  return readdirSync(DESCRIPTORS).flatMap((name) => {
    try {
      const target = readlinkSync(join(DESCRIPTORS, name))
      return target.startsWith(path) ? [target] : []
    } catch {
      // The descriptor of the listing itself.
      return []
    }
  })
}

/**
 * libsql closes the files of a closed connection when its statements are collected. Collects until none below the path is
 * open: the young objects first, which costs next to nothing.
 */
export async function collectGarbage(path: string): Promise<void> {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as (options?: { readonly type: 'minor' }) => void
  for (const type of ['minor', 'minor', 'major', 'major', 'major'] as const) {
    if (existsSync(DESCRIPTORS) && openFiles(path).length === 0) return
    collect(type === 'minor' ? { type } : undefined)
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
