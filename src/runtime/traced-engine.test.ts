// The engine with a trace behind it: what was decided is on record before the caller hears of it.

import { join } from 'node:path'
import Database from 'better-sqlite3'
import { expect, it, vi } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { SqliteTraceStore } from '../store/trace-store.ts'
import { MemoryTraceStore } from '../trace/memory-store.ts'
import { TracedEngine } from './traced-engine.ts'

const CALL = { tool: 'shell', args: { command: 'ls' } }

it('D5 a step and its evaluations are committed before the outcome is handed back, also when hooks are asynchronous', async () => {
  const file = join(makeTempFolder('arc-traced-'), 'arc.db')
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
})

it('D11 a step that meets no hook leaves no record', () => {
  const store = new MemoryTraceStore()
  const engine = new TracedEngine(store)
  void engine.dispatch('pre:tool', CALL)
  expect(store.query()).toEqual([])
})

it('a trace that cannot be written never changes a decision, and is reported', async () => {
  const file = join(makeTempFolder('arc-traced-'), 'arc.db')
  const store = new SqliteTraceStore(file, { waitMs: 1 })
  store.query()
  const other = new Database(file)
  other.exec('BEGIN IMMEDIATE')
  const written = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  const engine = new TracedEngine(store, { mode: 'enforce' })
  engine.register('pre:tool', () => 'block')
  const outcome = await engine.dispatch('pre:tool', CALL)
  const reported = written.mock.calls.flat().join('')
  vi.restoreAllMocks()
  other.exec('ROLLBACK')
  other.close()
  store.close()
  expect(outcome.blocked).toBe(true)
  expect(reported).toContain('the trace could not be written')
  expect(reported).toContain('ARC_STORE_BUSY')
})
