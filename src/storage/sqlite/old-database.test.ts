// Databases that earlier versions wrote: after the migration every record is there and is found.

import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { brotliDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { appendAll, ENTRY_TIME, stepEntry } from '../../testing/step-entry.ts'
import { CounterDeltas, sumCounters } from '../../trace/counter-deltas.ts'
import { buildLogRow, type StepEntry, type TraceRecord } from '../../trace/record.ts'
import { Redactor } from '../../trace/redact.ts'
import { buildDrafts, NO_HEAD, readSealed, type Sealed, seal } from '../../trace/seal.ts'
import { MemoryTraceStore } from '../memory/trace-store.ts'
import type { TraceFilter } from '../ports.ts'
import type { Database } from './driver/driver.ts'
import { loadDriver } from './driver/load-driver.ts'
import { MIGRATIONS } from './migrations/list.ts'
import { SqliteStateStore } from './state-store.ts'
import { SqliteTraceStore } from './trace-store.ts'

const WRITTEN_VERSION = 4
const STEPS = 3_400
// 300 records written by version 6: the last 45 were in none of its index lists and counters yet.
const VERSION_6 = new URL('fixtures/trace-version-6.db.br', import.meta.url)
const VERSION_6_HEAD = '97c259fa1ca9cd9c22762affb1bedd3a49b52fe5a6d3c2387de4597c27049ba2'
// 100 steps of `oldEntry` and an event, written by version 7: bodies are whole texts.
const VERSION_7 = new URL('fixtures/trace-version-7.db.br', import.meta.url)

describeEachDriver(() => {
  describe('a database of an earlier version', () => {
    let folder = ''
    let file = ''
    beforeEach(() => {
      folder = mkdtempSync(join(tmpdir(), 'arc-old-'))
      file = join(folder, 'arc.db')
    })
    afterEach(() => rmSync(folder, { recursive: true }))

    it('with ten thousand records is migrated whole, and continues', async () => {
      const memory = new MemoryTraceStore()
      const entries = Array.from({ length: STEPS }, (_, at) => oldEntry(at))
      await appendAll(memory, entries)
      writeOld(file, entries)
      const store = new SqliteTraceStore(file)
      const next = stepEntry({ id: 'next', time: ENTRY_TIME + STEPS * 1_000 })
      expect(await store.append(next)).toEqual(await memory.append(next))
      const questions = [
        {},
        { session: 'session-3', limit: 5_000 },
        { hook: 'guard', decision: 'block', limit: 5_000 } as const,
        { session: 'session-0', hook: 'guard' },
        { since: ENTRY_TIME + 3_000_000, steps: true },
        { afterSeq: 9_000, limit: 20 },
      ]
      for (const question of questions) expect(store.query(question)).toEqual(memory.query(question))
      for (const id of ['old-0', 'old-33', 'old-3399', 'next', 'last', 'nobody'])
        expect(store.get(id)).toEqual(memory.get(id))
      expect(store.counters()).toEqual(memory.counters())
      expect(store.verify()).toEqual(memory.verify())
      expect([...store.export()].join('\n')).toBe([...memory.export()].join('\n'))
      const policy = { before: ENTRY_TIME + 2_000_000, now: ENTRY_TIME + STEPS * 1_000, id: 'cut' }
      expect(store.retain(policy)).toEqual(memory.retain(policy))
      expect(store.verify()).toEqual(memory.verify())
      store.close()
    })

    it('of version 6, with records that were not indexed yet, verifies and counts every record', async () => {
      const { store, records } = openVersion6()
      expect(store.verify()).toMatchObject({ ok: true, records: 300 })
      expect([...store.export()].at(-1)).toContain(VERSION_6_HEAD)
      const deltas = new CounterDeltas()
      for (const record of records) deltas.add(readSealed(record, 0, record.seq, '', ''))
      expect(store.counters()).toEqual(sumCounters(deltas.entries(), 24))
      expect((await store.append(stepEntry())).seqs).toEqual([301, 302])
      expect(store.verify()).toMatchObject({ ok: true, records: 302 })
      store.close()
    })

    it('of version 6 finds every record by each of its fields, by pairs of fields, and by its id', () => {
      const { store, records } = openVersion6()
      const filters = records.flatMap(listFilters)
      expect(filters.length).toBeGreaterThan(2_500)
      const distinct = new Map(filters.map((filter) => [JSON.stringify(filter), filter]))
      const rows = new Map(records.map((record) => [record.seq, JSON.stringify(buildLogRow(record))]))
      for (const [title, filter] of distinct) {
        const expected = records.filter((record) => matches(record, filter))
        if (expected.length === 0) throw new Error(`Nothing is found by ${title}.`)
        const found = store.query({ ...filter, limit: 1_000 }).map((row) => JSON.stringify(row))
        // As texts: a deep comparison of each takes ten times as long.
        const isSame = found.join('\n') === expected.map(({ seq }) => rows.get(seq)).join('\n')
        if (!isSame) expect(found, title).toEqual(expected.map(({ seq }) => rows.get(seq)))
      }
      for (const record of records) {
        if (record.kind !== 'evaluation') expect(store.get(record.id)).toMatchObject({ found: record.kind, record })
      }
      store.close()
    })

    it('of version 6 in which a class was removed still has all records, and verification names the first', () => {
      writeFileSync(file, brotliDecompressSync(readFileSync(VERSION_6)))
      const db = loadDriver().open(file)
      db.exec("DELETE FROM trace_class WHERE action = 'hook:skip'")
      const first = db
        .prepare('SELECT min(seq) FROM trace WHERE class NOT IN (SELECT id FROM trace_class)')
        .pluck()
        .get()
      db.close()
      const store = new SqliteTraceStore(file)
      expect([...store.export()]).toHaveLength(300)
      expect(store.verify()).toMatchObject({ ok: false, firstBad: { seq: first, flaw: 'changed' } })
      store.close()
    })

    it('Z5 of version 7, with whole texts, reads, verifies and exports as before, also with new records after it', async () => {
      writeFileSync(file, brotliDecompressSync(readFileSync(VERSION_7)))
      const store = new SqliteTraceStore(file)
      const memory = new MemoryTraceStore()
      const event = { component: 'breaker', action: 'breaker:open', hook: 'guard', reason: 'why' } as const
      const opened = { ...event, id: 'event-old', time: ENTRY_TIME + 100_000, session: 'session-1' }
      await appendAll(memory, [...Array.from({ length: 100 }, (_, at) => oldEntry(at)), opened])
      expect(store.verify()).toEqual(memory.verify())
      const later = Array.from({ length: 30 }, (_, at) => oldEntry(200 + at))
      for (const each of [store, memory]) await appendAll(each, later)
      expect([...store.export()]).toEqual([...memory.export()])
      expect(store.verify()).toEqual(memory.verify())
      const filters: TraceFilter[] = [
        { limit: 1_000, steps: true },
        { session: 'session-1', limit: 1_000, steps: true },
        { session: 'session-1', afterSeq: 200, limit: 40 },
        { session: 'session-2', beforeSeq: 310, limit: 5 },
        { session: 'session-3', since: ENTRY_TIME + 90_000, hook: 'guard' },
        { hook: 'guard', decision: 'block', limit: 1_000 },
      ]
      for (const filter of filters) {
        expect(store.records(filter)).toEqual(memory.records(filter))
        expect(JSON.stringify(store.records(filter))).toBe(JSON.stringify(memory.records(filter)))
      }
      for (const id of ['old-7', 'old-207', 'event-old', 'last']) expect(store.get(id)).toEqual(memory.get(id))
      const policy = { before: ENTRY_TIME + 50_000, now: ENTRY_TIME + 300_000, id: 'cut' }
      expect(store.retain(policy)).toEqual(memory.retain(policy))
      expect(store.verify()).toEqual(memory.verify())
      store.close()
    })

    function openVersion6() {
      writeFileSync(file, brotliDecompressSync(readFileSync(VERSION_6)))
      const store = new SqliteTraceStore(file)
      const records = [...store.export()].map((line) => (JSON.parse(line) as { record: TraceRecord }).record)
      expect(records).toHaveLength(300)
      return { store, records }
    }

    it('that was cut and has a state retains both', () => {
      writeOld(file, [oldEntry(0), oldEntry(1), oldEntry(2)])
      const db = loadDriver().open(file)
      const { hash, clock } = db.prepare('SELECT hash, clock FROM trace WHERE seq = 3').get() as Sealed
      db.prepare("UPDATE trace_end SET seq = 3, hash = ?, clock = ? WHERE name = 'cut'").run(hash, clock)
      db.exec('DELETE FROM trace WHERE seq <= 3')
      db.exec(`INSERT INTO state (key, value, version) VALUES ('breaker:default', '{"status":"closed"}', 7)`)
      db.close()
      const store = new SqliteTraceStore(file)
      expect(store.verify()).toMatchObject({ ok: true, records: 6, cut: { seq: 3 } })
      expect(store.query().map(({ id }) => id)).toEqual(['old-1.1', 'old-1.2', 'old-2.1', 'old-2.2'])
      expect(store.get('old-0')).toEqual({ found: 'nothing' })
      expect(store.counters()).toMatchObject({ records: 9, steps: 3 })
      const state = new SqliteStateStore(file)
      expect(state.get('breaker:default')).toMatchObject({ value: { status: 'closed' }, version: 7 })
      state.close()
      store.close()
    })
  })

  // Each field of a record, and of some records each pair.
  function listFilters(record: TraceRecord): TraceFilter[] {
    const { component, action, session, seq } = record
    const decision = record.kind === 'event' ? undefined : record.decision
    const hook = record.kind === 'step' ? undefined : record.hook
    const fields: TraceFilter[] = [
      { component },
      { action },
      { session },
      { hook },
      { decision },
      { afterSeq: seq - 1 },
    ]
    fields.push({ since: Date.parse(record.time) }, { beforeSeq: seq + 1 })
    const given = fields.filter((field) => Object.values(field)[0] !== undefined)
    const others = seq % 9 === 0 ? given : [{}]
    return given.flatMap((one) => others.map((other) => ({ steps: record.kind === 'step', ...one, ...other })))
  }

  function matches(record: TraceRecord, { since, afterSeq, beforeSeq, steps, limit, ...equal }: TraceFilter): boolean {
    if (record.kind === 'step' && steps !== true) return false
    if (since !== undefined && Date.parse(record.time) < since) return false
    if (record.seq <= (afterSeq ?? 0) || record.seq >= (beforeSeq ?? Number.POSITIVE_INFINITY)) return false
    const fields: Record<string, unknown> = { ...record }
    return Object.entries(equal).every(([name, value]) => fields[name] === value)
  }

  function oldEntry(at: number): StepEntry {
    const evaluations = [{}, at % 7 === 0 ? ({ hook: 'guard', decision: 'block', applied: true } as const) : {}]
    const session = at % 5 === 4 ? undefined : `session-${at % 5}`
    return stepEntry({ id: `old-${at}`, session, time: ENTRY_TIME + at * 1_000, evaluations })
  }

  // As the version before wrote it: with its tables, in its statements.
  function writeOld(file: string, entries: readonly StepEntry[]): void {
    const db = loadDriver().open(file)
    db.pragma('auto_vacuum = INCREMENTAL')
    db.pragma('journal_mode = WAL')
    for (const step of MIGRATIONS.slice(0, WRITTEN_VERSION)) db.exec(step)
    db.pragma(`user_version = ${WRITTEN_VERSION}`)
    const redactor = new Redactor()
    const additions = new CounterDeltas()
    let head = NO_HEAD
    let bytes = 0
    db.exec('BEGIN')
    for (const entry of entries) {
      for (const link of seal(buildDrafts(entry, redactor), head)) {
        insertOld(db, link)
        additions.add(link)
        bytes += Buffer.byteLength(link.body)
        head = link
      }
    }
    const count = db.prepare('INSERT INTO trace_counter (scope, key, name, count) VALUES (@scope, @key, @name, @count)')
    for (const counter of additions.entries()) count.run(counter)
    const end = db.prepare("UPDATE trace_end SET seq = ?, hash = ?, clock = ?, bytes = ? WHERE name = 'head'")
    end.run(head.seq, head.hash, head.clock, bytes)
    db.exec('COMMIT')
    db.close()
  }

  function insertOld(db: Database, link: Sealed): void {
    const { seq, kind, component, action, decision = '', id, time, clock, session, hook, step, hash, body } = link
    const names = [kind, component, action, decision]
    db.prepare('INSERT OR IGNORE INTO trace_class (kind, component, action, decision) VALUES (?, ?, ?, ?)').run(
      ...names,
    )
    const find = 'SELECT id FROM trace_class WHERE kind = ? AND component = ? AND action = ? AND decision = ?'
    const of = db
      .prepare(find)
      .pluck()
      .get(...names)
    const ownId = kind === 'evaluation' ? null : id
    db.prepare(
      'INSERT INTO trace (seq, class, step, id, time, clock, session, hook, hash, body) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)',
    ).run(seq, of, step ?? null, ownId, time, clock, session ?? null, hook ?? null, hash, body)
  }
})
