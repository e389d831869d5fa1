// For tests: runs them with every SQLite that this process can load.

import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { afterAll, beforeAll, describe } from 'vitest'
import { loadableDrivers } from '../src/storage/sqlite/driver/load-driver.ts'

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

/** libsql closes the files of a closed connection when its statements are collected. */
export async function collectGarbage(): Promise<void> {
  setFlagsFromString('--expose_gc')
  const collect = runInNewContext('gc') as () => void
  for (let round = 0; round < 3; round++) {
    collect()
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}
