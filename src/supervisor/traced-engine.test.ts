// The engine with a trace behind it: a decision is recorded before the caller gets it.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import type { Database } from '../storage/sqlite/driver/driver.ts'
import { loadDriver } from '../storage/sqlite/driver/load-driver.ts'
import { SqliteTraceStore } from '../storage/sqlite/trace-store.ts'
import { Supervisor } from './supervisor.ts'
import { TracedEngine } from './traced-engine.ts'

const CALL = { tool: 'shell', args: { command: 'ls' } }

it('D5 a step and its evaluations are committed before the outcome is handed back, also when hooks are asynchronous', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'arc-traced-'))
  const file = join(folder, 'arc.db')
  const store = new SqliteTraceStore(file)
  const reader = new SqliteTraceStore(file)
  const engine = new TracedEngine(store, { mode: 'enforce' })
  engine.register('pre:tool', () => ({ modify: { args: { command: 'ls -a' } } }), { name: 'edit', priority: 1 })
  engine.register('pre:tool', async () => 'block', { name: 'guard', priority: 2 })
  engine.register('pre:tool', () => 'pass', { name: 'never' })
  const outcome = await engine.dispatch('PreToolUse', CALL, { session: 's1', id: 'step-1' })
  expect(outcome.blocked).toBe(true)
  expect(reader.query({ session: 's1' }).map(({ hook, action, point }) => [hook, action, point])).toEqual([
    ['edit', 'hook:pass', 'pre:tool'],
    ['guard', 'hook:block', 'pre:tool'],
  ])
  const found = reader.get('step-1')
  expect(found).toMatchObject({ found: 'step', record: { data: CALL, outcome: { decision: 'block', hook: 'guard' } } })
  expect(reader.verify()).toMatchObject({ ok: true, records: 3 })
  store.close()
  reader.close()
  rmSync(folder, { recursive: true })
})

it('D11 a step that meets no hook leaves no record', () => {
  const store = new MemoryTraceStore()
  const engine = new TracedEngine(store)
  void engine.dispatch('pre:tool', CALL)
  expect(store.query()).toEqual([])
})

describe('a trace that cannot be written', () => {
  let folder = ''
  let store: SqliteTraceStore
  let other: Database
  beforeEach(() => {
    folder = mkdtempSync(join(tmpdir(), 'arc-traced-'))
    const file = join(folder, 'arc.db')
    store = new SqliteTraceStore(file, { waitMs: 1 })
    other = loadDriver().open(file)
    other.exec('BEGIN IMMEDIATE')
  })
  afterEach(() => {
    vi.restoreAllMocks()
    other.close()
    store.close()
    rmSync(folder, { recursive: true })
  })

  it('never changes a decision, and is reported on stderr unless there is a reporter', async () => {
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    const engine = new TracedEngine(store, { mode: 'enforce' })
    engine.register('pre:tool', () => 'block')
    const outcome = await engine.dispatch('pre:tool', CALL)
    const reported = written.mock.calls.flat().join('')
    expect(outcome.blocked).toBe(true)
    expect(outcome.metadata.traceId).toBeUndefined()
    expect(reported).toContain('the trace could not be written')
    expect(reported).toContain('ARC_STORE_BUSY')
  })

  it('is reported when it starts, when the reason changes and when it ends, with the number of missing entries', async () => {
    const reports: string[] = []
    const engine = new TracedEngine(store, { mode: 'enforce' }, {}, { report: (message) => reports.push(message) })
    engine.register('pre:tool', () => 'block')
    const dispatch = () => engine.dispatch('pre:tool', CALL)
    for (let at = 0; at < 3; at++) expect((await dispatch()).blocked).toBe(true)
    expect(reports).toEqual([expect.stringContaining('ARC_STORE_BUSY')])
    other.exec('ROLLBACK')
    other.exec("CREATE TRIGGER full BEFORE INSERT ON trace BEGIN SELECT RAISE(ABORT, 'no room'); END")
    for (let at = 0; at < 2; at++) expect((await dispatch()).blocked).toBe(true)
    expect(reports.slice(1)).toEqual([expect.stringContaining('no room')])
    other.exec('DROP TRIGGER full')
    for (let at = 0; at < 2; at++) expect((await dispatch()).metadata.traceId).toBeDefined()
    expect(reports.slice(2)).toEqual(['5 entries are missing from the trace'])
    expect(store.counters().steps).toBe(2)
  })

  it('is reported through the supervisor, for steps and events alike, with the number of missing entries at its end', async () => {
    const home = join(folder, 'home')
    const reports: string[] = []
    const supervisor = new Supervisor({
      home,
      enforcement: 'enforce',
      storeWaitMs: 1,
      notify: () => undefined,
      report: (text) => reports.push(text),
    })
    supervisor.engine.register('pre:tool', () => 'block', { name: 'mine' })
    const locked = loadDriver().open(join(home, 'arc.db'))
    locked.exec('BEGIN IMMEDIATE')
    const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
    for (let at = 0; at < 3; at++) expect((await supervisor.dispatch('pre:tool', CALL)).blocked).toBe(true)
    await supervisor.close()
    locked.close()
    expect(written.mock.calls).toEqual([])
    const ofTrace = reports.filter((text) => text.includes('the trace'))
    expect(ofTrace).toEqual([
      expect.stringContaining('the trace could not be written'),
      '3 entries were not recorded in time (0 written late, 3 missing from the trace).',
    ])
  })
})

it('a result that the breaker cannot count changes no decision, and is reported once', async () => {
  const reports: string[] = []
  const engine = new TracedEngine(new MemoryTraceStore(), {}, {}, { report: (message) => reports.push(message) })
  engine.register('pre:tool', () => 'pass')
  engine.onStep = () => {
    throw new Error('no state')
  }
  for (let at = 0; at < 3; at++) expect((await engine.dispatch('pre:tool', CALL)).decision).toBe('pass')
  engine.onStep = () => undefined
  void engine.dispatch('pre:tool', CALL)
  expect(reports).toEqual([expect.stringContaining('no state'), 'the results of 3 steps were not counted'])
})
