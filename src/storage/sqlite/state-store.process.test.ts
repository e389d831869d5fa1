import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it, onTestFinished } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { countAttempt } from '../../hooks/builtin/attempts.ts'
import { storeTurnRisk } from '../../hooks/builtin/turn-risk.ts'
import { stateStoreContract } from '../../testing/state-store-contract.ts'
import { MemoryStateStore } from '../memory/state-store.ts'
import { update } from '../state.ts'
import { loadDriver } from './driver/load-driver.ts'
import { trace } from './migrations/0001-trace.ts'
import { SqliteStateStore } from './state-store.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))

describeEachDriver(() => {
  describe('state in SQLite', () => {
    for (const { title, run } of stateStoreContract) {
      it(title, () => {
        const folder = makeTempFolder('arc-state-')
        const store = new SqliteStateStore(join(folder, 'arc.db'))
        const dispose = (): void => {
          store.close()
        }
        run({ make: () => store, dispose })
      })
    }

    it('is kept from one process to the next, and added to a database that has only a trace', () => {
      const folder = makeTempFolder('arc-state-')
      const file = join(folder, 'arc.db')
      const old = loadDriver().open(file)
      old.exec(trace)
      old.pragma('user_version = 1')
      old.close()
      const first = new SqliteStateStore(file)
      first.set('a', 1, 0)
      first.close()
      const second = new SqliteStateStore(file)
      expect(second.get('a')).toEqual({ key: 'a', value: 1, version: 1 })
      second.close()
    })
  })

  describe('state that expires', () => {
    const DAY_MS = 86_400_000
    const stores = (wall: () => number) => {
      const file = join(makeTempFolder('arc-state-'), 'arc.db')
      const sqlite = new SqliteStateStore(file, { wall })
      onTestFinished(() => {
        sqlite.close()
        rmSync(dirname(file), { recursive: true })
      })
      return { sqlite, memory: new MemoryStateStore(undefined, { wall }) }
    }

    it.each(['sqlite', 'memory'] as const)('in %s never holds more than what lives at one time', (kind) => {
      let now = 0
      const store = stores(() => now)[kind]
      store.set('breaker:default', { status: 'open' }, 0)
      let most = 0
      for (let session = 0; session < 3_000; session++) {
        now += DAY_MS / 10
        const step = { session: `s${session}`, turn: 't' }
        countAttempt(store, { kind: 'attempts', ...step })
        storeTurnRisk(store, { ...step, point: 'pre:tool' } as never, {
          tier: 3,
          effect: 'destructive',
          checklist: 'strict',
        })
        if (session % 100 === 0) most = Math.max(most, store.list('').length)
      }
      // Three values a session, ten sessions a day, kept for a week; and a few that are due but not gone yet.
      expect(most).toBeGreaterThan(3 * 70 - 1)
      expect(most).toBeLessThan(3 * 70 + 40)
      expect(store.get('breaker:default')?.value).toEqual({ status: 'open' })
    })

    it.each(['sqlite', 'memory'] as const)('in %s what was written to again has its whole time again', (kind) => {
      let now = 0
      const store = stores(() => now)[kind]
      store.set('used', 1, 0, DAY_MS)
      store.set('idle', 1, 0, DAY_MS)
      store.set('for good', 1, 0, DAY_MS)
      store.set('for good', 2, 1)
      now += DAY_MS - 1
      store.set('used', 2, 1, DAY_MS)
      now += 1
      for (let at = 0; at < 5; at++) store.set(`new-${at}`, 1, 0, DAY_MS)
      expect([store.get('used')?.value, store.get('idle')?.value, store.get('for good')?.value]).toEqual([
        2,
        undefined,
        2,
      ])
    })

    it('a value that is gone is made anew above every version that was seen', () => {
      let now = 0
      const { sqlite } = stores(() => now)
      for (let version = 0; version < 7; version++) sqlite.set('n', version, version, DAY_MS)
      now += DAY_MS
      sqlite.set('other', 1, 0, DAY_MS)
      expect(sqlite.get('n')).toBeUndefined()
      expect(sqlite.set('n', 'mine', 7, DAY_MS)).toBe(false)
      expect(update(sqlite, 'n', () => 'anew', DAY_MS)).toBe('anew')
      expect(sqlite.get('n')?.version).toBeGreaterThan(7)
    })

    it('in sqlite what is kept is kept for as long as asked for, and not for much longer', () => {
      for (const ttlMs of [1, 50, 1_000.5, DAY_MS + 1, 90 * DAY_MS]) {
        let now = 1_234_567
        const { sqlite } = stores(() => now)
        sqlite.set('a', 1, 0, ttlMs)
        now += Math.floor(ttlMs) - 1
        sqlite.set('b', 1, 0, ttlMs)
        expect(sqlite.get('a')?.value, `${ttlMs} early`).toBe(1)
        // Rounded up, and what has expired goes a little later.
        now += 52 + Math.ceil(ttlMs / 32)
        sqlite.set('c', 1, 0, ttlMs)
        expect(sqlite.get('a'), `${ttlMs} late`).toBeUndefined()
      }
    })

    it('a clock set back makes nothing go early', () => {
      let now = 365 * DAY_MS
      const { sqlite } = stores(() => now)
      sqlite.set('a', 1, 0, DAY_MS)
      now = 0
      for (let at = 0; at < 9; at++) sqlite.set(`b-${at}`, 1, 0, DAY_MS)
      expect(sqlite.get('a')?.value).toBe(1)
    })
  })

  // Counts to a number with `update`; then races all others for one value.
  const COUNTER = `
import { SqliteStateStore, update } from './store.mjs'
const [file, count] = process.argv.slice(2)
const store = new SqliteStateStore(file)
for (let at = 0; at < Number(count); at++) update(store, 'n', (value) => (value ?? 0) + 1)
process.stdout.write(store.set('prize', process.pid, 0) ? 'won' : 'lost')
store.close()
`

  describe('state among processes', () => {
    let folder = ''
    beforeAll(() => {
      folder = makeTempFolder('arc-state-')
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'counter.mjs'), COUNTER)
      const contents = `export * from './src/storage/sqlite/state-store.ts'; export { update } from './src/storage/state.ts'`
      const stdin = { contents, resolveDir: ROOT, loader: 'ts' as const }
      const outfile = join(folder, 'store.mjs')
      buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
    })

    it('8 processes with 200 updates each lose none, one wins what is to be had once, and none sees a lock', async () => {
      const file = join(folder, 'arc.db')
      const all = Array.from({ length: 8 }, async () => {
        const child = spawn(process.execPath, [join(folder, 'counter.mjs'), file, '200'])
        let printed = ''
        for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)))
        const [code] = (await once(child, 'close')) as [number | null]
        return { code, printed }
      })
      const results = await Promise.all(all)
      expect(results.map(({ code }) => code)).toEqual(Array(8).fill(0))
      expect(results.map(({ printed }) => printed).sort()).toEqual([...Array(7).fill('lost'), 'won'])
      const store = new SqliteStateStore(file)
      expect(store.get('n')).toEqual({ key: 'n', value: 1_600, version: 1_600 })
      store.close()
    })
  })
})
