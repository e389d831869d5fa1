import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { describeEachDriver } from '../../../test/each-driver.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { SqliteTraceStore } from './trace-store.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
// Writes steps of two evaluations, each in a separate transaction, and prints each once it is committed.
const WRITER = `
import { SqliteTraceStore } from './store.mjs'
const [file, name, count] = process.argv.slice(2)
const store = new SqliteTraceStore(file)
const plain = { point: 'pre:tool', priority: 1, mode: 'log', decision: 'pass', applied: false, cause: 'policy', durationMs: 1 }
for (let at = 0; at < Number(count); at++) {
  const data = { tool: 'shell', args: { command: 'ls' } }
  const { id } = await store.append({
    step: { id: name + '-' + at, point: 'pre:tool', session: name, data, metadata: {} },
    evaluations: [{ ...plain, hook: 'a' }, { ...plain, hook: 'b' }],
    outcome: { decision: 'pass', blocked: false, control: 'proceed', data, metadata: {} },
    time: Date.now(),
  })
  process.stdout.write(id + '\\n')
}
store.close()
`

describeEachDriver(() => {
  describe('the trace among processes', () => {
    let folder = ''
    beforeAll(() => {
      folder = makeTempFolder('arc-trace-')
      symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
      writeFileSync(join(folder, 'writer.mjs'), WRITER)
      const entryPoints = [join(ROOT, 'src/storage/sqlite/trace-store.ts')]
      const outfile = join(folder, 'store.mjs')
      buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
    })

    const start = (file: string, name: string, count: number) => {
      const child = spawn(process.execPath, [join(folder, 'writer.mjs'), file, name, String(count)])
      return { child, output: collect(child) }
    }

    it('D5 50 processes that write at once lose nothing, repeat nothing and never see a lock', async () => {
      const file = join(folder, 'many.db')
      const writers = Array.from({ length: 50 }, (_, at) => start(file, `p${at}`, 5))
      const results = await Promise.all(writers.map(({ output }) => output))
      expect(results.map(({ stderr }) => stderr).filter((text) => text !== '')).toEqual([])
      expect(results.every(({ code }) => code === 0)).toBe(true)
      const store = new SqliteTraceStore(file)
      const kept = store.query({ steps: true, limit: 10_000 })
      const wanted = writers.flatMap((_, at) => Array.from({ length: 5 }, (_none, of) => `p${at}-${of}`))
      const expected = wanted.flatMap((id) => [id, `${id}.1`, `${id}.2`])
      expect(kept.map(({ id }) => id).sort()).toEqual(expected.sort())
      expect(kept.map(({ seq }) => seq)).toEqual(expected.map((_, at) => at + 1))
      expect(store.verify()).toMatchObject({ ok: true, records: 750 })
      expect(store.counters()).toMatchObject({ records: 750, steps: 250, total: { pass: 500 } })
      store.close()
    })

    it('keeps a whole and verifiable chain when writers are killed in the middle', async () => {
      const file = join(folder, 'killed.db')
      const writers = Array.from({ length: 3 }, (_, at) => start(file, `k${at}`, 1_000_000))
      for (const { child } of writers) {
        await once(child.stdout as NodeJS.ReadableStream, 'data')
        await new Promise((resolve) => setTimeout(resolve, 50))
        child.kill('SIGKILL')
      }
      const told = (await Promise.all(writers.map(({ output }) => output))).flatMap(({ stdout }) =>
        stdout.split('\n').slice(0, -1),
      )
      const store = new SqliteTraceStore(file)
      const { ok, records } = store.verify()
      const counters = store.counters()
      expect(ok).toBe(true)
      expect(records).toBe(counters.records)
      expect(records).toBe(counters.steps * 3)
      // Every printed step was committed.
      const kept = new Set(store.query({ steps: true, limit: 1_000_000 }).map(({ id }) => id))
      expect(told.filter((id) => !kept.has(id))).toEqual([])
      expect(told.length).toBeGreaterThan(0)
      store.close()
    })
  })

  async function collect(child: ChildProcess): Promise<{ code: number | null; stdout: string; stderr: string }> {
    let stdout = ''
    let stderr = ''
    child.stdout?.on('data', (chunk) => {
      stdout += String(chunk)
    })
    child.stderr?.on('data', (chunk) => {
      stderr += String(chunk)
    })
    const [code] = (await once(child, 'close')) as [number | null]
    return { code, stdout, stderr }
  }
})
