// Queries and counters of the database give the same as those of the store in memory, which filters all its records.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import type { EventEntry, StepEntry } from '../../trace/record.ts'
import { MemoryTraceStore } from '../memory/trace-store.ts'
import type { TraceFilter, TraceStore } from '../ports.ts'
import { loadDriver } from './driver/load-driver.ts'
import { selectBytes } from './driver/text-as-bytes.ts'
import { TraceReader } from './trace-reader.ts'
import { ROW_COLUMNS } from './trace-row.ts'
import { TraceRows } from './trace-rows.ts'
import { SqliteTraceStore } from './trace-store.ts'

let folder = ''
let file = ''
describeEachDriver(() => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arc-reader-'))
    file = join(folder, 'arc.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const HOUR = 3_600_000
  const BLOCK = { decision: 'block', applied: true, reason: 'no' } as const

  describe('queries and counters', () => {
    it('are the same as a filter over all records, with two writers, retention and a clock that goes back', async () => {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 1, maxLength: 12 }), fc.array(filter, { maxLength: 20 }), check),
        { numRuns: 25 },
      )
    })

    async function check(actions: readonly Action[], filters: readonly TraceFilter[]): Promise<void> {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      const memory = new MemoryTraceStore()
      const stores = [new SqliteTraceStore(file), new SqliteTraceStore(file)]
      for (const [at, { by, ...act }] of actions.entries()) {
        const store = stores[by] as SqliteTraceStore
        expect(await perform(act, at, store)).toEqual(await perform(act, at, memory))
      }
      for (const store of stores) {
        for (const each of [{}, { steps: true, limit: 10_000 }, ...filters])
          expect(store.query(each)).toEqual(memory.query(each))
        for (const id of ['last', 'n0', 'n1', 'n1-3', 'n2-1', 'n3-', 'event-1', 'unknown', 'n0-7.1']) {
          expect(store.get(id), id).toEqual(memory.get(id))
        }
        expect(store.counters()).toEqual(memory.counters())
        expect(store.verify()).toEqual(memory.verify())
      }
      expect([...(stores[0] as TraceStore).export()]).toEqual([...memory.export()])
      for (const store of stores) store.close()
    }

    it('find rare records among many, from either end', async () => {
      const store = new SqliteTraceStore(file)
      const rare = (at: number) => (at % 500 === 250 ? [BLOCK] : [{}])
      await appendAll(
        store,
        Array.from({ length: 5_000 }, (_, at) => stepEntry({ id: `s${at}`, evaluations: rare(at) })),
      )
      const all = Array.from({ length: 10 }, (_, at) => `s${at * 500 + 250}.1`)
      const ids = (wanted: TraceFilter) => store.query({ decision: 'block', ...wanted }).map(({ id }) => id)
      expect(ids({})).toEqual(all)
      expect(ids({ limit: 3 })).toEqual(all.slice(-3))
      expect(ids({ afterSeq: 0, limit: 3 })).toEqual(all.slice(0, 3))
      expect(ids({ afterSeq: 5_000, limit: 3 })).toEqual(all.slice(5, 8))
      store.close()
    })

    it.each<[string, TraceFilter]>([
      ['trace', {}],
      ['trace', { component: 'hooks', action: 'hook:pass', decision: 'pass' }],
      ['trace_by_session', { session: 'a', hook: 'guard', decision: 'block' }],
      ['trace_by_action', { action: 'hook:block', hook: 'guard', component: 'launch' }],
      ['trace_by_decision', { decision: 'block', hook: 'guard' }],
      ['trace_by_component', { component: 'launch', action: 'hook:pass' }],
      ['trace_by_hook', { hook: 'guard', action: 'hook:pass', since: ENTRY_TIME }],
    ])('read %s in order, without sorting, for %j', (index, wanted) => {
      const store = new SqliteTraceStore(file)
      const db = loadDriver().open(file)
      const prepared: string[] = []
      const prepare: typeof db.prepare = (sql) => {
        prepared.push(sql)
        return db.prepare(sql)
      }
      const spy = { prepare } as unknown as typeof db
      const reader = new TraceReader(spy, new TraceRows(db))
      for (const each of [wanted, { ...wanted, afterSeq: 5, beforeSeq: 90 }]) {
        reader.query(each)
        const sql = prepared.pop() ?? ''
        const values = Array.from(sql.matchAll(/\?/g), () => null)
        for (const run of [sql, selectBytes(sql, () => ROW_COLUMNS.map((name) => ({ name, type: 'TEXT' })))]) {
          const plan = db.prepare<null[], { detail: string }>(`EXPLAIN QUERY PLAN ${run}`).all(...values)
          const details = plan.map(({ detail }) => detail).join('; ')
          expect(details).toMatch(
            new RegExp(`^(SCAN|SEARCH) (trace|owner)\\b.*${index === 'trace' ? '' : ` INDEX ${index} `}`),
          )
          expect(details).not.toContain('TEMP B-TREE')
        }
      }
      db.close()
      store.close()
    })

    it('keep the totals of removed records, and find none of them', async () => {
      const store = new SqliteTraceStore(file)
      const entries = Array.from({ length: 4_000 }, (_, at) => {
        return stepEntry({ id: `s${at}`, session: `session-${at % 50}`, time: ENTRY_TIME + at })
      })
      await appendAll(store, entries)
      store.retain({ before: ENTRY_TIME + 3_500, now: ENTRY_TIME + 4_000, id: 'cut' })
      expect(store.counters()).toMatchObject({ records: 8_001, steps: 4_000 })
      expect(store.query({ session: 'session-7', limit: 1_000 })).toHaveLength(10)
      expect(store.query({ hook: 'hook-1', limit: 1_000 })).toHaveLength(500)
      expect(store.get('s3499')).toEqual({ found: 'nothing' })
      store.close()
    })

    it('count an entry again after its counters could not be written', async () => {
      const store = new SqliteTraceStore(file)
      await store.append(stepEntry({ id: 'before' }))
      const db = loadDriver().open(file)
      db.exec("CREATE TRIGGER full BEFORE UPDATE ON trace_counter BEGIN SELECT RAISE(ABORT, 'no'); END")
      await expect(store.append(stepEntry({ id: 'lost' }))).rejects.toThrow('no')
      db.exec('DROP TRIGGER full')
      db.close()
      await store.append(stepEntry({ id: 'after' }))
      expect(store.get('lost').found).toBe('nothing')
      // With the record of the gap.
      expect(store.counters()).toMatchObject({ records: 5, steps: 2, total: { pass: 2 } })
      expect(store.verify()).toMatchObject({ ok: true, records: 5 })
      store.close()
    })
  })

  type Action = { readonly by: 0 | 1 } & (
    | { readonly does: 'append'; readonly count: number; readonly session: string; readonly step: number }
    | { readonly does: 'event' }
    | { readonly does: 'cut'; readonly hours: number }
    | { readonly does: 'shrink'; readonly bytes: number }
  )

  type Does<A> = A extends unknown ? Omit<A, 'by'> : never

  const by = fc.constantFrom(0 as const, 1 as const)
  const action: fc.Arbitrary<Action> = fc.oneof(
    {
      weight: 5,
      arbitrary: fc.record({
        by,
        does: fc.constant('append' as const),
        count: fc.integer({ min: 1, max: 120 }),
        session: fc.constantFrom('a', 'b', 'c'),
        step: fc.integer({ min: -1, max: 2 }),
      }),
    },
    { weight: 2, arbitrary: fc.record({ by, does: fc.constant('event' as const) }) },
    {
      weight: 1,
      arbitrary: fc.record({ by, does: fc.constant('cut' as const), hours: fc.integer({ min: 0, max: 12 }) }),
    },
    {
      weight: 1,
      arbitrary: fc.record({ by, does: fc.constant('shrink' as const), bytes: fc.integer({ min: 0, max: 200_000 }) }),
    },
  )

  const filter: fc.Arbitrary<TraceFilter> = fc.record(
    {
      component: fc.constantFrom('hooks' as const, 'launch' as const, 'breaker' as const, 'trace' as const),
      action: fc.constantFrom('hook:pass', 'hook:block', 'hook:error', 'step:pass', 'breaker:open'),
      session: fc.constantFrom('a', 'b', 'c', 'unknown'),
      hook: fc.constantFrom('hook-1', 'hook-2', 'guard', 'unknown'),
      decision: fc.constantFrom('pass' as const, 'block' as const, 'flag' as const),
      since: fc.integer({ min: -1, max: 13 }).map((hours) => ENTRY_TIME + hours * HOUR),
      afterSeq: fc.integer({ min: 0, max: 2_000 }),
      beforeSeq: fc.integer({ min: 0, max: 2_000 }),
      limit: fc.constantFrom(1, 2, 7, 100, 5_000),
      steps: fc.boolean(),
    },
    { requiredKeys: [] },
  )

  // Deterministic, so that both stores get the same entries.
  async function perform(act: Does<Action>, at: number, store: TraceStore): Promise<unknown> {
    const time = ENTRY_TIME + at * HOUR
    if (act.does === 'event') return store.append(event(at, time))
    if (act.does === 'cut') return store.retain({ before: ENTRY_TIME + act.hours * HOUR, now: time, id: `cut-${at}` })
    if (act.does === 'shrink') return store.retain({ maxBytes: act.bytes, now: time, id: `cut-${at}` })
    // The clock sometimes goes back.
    const entries = Array.from({ length: act.count }, (_, of) =>
      entry(at, of, act.session, time + act.step * of * 60_000),
    )
    return appendAll(store, entries)
  }

  function entry(at: number, of: number, session: string, time: number): StepEntry {
    const kind = (at * 31 + of) % 11
    const point = kind === 3 ? 'pre:launch' : 'pre:tool'
    const failed = { cause: 'failure:crash', decision: 'flag' } as const
    const evaluations = [
      {},
      kind === 5
        ? { ...BLOCK, hook: 'guard' }
        : kind === 7
          ? failed
          : kind === 9
            ? { skipped: 'disabled' as const }
            : {},
    ]
    return stepEntry({ id: `n${at}-${of}`, point, session, time, evaluations: kind === 1 ? [] : evaluations })
  }

  function event(at: number, time: number): EventEntry {
    return { id: `event-${at}`, time, component: 'breaker', action: 'breaker:open', hook: 'guard', reason: 'why' }
  }
})
