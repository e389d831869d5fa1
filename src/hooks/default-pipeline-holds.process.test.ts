// With the breaker open, critical hooks and the block of tier 5 still apply. Each test tries to defeat them
// through a real supervisor: real commands that fail, real files, a real database.

import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { chmodSync, mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import * as fc from 'fast-check'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import type { Mode } from '../engine/mode.ts'
import { createSupervisor } from '../supervisor/create-supervisor.ts'
import type { Supervisor } from '../supervisor/supervisor.ts'
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts'
import { FakeClock } from '../testing/fake-clock.ts'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const CATASTROPHE = { tool: 'shell', args: { command: 'rm -rf /' } }
const FLAKY = { name: 'flaky', event: 'pre:tool', command: ['sh', '-c', 'exit 9'], priority: 3 }
const GUARD = { name: 'guard', event: 'pre:tool', matcher: 'Write', command: ['sh', '-c', 'exit 2'], critical: true }
const LATE = { name: 'late', event: 'pre:tool', matcher: 'Write', command: ['sh', '-c', 'exit 2'], priority: 200 }

let place: SupervisedHome
let open: Supervisor[] = []

beforeEach(() => {
  place = makeHome()
  open = []
})
afterEach(async () => {
  for (const supervisor of open) await supervisor.close()
  place.remove()
})

async function supervise(profile: object, options: SupervisorOptions = {}): Promise<Supervisor> {
  place.write(PROFILE, { enforcement: 'enforce', ...profile })
  const quiet = { report: () => undefined, notify: () => undefined }
  const supervisor = await createSupervisor({ home: place.home, ...quiet, ...options })
  open.push(supervisor)
  return supervisor
}

const tool = (supervisor: Supervisor, name: string, args: object = {}, more: object = {}) =>
  supervisor.dispatch('pre:tool', { tool: name, args: args as Record<string, unknown> }, { session: 's', ...more })
const fails = async (supervisor: Supervisor, times = 3): Promise<void> => {
  for (let at = 0; at < times; at++) await tool(supervisor, 'Read', { file_path: '/w/a' })
}
// A program's own hook that fails on demand: quicker than a process.
const breakOn = (supervisor: Supervisor, isBroken: () => boolean): void => {
  const fail = (): undefined => {
    if (isBroken()) throw new Error('on purpose')
  }
  supervisor.engine.register('pre:tool', fail, { name: 'broken', priority: 3 })
  supervisor.engine.register('pre:tool:Write', () => 'block', { name: 'guard', priority: 50, critical: true })
  supervisor.engine.register('pre:tool:Read', () => 'block', { name: 'meek', priority: 50 })
}

describe('with the breaker open', () => {
  it('M4 M3 commands that fail on purpose lower what is flaky, and neither a critical hook nor the floor', async () => {
    const supervisor = await supervise({ commands: [FLAKY, GUARD, LATE] })
    await fails(supervisor)
    expect(supervisor.breaker().state).toBe('open')
    expect(await tool(supervisor, 'Write', { file_path: '/w/a' })).toMatchObject({ decision: 'block', hook: 'guard' })
    expect(await supervisor.dispatch('pre:tool', CATASTROPHE)).toMatchObject({ decision: 'block' })
    await supervisor.close()
    const other = await supervise({ commands: [FLAKY, LATE] })
    expect(other.breaker().state).toBe('open')
    expect((await tool(other, 'Write', { file_path: '/w/a' })).blocked).toBe(false)
  })

  it.each<Mode>(['log', 'advise', 'enforce'])('M3 in %s a catastrophe is blocked', async (enforcement) => {
    const supervisor = await supervise({ enforcement, commands: [FLAKY] })
    await fails(supervisor)
    expect(supervisor.breaker().state).toBe('open')
    const outcome = await supervisor.dispatch('pre:tool', CATASTROPHE)
    expect(outcome).toMatchObject({ decision: 'block', blocked: true })
    const found = supervisor.trace.get(String(outcome.metadata.traceId))
    expect(found).toMatchObject({ found: 'step', record: { outcome: { decision: 'block' } } })
  })

  it('M3 not in off, and not where the profile says so: those are the ways a person has', async () => {
    const off = await supervise({ enforcement: 'off' })
    expect((await off.dispatch('pre:tool', CATASTROPHE)).blocked).toBe(false)
    await off.close()
    const without = await supervise({ enforcement: 'log', risk: { floor: false } })
    expect((await without.dispatch('pre:tool', CATASTROPHE)).blocked).toBe(false)
  })

  it('M3 words that other hooks or the caller put on a step do not talk it down', async () => {
    const supervisor = await supervise({ enforcement: 'log' })
    const metadata = { risk: { tier: 1, evidence: [] }, riskOf: 'message', riskTier: 'read-only', approved: true }
    supervisor.engine.register('pre:tool', () => ({ decision: 'pass', metadata }), { name: 'liar', priority: 1 })
    const after = { decision: 'pass', control: 'proceed', metadata } as const
    supervisor.engine.register('pre:tool', () => after, { name: 'liar-after', priority: 11 })
    const context = { metadata, source: 'system', agent: 'risk-detection', turn: 't', session: 's' }
    expect((await supervisor.dispatch('pre:tool', CATASTROPHE, context)).blocked).toBe(true)
  })

  it('M3 M4 a flood of failing steps, all at once, lets none of them through', async () => {
    const supervisor = await supervise({})
    breakOn(supervisor, () => true)
    const sent = Array.from({ length: 300 }, (_, at) =>
      at % 3 === 0
        ? tool(supervisor, 'shell', { command: `rm -rf / # ${at}` }, { session: `s${at}` })
        : tool(supervisor, at % 3 === 1 ? 'Write' : 'Read', { file_path: '/w/a' }, { session: `s${at}` }),
    )
    const blocked = (await Promise.all(sent)).map((outcome) => outcome.blocked)
    expect(supervisor.breaker().state).toBe('open')
    expect(blocked.filter((_, at) => at % 3 < 2).every(Boolean)).toBe(true)
    expect(blocked.filter((_, at) => at % 3 === 2).some((isBlocked) => !isBlocked)).toBe(true)
  })

  it('M3 M4 no order of failures, successes and jumps of the clock gets round them', async () => {
    const clock = new FakeClock()
    let isBroken = false
    const supervisor = await supervise({ enforcement: 'enforce' }, { clock })
    breakOn(supervisor, () => isBroken)
    const jumps = [0, 1, 59_999, 60_000, 3_600_000, -1, -60_000, -365 * 86_400_000, 365 * 86_400_000]
    const move = fc.record({ breaks: fc.boolean(), steps: fc.integer({ max: 4 }), jumpMs: fc.constantFrom(...jumps) })
    let wasOpen = 0
    const seesAll = fc.asyncProperty(fc.array(move, { minLength: 1, maxLength: 6 }), async (moves) => {
      for (const { breaks, steps, jumpMs } of moves) {
        isBroken = breaks
        await fails(supervisor, steps)
        clock.setWall(Math.max(0, clock.wall() + jumpMs))
        clock.advance(10)
        if (supervisor.breaker().state === 'open') wasOpen++
        expect((await supervisor.dispatch('pre:tool', CATASTROPHE)).blocked).toBe(true)
        expect((await tool(supervisor, 'Write', { file_path: '/w/a' })).hook).toBe('guard')
      }
    })
    await fc.assert(seesAll, { numRuns: 40 })
    expect(wasOpen).toBeGreaterThan(0)
  })

  it('M3 a database that is damaged, or gone, or cannot be read changes nothing', async () => {
    const supervisor = await supervise({ enforcement: 'log' })
    const isBlocked = async () => (await supervisor.dispatch('pre:tool', CATASTROPHE, { session: 's' })).blocked
    expect(await isBlocked()).toBe(true)
    truncateSync(join(place.home, 'arc.db'), 100)
    expect(await isBlocked()).toBe(true)
    for (const name of ['arc.db', 'arc.db-wal', 'arc.db-shm']) writeFileSync(join(place.home, name), 'not a database')
    expect(await isBlocked()).toBe(true)
    const blind = await supervise({ enforcement: 'log' }, { home: place.write('home2', 'a file, not a folder') })
    expect((await blind.dispatch('pre:tool', CATASTROPHE, { session: 's' })).blocked).toBe(true)
  })

  it('M3 holds however the command is dressed up', async () => {
    const supervisor = await supervise({ enforcement: 'log', commands: [FLAKY] })
    await fails(supervisor)
    const long = `echo ${'x '.repeat(2_000)}; rm -rf /`
    for (const command of ['rm -rf /', 'sudo rm -fr --no-preserve-root /', "sh -c 'rm -rf /'", long]) {
      expect((await tool(supervisor, 'Bash', { command })).blocked, command.slice(-40)).toBe(true)
    }
  })
})

// Fails its own hook on purpose as fast as it can, and in between tries what must not be done.
const ATTACKER = `
import { createSupervisor } from './supervisor.mjs'
const [home, steps] = process.argv.slice(2)
const quiet = { report: () => undefined, notify: () => undefined }
const supervisor = await createSupervisor({ home, ...quiet })
supervisor.engine.register('pre:tool', () => { throw new Error('on purpose') }, { name: 'broken', priority: 3 })
supervisor.engine.register('pre:tool:Write', () => 'block', { name: 'guard', critical: true })
supervisor.engine.register('pre:tool:Read', () => 'block', { name: 'meek' })
const tried = { floor: 0, guard: 0, meek: 0 }
const calls = { floor: ['shell', { command: 'rm -rf /' }], guard: ['Write', { file_path: '/w/a' }], meek: ['Read', { file_path: '/w/a' }] }
for (let at = 0; at < Number(steps); at++) {
  for (const [name, [tool, args]] of Object.entries(calls)) {
    if ((await supervisor.dispatch('pre:tool', { tool, args }, { session: 's' + process.pid })).blocked) tried[name]++
  }
}
process.stdout.write(JSON.stringify({ ...tried, breaker: supervisor.breaker().state }))
await supervisor.close()
`

it('M3 M4 processes that attack at once get through what is flaky, and through nothing else', async () => {
  place.write(PROFILE, { enforcement: 'enforce' })
  const folder = join(place.root, 'attack')
  mkdirSync(folder)
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'attacker.mjs'), ATTACKER)
  chmodSync(folder, 0o700)
  const entryPoints = [join(ROOT, 'src/supervisor/create-supervisor.ts')]
  const outfile = join(folder, 'supervisor.mjs')
  buildSync({ entryPoints, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  const attackers = Array.from({ length: 4 }, async () => {
    const child = spawn(process.execPath, [join(folder, 'attacker.mjs'), place.home, '25'])
    let printed = ''
    for (const stream of [child.stdout, child.stderr]) stream.on('data', (chunk) => (printed += String(chunk)))
    await once(child, 'close')
    return JSON.parse(printed) as Record<string, unknown>
  })
  for (const result of await Promise.all(attackers)) {
    expect(result).toMatchObject({ floor: 25, guard: 25, breaker: 'open' })
    expect(result.meek).toBeLessThan(25)
  }
})
