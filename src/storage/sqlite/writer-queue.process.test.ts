// Writes that share a commit: real files, real processes, and a disk that is full.

import { spawnSync } from 'node:child_process'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import fc from 'fast-check'
import { describe, expect, it, onTestFinished } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { stateStoreContract } from '../../testing/state-store-contract.ts'
import { stepEntry } from '../../testing/step-entry.ts'
import { traceStoreContract } from '../../testing/trace-store-contract.ts'
import { MemoryStateStore } from '../memory/state-store.ts'
import type { StateStore } from '../ports.ts'
import { update } from '../state.ts'
import { Connection } from './connection.ts'
import { DatabaseFile } from './database-file.ts'
import { loadDriver } from './driver/load-driver.ts'
import { SqliteStateStore } from './state-store.ts'
import { SqliteTraceStore } from './trace-store.ts'
import { commitAll } from './writer-queue.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const newPath = (): string => join(makeTempFolder('arc-group-'), 'arc.db')

function grouped(path = newPath()): DatabaseFile {
  return new DatabaseFile(path, {}, { isGrouped: true })
}

// What another process would see.
function seenByOthers(path: string): { readonly steps: number; readonly state: number } {
  const db = loadDriver().open(path, { isReadOnly: true })
  const count = (table: string): number => db.prepare<[], number>(`SELECT count(*) FROM ${table}`).pluck().get() ?? 0
  try {
    return { steps: count('trace WHERE step IS NULL'), state: count('state') }
  } finally {
    db.close()
  }
}

