// The log of a database, moved into its file beside those who write: real files, a real thread.

import { existsSync, readdirSync, readlinkSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { appendAll, stepEntry } from '../../testing/step-entry.ts'
import { DatabaseFile } from './database-file.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SqliteTraceStore } from './trace-store.ts'

const MB = 1024 * 1024

function opened() {
  const path = join(makeTempFolder('arc-log-'), 'arc.db')
  const file = new DatabaseFile(path, {}, { isGrouped: true })
  onTestFinished(() => file.close())
  return { path, file, trace: new SqliteTraceStore(file) }
}

// About 40 KB each.
const LARGE = Object.fromEntries(Array.from({ length: 5 }, (_, at) => [`text${at}`, 'x'.repeat(8_000)]))

async function append({ trace }: ReturnType<typeof opened>, count: number, inGroup = 10): Promise<void> {
  for (let at = 0; at < count; at += inGroup) {
    const entries = Array.from({ length: inGroup }, (_, of) => stepEntry({ id: `s${at + of}`, data: LARGE }))
    await appendAll(trace, entries)
  }
}

// The descriptors of this process that are open on a database and its log.
function countOpen(path: string): number {
  return readdirSync('/proc/self/fd').filter((descriptor) => {
    try {
      return readlinkSync(`/proc/self/fd/${descriptor}`).startsWith(path)
    } catch {
      // Closed meanwhile.
      return false
    }
  }).length
}

describeEachDriver(() => {
  it.runIf(existsSync('/proc/self/fd'))('Z7 leaves no connection open', async () => {
    const at = opened()
    await append(at, 300)
    const { size } = statSync(at.path)
    for (let round = 0; round < 20; round++) {
      await append(at, 60)
      // A turn for the thread, so that each round has a checkpoint.
      await new Promise((resolve) => setTimeout(resolve, 20))
    }
    await expect.poll(() => statSync(at.path).size, { timeout: 20_000 }).toBeGreaterThan(size + MB)
    // The connection of the writer, the log, its index, and one that is being closed.
    await expect.poll(() => countOpen(at.path), { timeout: 20_000 }).toBeLessThanOrEqual(6)
  })

  it('is moved without anybody who writes waiting for it', async () => {
    const at = opened()
    await append(at, 300)
    // No other process checkpoints: the WAL is far too short for the writers.
    await expect.poll(() => statSync(at.path).size, { timeout: 60_000 }).toBeGreaterThan(2 * MB)
    expect(statSync(`${at.path}-wal`).size).toBeLessThan(30 * MB)
    expect(at.trace.verify()).toMatchObject({ ok: true, records: 600 })
  })

  it('does not grow without end while a writer continues', async () => {
    const at = opened()
    // 60 MB.
    await append(at, 1_500)
    expect(statSync(`${at.path}-wal`).size).toBeLessThan(50 * MB)
    at.file.close()
    const db = loadDriver().open(at.path, { isReadOnly: true })
    onTestFinished(() => void db.close())
    expect(db.pragma('quick_check')).toBe('ok')
    expect(db.prepare('SELECT count(*) FROM trace').pluck().get()).toBe(3_000)
  })

  it('is moved into the new file', async () => {
    const at = opened()
    await append(at, 300)
    at.file.close()
    const { size } = statSync(at.path)
    await append(at, 300)
    await expect.poll(() => statSync(at.path).size, { timeout: 60_000 }).toBeGreaterThan(size + MB)
    expect(at.trace.verify()).toMatchObject({ ok: true, records: 1_200 })
  })
})
