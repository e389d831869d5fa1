import { rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import { traceStoreContract } from '../../testing/trace-store-contract.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SqliteTraceStore } from './trace-store.ts'

describeEachDriver(() => {
  describe('the trace in SQLite', () => {
    for (const { title, run } of traceStoreContract) {
      it(title, () => {
        const folder = makeTempFolder('arc-trace-')
        return run({
          make: () => new SqliteTraceStore(join(folder, 'arc.db'), { env: { MY_TOKEN: 'value-of-the-variable' } }),
          dispose: () => rmSync(folder, { recursive: true }),
        })
      })
    }

    it('gives the space of a large cut back while others write, and stays verifiable', async () => {
      const folder = makeTempFolder('arc-trace-')
      const file = join(folder, 'arc.db')
      const store = new SqliteTraceStore(file)
      const other = new SqliteTraceStore(file)
      await appendAll(
        store,
        Array.from({ length: 4_000 }, (_, at) => stepEntry({ id: `s${at}`, time: ENTRY_TIME + at })),
      )
      const before = sizeOf(file)
      const { removed, cut } = store.retain({ before: ENTRY_TIME + 3_900, now: ENTRY_TIME + 4_000, id: 'cut' })
      expect({ removed, seq: cut.seq }).toEqual({ removed: 7_800, seq: 7_800 })
      expect((await other.append(stepEntry({ id: 'other' }))).seqs).toEqual([8_002, 8_003])
      expect(store.verify()).toMatchObject({ ok: true, records: 203, cut: { seq: 7_800 } })
      expect(store.query({ since: ENTRY_TIME + 3_999, action: 'hook:pass' })).toHaveLength(1)
      expect(sizeOf(file)).toBeLessThan(before / 4)
      store.close()
      other.close()
    })

    it('keeps neither a part of an entry nor its counters when it cannot be written', async () => {
      const folder = makeTempFolder('arc-trace-')
      const file = join(folder, 'arc.db')
      const store = new SqliteTraceStore(file)
      await store.append(stepEntry({ id: 'before' }))
      const db = loadDriver().open(file)
      db.exec("CREATE TRIGGER full BEFORE INSERT ON trace WHEN new.hook = 'last' BEGIN SELECT RAISE(ABORT, 'no'); END")
      const entry = stepEntry({ id: 'lost', point: 'pre:launch', evaluations: [{}, { hook: 'last' }] })
      await expect(store.append(entry)).rejects.toThrow('no')
      db.exec('DROP TRIGGER full')
      db.close()
      expect(store.get('lost').found).toBe('nothing')
      expect((await store.append(entry)).seqs).toEqual([4, 5, 6])
      // With the record of the gap.
      expect(store.counters().records).toBe(6)
      expect(store.query({ component: 'launch' })).toHaveLength(2)
      expect(store.verify().ok).toBe(true)
      store.close()
    })
  })

  function sizeOf(file: string): number {
    const db = loadDriver().open(file)
    db.pragma('wal_checkpoint(TRUNCATE)')
    db.close()
    return statSync(file).size
  }
})
