// Real processes that race for what only one may have. All wait for the same file and then begin at once.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { symlinkSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { Approvals, toHeldStep } from '../approvals/approvals.ts'
import { defaultPipeline } from '../hooks/default-pipeline.ts'
import { systemClock } from '../platform/engine-services.ts'
import { readRoundtable, roundtableKey } from '../roundtable/machine.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { canonicalize } from '../trace/canonical.ts'
import { DurableBreaker } from './breaker/breaker.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const PARTS = `
export { defaultPipeline } from './src/hooks/default-pipeline.ts'
export { systemClock } from './src/platform/engine-services.ts'
export { SqliteStateStore } from './src/storage/sqlite/state-store.ts'
export { Approvals } from './src/approvals/approvals.ts'
export { breakerFeed, DurableBreaker } from './src/supervisor/breaker/breaker.ts'
export { canonicalize } from './src/trace/canonical.ts'
`
const RACER = `
import { existsSync } from 'node:fs'
import { Approvals, breakerFeed, canonicalize, defaultPipeline, DurableBreaker, SqliteStateStore, systemClock } from './parts.mjs'
const [role, file, go, settings] = process.argv.slice(2)
const { step, count, threshold, who } = JSON.parse(settings)
const state = new SqliteStateStore(file)
const trips = []
const record = ({ action }) => void trips.push(action)
const breaker = new DurableBreaker({ profile: 'p', failureThreshold: threshold ?? 3 }, { state, clock: systemClock, record })
const ROLES = {
  consume: () => new Approvals({ state, clock: systemClock, newId: () => who, canonicalize }).consume(step) !== undefined,
  answer: () => {
    const approvals = new Approvals({ state, clock: systemClock, newId: () => who, canonicalize })
    try {
      return approvals.answer('held', Number(who) % 2 === 0 ? 'approve' : 'deny', { by: who }).answeredBy
    } catch (error) {
      return error.code
    }
  },
  fail: () => {
    const feed = breakerFeed(breaker, { isCritical: () => false })
    const base = { point: 'pre:tool', priority: 1, mode: 'enforce', decision: 'flag', applied: false, durationMs: 0 }
    for (let at = 0; at < count; at++) feed([{ ...base, hook: 'flaky', cause: 'failure:crash' }])
    return trips.filter((action) => action === 'breaker:open').length
  },
  speak: async () => {
    const pipeline = defaultPipeline({ enforcement: 'enforce' }, { state })
    const said = { prompt: 'this is ' + who, sender: 'claude' }
    return (await pipeline.dispatch('pre:message', said, { session: 's', agent: 'claude' })).blocked
  },
}
process.stdout.write('ready\\n')
const cell = new Int32Array(new SharedArrayBuffer(4))
while (!existsSync(go)) Atomics.wait(cell, 0, 0, 1)
process.stdout.write(JSON.stringify(await ROLES[role]()))
state.close()
`

describe('processes at the same moment', () => {
  let folder = ''
  let runs = 0
  beforeAll(() => {
    folder = makeTempFolder('arc-race-')
    symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
    writeFileSync(join(folder, 'racer.mjs'), RACER)
    const stdin = { contents: PARTS, resolveDir: ROOT, loader: 'ts' as const }
    const outfile = join(folder, 'parts.mjs')
    buildSync({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  })

  const newFile = () => join(folder, `arc-${++runs}.db`)
  const race = async (role: string, file: string, settings: object, racers = 6): Promise<unknown[]> => {
    const go = join(folder, `go-${++runs}`)
    const children = Array.from({ length: racers }, (_, at) => {
      const args = [join(folder, 'racer.mjs'), role, file, go, JSON.stringify({ ...settings, who: String(at) })]
      const child = spawn(process.execPath, args, { stdio: ['ignore', 'pipe', 'pipe'] })
      const said: string[] = []
      child.stderr.on('data', (chunk) => said.push(`stderr: ${chunk}`))
      const ready = once(child.stdout, 'data').then(
        () => void child.stdout.on('data', (chunk) => said.push(`${chunk}`)),
      )
      return { ready, ended: once(child, 'close').then(() => said.join('')) }
    })
    await Promise.all(children.map(({ ready }) => ready))
    writeFileSync(go, '')
    return Promise.all(children.map(async ({ ended }) => JSON.parse(await ended) as unknown))
  }

  const step = toHeldStep({
    point: 'pre:tool',
    data: { tool: 'shell', args: { command: 'git push -f' } },
    session: 's',
  })
  const approvalsIn = (state: SqliteStateStore) =>
    new Approvals({ state, clock: systemClock, newId: () => 'held', canonicalize })

  it('B5 exactly one uses an approval', async () => {
    const file = newFile()
    const state = new SqliteStateStore(file)
    const approvals = approvalsIn(state)
    approvals.answer(approvals.request(step, {}).id, 'approve')
    const won = await race('consume', file, { step })
    expect(won.filter(Boolean)).toHaveLength(1)
    expect(approvals.get('held')?.status).toBe('used')
    state.close()
  })

  it('B5 exactly one answer counts', async () => {
    const file = newFile()
    const state = new SqliteStateStore(file)
    const approvals = approvalsIn(state)
    approvals.request(step, {})
    const told = await race('answer', file, { step })
    const winners = told.filter((by) => by !== 'ARC_APPROVAL_OVER')
    expect(winners).toEqual([approvals.get('held')?.answeredBy])
    expect(approvals.get('held')?.status).toBe(Number(winners[0]) % 2 === 0 ? 'approved' : 'denied')
    state.close()
  })

  it('M4 failures of all of them count, and it opens once', async () => {
    const file = newFile()
    const trips = await race('fail', file, { count: 10, threshold: 55 })
    expect(trips.reduce((sum: number, each) => sum + Number(each), 0)).toBe(1)
    const state = new SqliteStateStore(file)
    const breaker = new DurableBreaker({ profile: 'p' }, { state, clock: systemClock, record: () => undefined })
    expect(breaker.status()).toMatchObject({ state: 'open', failures: 55 })
    state.close()
    const quiet = newFile()
    expect(await race('fail', quiet, { count: 9, threshold: 55 })).toEqual([0, 0, 0, 0, 0, 0])
    const other = new SqliteStateStore(quiet)
    expect(other.get('breaker:p')?.value).toMatchObject({ status: 'closed', failures: 54 })
    other.close()
  })

  it('R4 one of them has the turn of a roundtable, the others are out of turn', async () => {
    const file = newFile()
    const state = new SqliteStateStore(file)
    const opening = { prompt: 'roundtable: tabs? agents: claude, codex rounds: 1', sender: 'user' }
    await defaultPipeline({ enforcement: 'enforce' }, { state }).dispatch('pre:message', opening, { session: 's' })
    const blocked = await race('speak', file, {})
    expect(blocked.filter((isBlocked) => isBlocked === false)).toHaveLength(1)
    const table = readRoundtable(state.get(roundtableKey('s'))?.value)
    expect(table?.turns.map(({ agent }) => agent)).toEqual(['claude'])
    expect(table?.turns[0]?.content).toBe(`this is ${blocked.indexOf(false)}`)
    state.close()
  })
})
