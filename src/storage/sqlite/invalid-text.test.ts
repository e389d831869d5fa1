// Text that is not UTF-8, or has a NUL character, in each text column of each table: a damaged or changed file. No driver
// may end the process, and what is read is either an error or a text.

import { rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { SqliteBus } from '../../bus/sqlite/sqlite-bus.ts'
import { FakeClock } from '../../testing/fake-clock.ts'
import { stepEntry } from '../../testing/step-entry.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SqliteStateStore } from './state-store.ts'
import { SqliteTaskStore } from './task-store.ts'
import { TraceFactsReader } from './trace-facts.ts'
import { SqliteTraceStore } from './trace-store.ts'

const NOW = 1_000_000_000_000

interface TextColumn {
  readonly table: string
  readonly column: string
}

function busServices() {
  let ids = 0
  return { clock: new FakeClock(), newId: () => `id${++ids}`, report: () => undefined }
}

function fill(file: string): void {
  const trace = new SqliteTraceStore(file)
  for (const id of ['a', 'b', 'c']) void trace.append(stepEntry({ id, evaluations: [{}, {}], time: NOW }))
  trace.retain({ before: NOW, now: NOW, id: 'cut' })
  trace.close()
  const state = new SqliteStateStore(file)
  state.set('kept', { a: 1 }, 0)
  state.set('expiring', { a: 1 }, 0, 1)
  state.close()
  const tasks = new SqliteTaskStore(file)
  tasks.create('t1', { from: 'lead', to: 'worker', description: 'x' }, NOW)
  tasks.move('t1', { action: 'accept', actor: 'worker', at: NOW, holder: 'h', leaseMs: 1 })
  tasks.close()
  const bus = new SqliteBus(file, busServices())
  bus.subscribe('a.b', () => undefined)
  bus.publish('a.b', 1)
  // Not closed in order: its row of interest stays.
}

function listTextColumns(file: string): TextColumn[] {
  const db = loadDriver().open(file)
  const tables = db.prepare<[], string>("SELECT name FROM sqlite_schema WHERE type = 'table'").pluck().all()
  const found = tables.flatMap((table) => {
    const columns = db.prepare<[], { name: string; type: string }>(`PRAGMA table_info(${table})`).all()
    return columns.filter(({ type }) => type !== 'INTEGER').map(({ name }) => ({ table, column: name }))
  })
  db.close()
  return found
}

// One row only, so that unique columns can take it.
function spoil(file: string, { table, column }: TextColumn, bytes: string): number {
  const db = loadDriver().open(file)
  db.exec('PRAGMA ignore_check_constraints = 1')
  db.exec('PRAGMA foreign_keys = 0')
  const first = `SELECT min(${column}) FROM ${table}`
  const { changes } = db
    .prepare(`UPDATE ${table} SET ${column} = CAST(x'${bytes}' AS TEXT) WHERE ${column} IS (${first})`)
    .run()
  db.close()
  return changes
}

/** Every way of reading; an error is a good answer. */
function readEverything(file: string): number {
  let answers = 0
  const attempt = (read: () => unknown): void => {
    try {
      read()
    } catch (error) {
      expect(error).toBeInstanceOf(Error)
    }
    answers++
  }
  const trace = new SqliteTraceStore(file)
  attempt(() => trace.query({ limit: 100, steps: true }))
  attempt(() => trace.records({ limit: 100, steps: true }))
  for (const id of ['a', 'last', '']) attempt(() => trace.get(id))
  attempt(() => trace.counters())
  attempt(() => trace.verify())
  attempt(() => [...trace.export()])
  attempt(() => trace.append(stepEntry({ id: 'd', time: NOW })))
  attempt(() => trace.retain({ before: NOW + 1, now: NOW + 1, id: 'cut2' }))
  attempt(() => trace.close())
  const facts = new TraceFactsReader(file)
  attempt(() => facts.read(({ ...all }) => all))
  attempt(() => facts.close())
  const state = new SqliteStateStore(file)
  attempt(() => state.list(''))
  for (const key of ['kept', 'expiring']) attempt(() => state.get(key))
  attempt(() => state.change('kept', () => ({ a: 2 })))
  attempt(() => state.set('new', 1, 0))
  attempt(() => state.close())
  const tasks = new SqliteTaskStore(file)
  attempt(() => tasks.get('t1'))
  attempt(() => tasks.list())
  attempt(() => tasks.history('t1'))
  attempt(() => tasks.expired(NOW + 10))
  attempt(() => tasks.create('t2', { from: 'lead', to: 'worker', description: 'x' }, NOW + 10))
  attempt(() => tasks.close())
  const services = busServices()
  const bus = new SqliteBus(file, services)
  attempt(() => bus.subscribe('a.b', () => undefined))
  attempt(() => bus.publish('a.b', 2))
  attempt(() => services.clock.advance(100))
  attempt(() => bus.close())
  return answers
}

describeEachDriver(() => {
  describe('text that is not UTF-8', () => {
    const folder = makeTempFolder('arc-invalid-text-')
    const original = join(folder, 'original.db')
    const copy = join(folder, 'copy.db')
    afterAll(() => rmSync(folder, { recursive: true, force: true }))

    it('in any text column of any table ends no process', () => {
      fill(original)
      const columns = listTextColumns(original)
      expect(columns.length).toBeGreaterThan(20)
      const spoiled = columns.flatMap((column) =>
        ['61ff62', 'fffe', '610062'].map((bytes) => {
          for (const suffix of ['', '-wal', '-shm']) rmSync(`${copy}${suffix}`, { force: true })
          const db = loadDriver().open(original)
          db.exec(`VACUUM INTO '${copy}'`)
          db.close()
          const changes = spoil(copy, column, bytes)
          expect(readEverything(copy)).toBeGreaterThan(20)
          return changes
        }),
      )
      // Empty tables and columns have nothing to spoil; most are not.
      expect(spoiled.filter((changes) => changes > 0).length / spoiled.length).toBeGreaterThan(0.7)
    })
  })
})
