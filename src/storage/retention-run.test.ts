import { existsSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../test/each-driver.ts'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../testing/step-entry.ts'
import { verifyArchiveFile } from './archive-file.ts'
import { takeLease } from './lease.ts'
import { MemoryStateStore } from './memory/state-store.ts'
import { type RetentionRunOptions, runRetention } from './retention-run.ts'
import { loadDriver } from './sqlite/driver/load-driver.ts'
import { SqliteStateStore } from './sqlite/state-store.ts'
import { TraceRetention } from './sqlite/trace-retention.ts'
import { SqliteTraceStore } from './sqlite/trace-store.ts'

const STEPS = 2_000

describeEachDriver(() => {
  const makeHome = (count = STEPS) => {
    const folder = makeTempFolder('arc-retention-')
    const file = join(folder, 'arc.db')
    const trace = new SqliteTraceStore(file)
    append(trace, count)
    // A read writes what waits.
    trace.counters()
    const state = new SqliteStateStore(file)
    const retention = new TraceRetention(file)
    let id = 0
    const options: Omit<RetentionRunOptions, 'keep'> = { retention, trace, state, newId: () => `cut-${++id}` }
    const close = () => {
      for (const open of [trace, state, retention]) open.close()
    }
    return { folder, file, trace, state, retention, options, close }
  }

  describe('Z4 a run of retention', () => {
    it('lets others write between its batches, and leaves a chain that verifies', async () => {
      const { file, trace, options, close } = makeHome()
      const other = loadDriver().open(file)
      const batches: number[] = []
      let turns = 0
      const turn = (): void => {
        // Would fail at once with a transaction that stays open from one turn to the next.
        other.exec('BEGIN IMMEDIATE')
        other.exec('COMMIT')
        turns++
        timer = setImmediate(turn)
      }
      let timer = setImmediate(turn)
      let before = 0
      const onProgress = (removed: number): void => {
        batches.push(removed - before)
        before = removed
        if (batches.length < 4) append(trace, 1, `new-${batches.length}-`)
      }
      const result = await runRetention({ ...options, keep: { before: ENTRY_TIME + 1_500 }, onProgress })
      clearImmediate(timer)
      expect(result).toMatchObject({ status: 'done', removed: 4_500, cut: { seq: 4_500 } })
      expect(batches.length).toBeGreaterThan(4)
      expect(turns).toBeGreaterThan(batches.length)
      // A whole step each time.
      expect(batches.every((count) => count % 3 === 0 && count < 1_100)).toBe(true)
      expect(trace.verify()).toMatchObject({ ok: true, cut: { seq: 4_500 } })
      expect(trace.query({ action: 'trace:cut' })).toMatchObject([{ reason: 'removed 4500 records, up to 4500' }])
      other.close()
      close()
    })

    it('removes the oldest records until the database has the size to keep, and gives the space back', async () => {
      const { trace, retention, options, close } = makeHome(12_000)
      const { usedBytes } = retention.usage()
      const bytes = Math.round(usedBytes / 3)
      await runRetention({ ...options, keep: { bytes } })
      const after = retention.usage()
      expect(after.usedBytes).toBeLessThanOrEqual(bytes * 1.02)
      expect(after.usedBytes).toBeGreaterThan(bytes * 0.8)
      expect(after.freeBytes).toBeLessThanOrEqual(8 * 1024 * 1024)
      expect(trace.verify().ok).toBe(true)
      // Once is enough.
      expect(await runRetention({ ...options, keep: { bytes } })).toMatchObject({ removed: 0 })
      close()
    })

    it('ends after the batch when it is aborted, and the next run records the whole cut', async () => {
      const { trace, retention, options, close } = makeHome()
      const stopping = new AbortController()
      const keep = { before: ENTRY_TIME + 1_000 }
      // As a process that is killed: nothing after the first batch, not even the record of the cut.
      retention.removeBatch({ upTo: 3_000, limit: 30 })
      const first = await runRetention({
        ...options,
        keep,
        signal: stopping.signal,
        onProgress: () => stopping.abort(),
      })
      const { seq } = retention.usage().cut
      expect(first).toMatchObject({ status: 'done', removed: seq - 30 })
      expect(seq).toBeLessThan(3_000)
      expect(trace.verify()).toMatchObject({ ok: true, cut: { seq } })
      await runRetention({ ...options, keep })
      expect(trace.verify()).toMatchObject({ ok: true, cut: { seq: 3_000 } })
      const cuts = trace.records({ action: 'trace:cut' }).map((record) => ('metadata' in record ? record.metadata : {}))
      expect(cuts).toMatchObject([{ seq }, { seq: 3_000, removed: 3_000 - seq }])
      close()
    })

    it('removes nothing from a changed record on, unless it is forced to', async () => {
      const { file, trace, options, close } = makeHome()
      const db = loadDriver().open(file)
      db.exec("UPDATE trace SET decision = 'flag' WHERE seq = 2000")
      db.close()
      const keep = { before: ENTRY_TIME + 1_500 }
      await expect(runRetention({ ...options, keep })).rejects.toMatchObject({ code: 'ARC_TRACE_BROKEN' })
      // What was good before it is gone, the evidence is not.
      expect(trace.verify()).toMatchObject({ ok: false, firstBad: { seq: 2_000 } })
      expect(await runRetention({ ...options, keep, isForced: true })).toMatchObject({ cut: { seq: 4_500 } })
      expect(trace.verify().ok).toBe(true)
      close()
    })

    it('is done by one process at a time; a lease that was not renewed ends', async () => {
      const { state, options, close } = makeHome(10)
      const keep = { before: ENTRY_TIME + 5 }
      const taken = takeLease(state, 'trace:retention', { ttlMs: 30_000, wall: Date.now })
      expect('lease' in taken).toBe(true)
      expect(await runRetention({ ...options, keep })).toEqual({ status: 'busy', pid: process.pid })
      const later = (): number => Date.now() + 31_000
      expect(await runRetention({ ...options, keep, wall: later })).toMatchObject({ status: 'done', removed: 15 })
      close()
    })
  })

  describe('Z4 an archive', () => {
    it('is written before anything is removed, follows the one before it, and verifies without the database', async () => {
      const { folder, trace, retention, options, close } = makeHome()
      const archive = join(folder, 'archive')
      const lines = [...trace.export()]
      const first = await runRetention({ ...options, archive, keep: { before: ENTRY_TIME + 500 } })
      const second = await runRetention({ ...options, archive, keep: { before: ENTRY_TIME + 800 } })
      expect(readdirSync(archive)).toEqual([
        'trace-000000000001-000000001500.jsonl.gz',
        'trace-000000001501-000000002400.jsonl.gz',
      ])
      const files = [first, second].flatMap((result) => ('archives' in result ? result.archives : []))
      const checks = await Promise.all(files.map((file) => verifyArchiveFile(file)))
      expect(checks).toMatchObject([
        { ok: true, records: 1_500, head: { seq: 1_500 } },
        { ok: true, records: 900, cut: checks[0]?.head, head: retention.usage().cut },
      ])
      expect(checks[1]?.archive?.database).toBe(retention.usage().database)
      expect(lines[1_499]).toContain(checks[0]?.head?.hash)
      expect(trace.records({ action: 'trace:cut' })).toMatchObject([
        { metadata: { archives: [files[0]] } },
        { metadata: { archives: [files[1]] } },
      ])
      close()
    })

    it('that cannot be written is reported, and nothing is removed', async () => {
      const { folder, trace, retention, options, close } = makeHome(100)
      const archive = join(folder, 'archive')
      writeFileSync(archive, 'a file, not a folder')
      const run = runRetention({ ...options, archive, keep: { before: ENTRY_TIME + 50 } })
      await expect(run).rejects.toMatchObject({ code: 'ARC_ARCHIVE_FAILED' })
      expect(retention.usage().cut.seq).toBe(0)
      expect(trace.query({ action: 'trace:cut' })).toEqual([])
      expect(trace.verify()).toMatchObject({ ok: true, records: 300 })
      close()
    })

    it('with a changed record is not taken for a good one', async () => {
      const { file, folder, options, retention, close } = makeHome(100)
      const db = loadDriver().open(file)
      db.exec("UPDATE trace SET decision = 'flag' WHERE seq = 20")
      db.close()
      const archive = join(folder, 'archive')
      const result = await runRetention({ ...options, archive, isForced: true, keep: { before: ENTRY_TIME + 50 } })
      const [written] = 'archives' in result ? result.archives : []
      expect(await verifyArchiveFile(written ?? '')).toMatchObject({ ok: false, firstBad: { seq: 20 } })
      expect(existsSync(join(folder, 'archive'))).toBe(true)
      expect(retention.usage().cut.seq).toBe(150)
      close()
    })
  })
})

describe('a lease', () => {
  const options = (now: number) => ({ ttlMs: 1_000, wall: () => now })

  it('is renewed while it is used, and free when it was released', () => {
    const state = new MemoryStateStore()
    let now = 0
    const taken = takeLease(state, 'work', { ttlMs: 1_000, wall: () => now })
    if (!('lease' in taken)) throw new Error('not taken')
    now = 900
    expect(taken.lease.renew()).toBe(true)
    expect(takeLease(state, 'work', options(1_500))).toEqual({ heldBy: process.pid })
    taken.lease.release()
    expect('lease' in takeLease(state, 'work', options(1_500))).toBe(true)
  })

  it('is lost by a process that slept through it, and not held by a clock that was wrong', () => {
    const state = new MemoryStateStore()
    let now = 0
    const slept = takeLease(state, 'work', { ttlMs: 1_000, wall: () => now })
    expect('lease' in takeLease(state, 'work', options(2_000))).toBe(true)
    now = 2_100
    expect('lease' in slept && slept.lease.renew()).toBe(false)
    expect('lease' in takeLease(state, 'other', options(1e12))).toBe(true)
    expect('lease' in takeLease(state, 'other', options(5_000))).toBe(true)
  })
})

function append(trace: SqliteTraceStore, count: number, name = 's'): void {
  const entries = Array.from({ length: count }, (_, at) =>
    stepEntry({ id: `${name}${at}`, evaluations: [{}, {}], time: ENTRY_TIME + at }),
  )
  void appendAll(trace, entries)
}
