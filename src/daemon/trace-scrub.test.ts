import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { openStores } from '../storage/open-stores.ts'
import { loadDriver } from '../storage/sqlite/driver/load-driver.ts'
import { appendAll, stepEntry } from '../testing/step-entry.ts'
import { TraceScrub } from './trace-scrub.ts'

const NEVER_MS = 2 ** 30

it('Z5 a daemon verifies in the background, new records too, and reports a bad one once', async () => {
  const home = join(makeTempFolder('arc-scrub-'), 'home')
  mkdirSync(home)
  const reports: string[] = []
  const stores = openStores(home, (message) => void reports.push(message))
  const append = (count: number) =>
    appendAll(
      stores.trace,
      Array.from({ length: count }, (_, at) => stepEntry({ id: `s${at}` })),
    )
  await append(150)
  const scrub = new TraceScrub({
    home,
    stores: async () => stores,
    report: (message) => void reports.push(message),
    everyMs: NEVER_MS,
  })
  for (let page = 0; page < 5; page++) await scrub.check()
  expect(reports).toEqual([])
  await append(20)
  const db = loadDriver().open(join(home, 'arc.db'))
  // In the middle of what was verified, which is looked at again tomorrow, and in a new record.
  db.exec("UPDATE trace SET decision = 'flag' WHERE seq IN (50, 310)")
  db.close()
  for (let page = 0; page < 3; page++) await scrub.check()
  expect(reports).toEqual([expect.stringContaining('record 310 was changed')])
  expect(stores.trace.query({ action: 'trace:broken' })).toMatchObject([{ component: 'trace', level: 'error' }])
  scrub.stop()
  stores.close()
  rmSync(home, { recursive: true })
  await scrub.check()
  expect(existsSync(home)).toBe(false)
})