describeEachDriver(() => {
  describe('the stores keep what they promise when writes are grouped', () => {
    for (const { title, run } of stateStoreContract) {
      it(title, () => {
        const state = new SqliteStateStore(grouped())
        run({ make: () => state, dispose: () => state.close() })
      })
    }
    for (const { title, run } of traceStoreContract) {
      it(title, () => {
        const path = newPath()
        const make = () => new SqliteTraceStore(grouped(path), { env: { MY_TOKEN: 'value-of-the-variable' } })
        return run({ make, dispose: () => rmSync(dirname(path), { recursive: true }) })
      })
    }

    type Name = 'set' | 'update' | 'change' | 'remove' | 'list' | 'turn'
    type Act = { readonly act: Name; readonly key: string; readonly value: number }
    const acts: fc.Arbitrary<Act> = fc.record({
      act: fc.constantFrom('set', 'update', 'change', 'remove', 'list', 'turn'),
      key: fc.constantFrom('a', 'b', 'c'),
      value: fc.nat(9),
    })

    it('whatever is written, read and removed in whatever turns, it is as in memory', async () => {
      const path = newPath()
      const state = new SqliteStateStore(grouped(path))
      onTestFinished(() => state.close())
      await fc.assert(
        fc.asyncProperty(fc.array(acts, { maxLength: 30 }), async (all) => {
          const model = new MemoryStateStore()
          for (const { key, version } of state.list('')) state.remove(key, version)
          for (const { act, key, value } of all) {
            if (act === 'turn') await new Promise(setImmediate)
            else expect(applied(state, act, key, value)).toEqual(applied(model, act, key, value))
          }
          expect(plainOf(state)).toEqual(plainOf(model))
          // And so it is for others.
          commitAll()
          const alone = new SqliteStateStore(path)
          expect(plainOf(alone)).toEqual(plainOf(model))
          alone.close()
        }),
        { numRuns: 60 },
      )
    })

    function applied(store: StateStore, act: Act['act'], key: string, value: number): unknown {
      const entry = store.get(key)
      const unlessSame = (before: number | undefined) => (before === value ? undefined : value)
      if (act === 'update') return update<number>(store, key, unlessSame)
      if (act === 'change') return store.change?.(key, unlessSame) ?? update<number>(store, key, unlessSame)
      if (act === 'list') return plainOf(store)
      const version = value > 2 ? (entry?.version ?? 0) : 99
      const done = act === 'set' ? store.set(key, value, version) : store.remove(key, version)
      return { done, has: store.get(key)?.value }
    }
  })

  function plainOf(store: StateStore): readonly unknown[] {
    return store.list('').map(({ key, value }) => ({ key, value }))
  }

  describe('a group of writes', () => {
    it('removes expired values, and none that was renewed in time', async () => {
      let now = 0
      const file = grouped()
      const state = new SqliteStateStore(file, { wall: () => now })
      onTestFinished(() => file.close())
      for (let at = 0; at < 40; at++) state.set(`old-${at}`, at, 0, 1_000)
      file.queue.flush()
      now = 900
      const renewed = state.get('old-7')
      expect(state.set('old-7', 'renewed', renewed?.version ?? 0, 10_000)).toBe(true)
      now = 5_000
      for (let at = 0; at < 40; at++) state.set(`new-${at}`, at, 0, 1_000)
      file.queue.flush()
      expect(state.list('old-').map(({ key, value }) => [key, value])).toEqual([['old-7', 'renewed']])
      expect(state.list('new-')).toHaveLength(40)
    })

    it('is seen by others as a whole, when it is committed', async () => {
      const file = grouped()
      const state = new SqliteStateStore(file)
      const trace = new SqliteTraceStore(file)
      onTestFinished(() => file.close())
      let appended: Promise<unknown> | undefined
      for (let at = 0; at < 5; at++) {
        state.set(`k${at}`, at, 0)
        appended = trace.append(stepEntry({ id: `s${at}` }))
        expect(state.get(`k${at}`)?.value).toBe(at)
      }
      expect(seenByOthers(file.path)).toEqual({ steps: 0, state: 0 })
      await appended
      expect(seenByOthers(file.path)).toEqual({ steps: 5, state: 5 })
      expect(trace.verify()).toMatchObject({ ok: true })
    })

    it('keeps the others when one of its writes fails, which leaves nothing behind', async () => {
      const file = grouped()
      const state = new SqliteStateStore(file)
      const other = new Connection(file, {}, (db) =>
        db.prepare('INSERT INTO state (key, value, version) VALUES (?, 1, 1)'),
      )
      onTestFinished(() => file.close())
      state.set('before', 1, 0)
      const failing = () =>
        other.write((insert) => {
          insert.run('half')
          insert.run('before')
        })
      expect(failing).toThrow(/UNIQUE/)
      state.set('after', 1, 0)
      expect(state.get('half')).toBeUndefined()
      file.queue.flush()
      expect(state.list('').map(({ key }) => key)).toEqual(['after', 'before'])
    })

    it('makes way for every other connection of the process, which would else wait for itself', async () => {
      const file = grouped()
      const state = new SqliteStateStore(file)
      const alone = new SqliteStateStore(file.path, { waitMs: 50 })
      const second = new SqliteStateStore(grouped(file.path))
      onTestFinished(() => {
        for (const store of [state, alone, second]) store.close()
      })
      state.set('n', 1, 0)
      expect(alone.set('alone', 1, 0)).toBe(true)
      expect(update<number>(second, 'n', (before) => (before ?? 0) + 1)).toBe(2)
      expect(update<number>(alone, 'n', (before) => (before ?? 0) + 1)).toBe(3)
      expect(update<number>(state, 'n', (before) => (before ?? 0) + 1)).toBe(4)
      file.queue.flush()
      expect(alone.get('n')?.value).toBe(4)
    })

    it('is not ended under somebody who is about to add to it', async () => {
      const file = grouped()
      const state = new SqliteStateStore(file)
      const alone = new SqliteStateStore(file.path)
      onTestFinished(() => {
        for (const store of [state, alone]) store.close()
      })
      state.set('before', 1, 0)
      state.change('a', () => {
        // Another connection of this process: it would have the group committed.
        expect(alone.get('before')).toBeUndefined()
        return 1
      })
      file.queue.flush()
      expect([alone.get('before')?.value, alone.get('a')?.value]).toEqual([1, 1])
    })

    it('shows a reader of the trace only what is committed, by committing it', () => {
      const file = grouped()
      const trace = new SqliteTraceStore(file)
      onTestFinished(() => file.close())
      void trace.append(stepEntry({ id: 's1' }))
      expect(trace.query({}).length).toBeGreaterThan(0)
      expect(seenByOthers(file.path).steps).toBe(1)
    })

    it('is kept by closing', () => {
      const file = grouped()
      void new SqliteTraceStore(file).append(stepEntry({ id: 's1' }))
      file.close()
      expect(seenByOthers(file.path).steps).toBe(1)
    })
  })

  // Appends in turns of four on a disk with limited space, and prints the reports.
  const WRITER = `
import { openStores, stepEntry } from './stores.mjs'
const [home, turns] = process.argv.slice(2)
const said = []
const stores = openStores(home, (message) => said.push(message), { isGrouped: true })
for (let at = 0; at < Number(turns); at++) {
  const group = [0, 1, 2, 3].map((of) => stores.trace.append(stepEntry({ id: \`s\${at}-\${of}\` })))
  await Promise.all(group.map((appended) => stores.traceFailure.settle(appended)))
}
stores.close()
await new Promise(setImmediate)
process.stdout.write(JSON.stringify(said))
`

  describe('a group that cannot be committed', () => {
    it('is reported, at the end with the number of missing entries; the rest is intact', () => {
      const folder = makeTempFolder('arc-group-')
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'writer.mjs'), WRITER)
      const contents = `export * from './src/storage/open-stores.ts'; export { stepEntry } from './src/testing/step-entry.ts'`
      const stdin = { contents, resolveDir: ROOT, loader: 'ts' as const }
      const outfile = join(folder, 'stores.mjs')
      buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
      // In blocks of 512 bytes: enough for the empty database and some steps.
      const line = 'ulimit -f 1500; exec "$0" "$1" "$2" 200'
      const home = join(folder, 'home')
      const ran = spawnSync('/bin/sh', ['-c', line, process.execPath, join(folder, 'writer.mjs'), home], {
        encoding: 'utf8',
      })
      expect(ran.stderr).toBe('')
      const said = JSON.parse(ran.stdout) as string[]
      // What is small may still fit in when a whole group did not, so it may begin and end a few times.
      expect(said.length).toBeLessThan(50)
      expect(said[0]).toMatch(/^the trace could not be written.*cannot be used/)
      const counts = said.map((message) => /, (\d+) missing from the trace\)/.exec(message)?.[1])
      const missing = counts.reduce((sum, count) => sum + Number(count ?? 0), 0)
      const trace = new SqliteTraceStore(join(home, 'arc.db'))
      onTestFinished(() => trace.close())
      expect(trace.verify()).toMatchObject({ ok: true })
      // Each has one evaluation.
      const kept = trace.records({ component: 'hooks', limit: 10_000 }).length
      expect(kept).toBeGreaterThan(0)
      expect(kept + missing).toBe(800)
    })
  })
})
