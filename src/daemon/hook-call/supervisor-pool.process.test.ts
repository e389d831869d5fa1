// Many projects in one daemon: what they share, and what stays apart. Numbers are counted in a real process.

import { existsSync, mkdirSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest'
import { runArc } from '../../../test/run-arc.ts'
import { type ServedHome, serveHome } from '../../../test/served-home.ts'
import { makeHome } from '../../../test/supervised-home.ts'
import { SupervisorPool } from './supervisor-pool.ts'

const DANGER = 'git reset --hard'
const PROJECTS = 200
const isLinux = existsSync('/proc/self/fdinfo')

describe.runIf(isLinux)('many projects', () => {
  let at: ServedHome
  beforeEach(async () => {
    at = await serveHome({ enforcement: 'log' })
  })
  afterEach(() => at.stop())

  const project = (number: number, layer: object = { enforcement: 'enforce' }) => at.project(`p${number}`, layer)

  it('Z2 two hundred projects use the connections and the watches of the home that one uses', async () => {
    expect(await at.decide(project(0), DANGER)).toBe('deny')
    const one = await at.figures()
    const { supervisors, profiles } = await at.counts()
    const others = Array.from({ length: PROJECTS - 1 }, (_, number) => at.decide(project(number + 1), DANGER))
    expect(new Set(await Promise.all(others))).toEqual(new Set(['deny']))
    const many = await at.figures()
    expect(await at.counts()).toMatchObject({ supervisors: supervisors + PROJECTS - 1, profiles })
    // A checkpoint may be under way; each project has one folder with a layer.
    expect(many.databases).toBeLessThanOrEqual(one.databases + 1)
    expect(many.watches).toBe(one.watches + PROJECTS - 1)
    expect(many.timers).toBeLessThanOrEqual(one.timers + 5)
  })

  it('Z2 an edit of the profile is read once, recorded once, and applies in all projects', async () => {
    const projects = Array.from({ length: 40 }, (_, number) => project(number, { hooks: { errorBehavior: 'log' } }))
    for (const folder of projects) expect(await at.decide(folder, DANGER)).toBe('none')
    const before = await at.counts()
    at.write('home/profiles/default.json', { enforcement: 'enforce' })
    await expect.poll(() => at.decide(projects.at(-1) ?? '', DANGER), { timeout: 10_000 }).toBe('deny')
    for (const folder of projects) expect(await at.decide(folder, DANGER)).toBe('deny')
    // One save is one or two changes of the file.
    expect((await at.counts()).userLoads - before.userLoads).toBeLessThanOrEqual(2)
    const { stdout } = await runArc(['logs', '--component', 'config', '--json'], { home: at.home })
    expect(stdout.match(/"config:change"/g)).toHaveLength(1)
  })

  it('Z2 the number of open projects and watches has a limit, whatever the number of projects', async () => {
    const first = project(0)
    await at.decide(first, DANGER)
    for (let number = 0; number < 560; number += 20) {
      const folders = Array.from({ length: 20 }, (_, more) => project(number + more + 1))
      await Promise.all(folders.map((folder) => at.decide(folder, 'ls')))
      for (const folder of folders) rmSync(folder, { recursive: true })
    }
    await expect.poll(async () => [await at.decide(first, 'ls'), (await at.counts()).supervisors][1]).toBeLessThan(520)
    expect((await at.figures()).watches).toBeLessThan(530)
    // Closed meanwhile, and opened again.
    expect(await at.decide(first, DANGER)).toBe('deny')
  }, 120_000)

  it('Z2 the layer, the trust and the edits of a project apply in that project only', async () => {
    const [strict, other] = [project(1), project(2, { hooks: { errorBehavior: 'log' } })]
    const plain = join(at.root, 'plain')
    mkdirSync(plain)
    const decisions = async () => Promise.all([strict, other, plain].map((folder) => at.decide(folder, DANGER)))
    expect(await decisions()).toEqual(['deny', 'none', 'none'])
    at.project('p2', { enforcement: 'enforce' })
    at.project('p1', {})
    await expect.poll(decisions, { timeout: 10_000 }).toEqual(['none', 'deny', 'none'])
    const command = { event: 'pre_tool_use', command: 'exit 2', blocking: true }
    for (const name of ['p1', 'p2']) at.project(name, { enforcement: 'enforce', commands: [command] })
    expect((await runArc(['trust', strict], { home: at.home })).code).toBe(0)
    const listings = async () => Promise.all([strict, other, plain].map((folder) => at.decide(folder, 'echo hello')))
    await expect.poll(listings, { timeout: 10_000 }).toEqual(['deny', 'none', 'none'])
  })

  it('Z2 a snooze applies in all projects, open or not', async () => {
    const [open, later] = [project(1), project(2)]
    expect(await at.decide(open, DANGER)).toBe('deny')
    for (const hook of ['watchdog-pause', 'risk-detection'])
      expect((await runArc(['hooks', 'disable', hook, '--for', '1h'], { home: at.home })).code).toBe(0)
    await expect.poll(() => at.decide(open, DANGER), { timeout: 10_000 }).toBe('none')
    expect(await at.decide(later, DANGER)).toBe('none')
  })
})

describe('the pool', () => {
  it('Z7 projects that are opened, edited and closed leave no watch', async () => {
    const at = makeHome()
    const pool = new SupervisorPool(at.home, () => undefined, { idleMs: 300 })
    onTestFinished(async () => {
      await pool.close()
      at.remove()
    })
    await pool.find(undefined, undefined)
    const { watchedFolders } = pool.counts
    for (let number = 0; number < 50; number++) {
      at.write(`p${number}/.arc/config.json`, {})
      await pool.find(join(at.root, `p${number}`), undefined)
      at.write(`p${number}/.arc/config.json`, { enforcement: 'enforce' })
    }
    expect(pool.counts.watchedFolders).toBeGreaterThan(watchedFolders)
    await expect.poll(() => pool.counts, { timeout: 20_000 }).toMatchObject({ supervisors: 1, watchedFolders })
  })

  it('Z2 closes no supervisor with a call in flight, and closes it afterwards', async () => {
    const at = makeHome()
    const pool = new SupervisorPool(at.home, () => undefined, { maxOpen: 2, idleMs: 1_500 })
    onTestFinished(async () => {
      await pool.close()
      at.remove()
    })
    const open = (name: string) => {
      at.write(`${name}/.arc/config.json`, {})
      return pool.find(join(at.root, name), undefined)
    }
    const busy = await open('busy')
    const release = pool.hold(busy)
    for (const name of ['a', 'b', 'c']) await open(name)
    await expect.poll(() => pool.counts.supervisors, { timeout: 10_000 }).toBe(1)
    expect(await busy.decide('pre:tool', { tool: 'shell', args: {} })).toMatchObject({ decision: 'pass' })
    release()
    await expect.poll(() => pool.counts, { timeout: 10_000 }).toMatchObject({ supervisors: 0, watchedFolders: 0 })
    expect(() => busy.decide('pre:tool', { tool: 'shell', args: {} })).toThrow('closed')
  })
})
