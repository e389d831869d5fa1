// What is found and counted a part at a time is the same as what looking at every record gives: the store in memory
// does so, and is asked the same questions.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import type { EventEntry, StepEntry } from '../../trace/record.ts'
import { MemoryTraceStore } from '../memory/trace-store.ts'
import type { TraceFilter, TraceStore } from '../ports.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SEGMENT_SIZE } from './trace-index.ts'
import { SqliteTraceStore } from './trace-store.ts'

let folder = ''
let file = ''
describeEachDriver(() => {
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arc-places-'))
    file = join(folder, 'arc.db')
  })
  afterEach(() => rmSync(folder, { recursive: true }))

  const HOUR = 3_600_000
  const BLOCK = { decision: 'block', applied: true, reason: 'no' } as const

  describe('finding and counting a part at a time', () => {
    it('gives what looking at every record gives, whatever was written, by whom, and cut', () => {
      fc.assert(
        fc.property(fc.array(action, { minLength: 1, maxLength: 12 }), fc.array(filter, { maxLength: 20 }), check),
        { numRuns: 25 },
      )
    }, 120_000)

    function check(actions: readonly Action[], filters: readonly TraceFilter[]): void {
      for (const suffix of ['', '-wal', '-shm']) rmSync(`${file}${suffix}`, { force: true })
      const memory = new MemoryTraceStore()
      const stores = [new SqliteTraceStore(file), new SqliteTraceStore(file)]
      for (const [at, { by, ...act }] of actions.entries()) {
        const store = stores[by] as SqliteTraceStore
        expect(perform(act, at, store)).toEqual(perform(act, at, memory))
      }
      for (const store of stores) {
        for (const each of [{}, { steps: true, limit: 10_000 }, ...filters])
          expect(store.query(each)).toEqual(memory.query(each))
        for (const id of ['last', 'n0', 'n1', 'n1-3', 'n2-1', 'n3-', 'event-1', 'nobody', 'n0-7.1']) {
          expect(store.get(id), id).toEqual(memory.get(id))
        }
        expect(store.counters()).toEqual(memory.counters())
        expect(store.verify()).toEqual(memory.verify())
      }
      expect([...(stores[0] as TraceStore).export()]).toEqual([...memory.export()])
      for (const store of stores) store.close()
    }

    it('finds what is rare among many parts, from either end', () => {
      const store = new SqliteTraceStore(file)
      const rare = (at: number) => (at % 500 === 250 ? [BLOCK] : [{}])
      store.appendAll(Array.from({ length: 5_000 }, (_, at) => stepEntry({ id: `s${at}`, evaluations: rare(at) })))
      const all = Array.from({ length: 10 }, (_, at) => `s${at * 500 + 250}.1`)
      const ids = (wanted: TraceFilter) => store.query({ decision: 'block', ...wanted }).map(({ id }) => id)
      expect(ids({})).toEqual(all)
      expect(ids({ limit: 3 })).toEqual(all.slice(-3))
      expect(ids({ afterSeq: 0, limit: 3 })).toEqual(all.slice(0, 3))
      expect(ids({ afterSeq: 5_000, limit: 3 })).toEqual(all.slice(5, 8))
      store.close()
    })

    it('settles nothing before a part is complete, and then all of it, once, whoever completes it', () => {
      const stores = [new SqliteTraceStore(file), new SqliteTraceStore(file)] as const
      const db = loadDriver().open(file)
      const settled = (): unknown => db.prepare('SELECT seq FROM trace_settled').pluck().get()
      const counted = (): unknown =>
        db.prepare("SELECT count FROM trace_counter WHERE scope = 'records' AND name = 'record'").pluck().get()
      for (let at = 0; at < SEGMENT_SIZE / 2 - 1; at++) stores[at % 2 === 0 ? 0 : 1].append(stepEntry({ id: `s${at}` }))
      expect([settled(), counted()]).toEqual([0, undefined])
      stores[0].append(stepEntry({ id: 'completes' }))
      expect([settled(), counted()]).toEqual([SEGMENT_SIZE - 1, SEGMENT_SIZE - 1])
      stores[1].append(stepEntry({ id: 'next' }))
      expect([settled(), counted()]).toEqual([SEGMENT_SIZE - 1, SEGMENT_SIZE - 1])
      expect(stores[1].counters()).toMatchObject({ records: SEGMENT_SIZE + 2, steps: SEGMENT_SIZE / 2 + 1 })
      for (const store of stores) store.close()
      db.close()
    })

    it('settles again what could not be committed', () => {
      const store = new SqliteTraceStore(file)
      for (let at = 0; at < SEGMENT_SIZE / 2 - 1; at++) store.append(stepEntry({ id: `s${at}` }))
      const db = loadDriver().open(file)
      db.exec("CREATE TRIGGER full BEFORE UPDATE ON trace_settled BEGIN SELECT RAISE(ABORT, 'no'); END")
      expect(() => store.append(stepEntry({ id: 'lost' }))).toThrow('no')
      db.exec('DROP TRIGGER full')
      db.close()
      store.append(stepEntry({ id: 'completes' }))
      expect(store.get('lost').found).toBe('nothing')
      expect(store.query({ limit: 1_000, steps: true })).toHaveLength(SEGMENT_SIZE)
      expect(store.counters().records).toBe(SEGMENT_SIZE)
      expect(store.verify()).toMatchObject({ ok: true, records: SEGMENT_SIZE })
      store.close()
    })

    it.each([
      ['its class', "UPDATE trace_place SET places = '[]' WHERE kind = 'class' AND part = 1"],
      ['its hook', "DELETE FROM trace_place WHERE kind = 'hook' AND part = 1"],
      ['its session', "UPDATE trace_place SET name = 'other' WHERE kind = 'session' AND part = 1"],
      ['its id', `DELETE FROM trace_id WHERE seq = ${SEGMENT_SIZE + 1}`],
      ['its class', 'UPDATE trace_settled SET seq = 100000'],
    ])('names a record that is no longer found by %s', (by, sql) => {
      const store = new SqliteTraceStore(file)
      store.appendAll(Array.from({ length: SEGMENT_SIZE + 20 }, (_, at) => stepEntry({ id: `s${at}`, session: 'one' })))
      const db = loadDriver().open(file)
      db.exec(sql)
      db.close()
      const { ok, firstBad } = store.verify()
      expect(ok).toBe(false)
      expect(firstBad?.message).toContain(`it is not found by ${by}`)
      expect(firstBad?.seq).toBeGreaterThanOrEqual(SEGMENT_SIZE)
      store.close()
    })

    it('leaves no list of what was cut behind', () => {
      const store = new SqliteTraceStore(file)
      const entries = Array.from({ length: 4_000 }, (_, at) => {
        return stepEntry({ id: `s${at}`, session: `session-${at % 50}`, time: ENTRY_TIME + at })
      })
      store.appendAll(entries)
      store.retain({ before: ENTRY_TIME + 3_500, now: ENTRY_TIME + 4_000, id: 'cut' })
      const db = loadDriver().open(file)
      expect(db.prepare('SELECT min(part) FROM trace_place').pluck().get()).toBe(Math.floor(7_001 / SEGMENT_SIZE))
      // Those of the last part are not in there yet.
      const settled = Math.floor(8_001 / SEGMENT_SIZE) * SEGMENT_SIZE - 1
      const ids = Math.ceil((settled - 7_000) / 2)
      expect(db.prepare('SELECT min(seq) AS first, count(*) AS count FROM trace_id').get()).toMatchObject({
        first: 7_001,
        count: ids,
      })
      db.close()
      expect(store.counters()).toMatchObject({ records: 8_001, steps: 4_000 })
      expect(store.query({ session: 'session-7', limit: 1_000 })).toHaveLength(10)
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
      session: fc.constantFrom('a', 'b', 'c', 'nobody'),
      hook: fc.constantFrom('hook-1', 'hook-2', 'guard'),
      decision: fc.constantFrom('pass' as const, 'block' as const, 'flag' as const),
      since: fc.integer({ min: -1, max: 13 }).map((hours) => ENTRY_TIME + hours * HOUR),
      afterSeq: fc.integer({ min: 0, max: 2_000 }),
      limit: fc.constantFrom(1, 2, 7, 100, 5_000),
      steps: fc.boolean(),
    },
    { requiredKeys: [] },
  )

  // Deterministic, so that both stores are given the same.
  function perform(act: Does<Action>, at: number, store: TraceStore): unknown {
    const time = ENTRY_TIME + at * HOUR
    if (act.does === 'event') return store.append(event(at, time))
    if (act.does === 'cut') return store.retain({ before: ENTRY_TIME + act.hours * HOUR, now: time, id: `cut-${at}` })
    if (act.does === 'shrink') return store.retain({ maxBytes: act.bytes, now: time, id: `cut-${at}` })
    // The clock goes back now and then.
    const entries = Array.from({ length: act.count }, (_, of) =>
      entry(at, of, act.session, time + act.step * of * 60_000),
    )
    return act.count % 3 === 0 ? entries.map((each) => store.append(each)) : store.appendAll(entries)
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
