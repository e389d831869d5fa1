// Threads run the built worker, so these tests need a build.

import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import { loadDriver } from './driver/load-driver.ts'
import { verifyFile } from './parallel-verification.ts'
import { SqliteTraceStore } from './trace-store.ts'

const WORKER = fileURLToPath(new URL('../../../dist/cli/verify-worker.cjs', import.meta.url))
const STEPS = 500
const RECORDS = STEPS * 3
const THREADS = { worker: WORKER, threads: 3, rangeSize: 200 }

function makeDatabase(): string {
  const file = join(makeTempFolder('arc-threads-'), 'arc.db')
  const store = new SqliteTraceStore(file)
  void appendAll(
    store,
    Array.from({ length: STEPS }, (_, at) => stepEntry({ id: `s${at}`, evaluations: [{}, {}] })),
  )
  store.close()
  return file
}

function change(file: string, sql: string): void {
  const db = loadDriver().open(file)
  db.exec(sql)
  db.close()
}

describe('a verification in several threads', () => {
  it('Z5 gives the result of one thread, and shows its progress', async () => {
    const file = makeDatabase()
    const seen: number[] = []
    const result = await verifyFile(file, { ...THREADS, onProgress: (records) => seen.push(records) })
    expect(result).toEqual(await verifyFile(file, { threads: 1 }))
    expect(result).toMatchObject({ ok: true, records: RECORDS, head: { seq: RECORDS } })
    expect(seen.length).toBeGreaterThanOrEqual(RECORDS / 200)
  })

  it.each([
    ['changed', 'UPDATE trace SET body = body || body WHERE seq = 777'],
    ['two of them changed', 'UPDATE trace SET body = body || body WHERE seq IN (333, 1201)'],
    ['missing', 'DELETE FROM trace WHERE seq = 950'],
    ['missing at the end of a range', 'DELETE FROM trace WHERE seq = 800'],
    ['missing at the end', `DELETE FROM trace WHERE seq = ${RECORDS}`],
    ['added before the first', 'UPDATE trace SET seq = 0 WHERE seq = 1'],
    ['changed in one column', "UPDATE trace SET hook = 'other' WHERE seq = 1202"],
  ])('Z5 names the same first bad record as one thread: %s', async (_what, sql) => {
    const file = makeDatabase()
    change(file, sql)
    const result = await verifyFile(file, THREADS)
    expect(result.ok).toBe(false)
    expect(result).toEqual(await verifyFile(file, { threads: 1 }))
  })

  it('Z5 verifies the rest of a chain that retention has cut', async () => {
    const file = makeDatabase()
    const store = new SqliteTraceStore(file)
    store.retain({ maxBytes: 200_000, now: Date.now(), id: 'cut' })
    store.close()
    const result = await verifyFile(file, THREADS)
    expect(result).toEqual(await verifyFile(file, { threads: 1 }))
    expect(result.cut?.seq).toBeGreaterThan(200)
  })
})
