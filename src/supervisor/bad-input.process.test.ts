// Invalid input and failing environments for a whole supervisor: each is reported, and the last good settings apply.
// What is tested nearer to its code (unknown keys, circles, 100 MB, …) is in supervisor.test.ts and in src/config.

import { spawnSync } from 'node:child_process'
import { chmodSync, mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { OTHER_USER, publicBuild } from '../../test/other-user.ts'
import { runProgram } from '../../test/run-arc.ts'
import { LAYER, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { createSupervisor } from './create-supervisor.ts'
import type { Supervisor } from './supervisor.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

const isRoot = process.getuid?.() === 0
const GOOD = {
  enforcement: 'enforce',
  commands: [{ name: 'guard', event: 'pre:tool', command: ['sh', '-c', 'exit 2'] }],
}

let place: SupervisedHome
let open: Supervisor[] = []
let told: string[] = []
let mounted: string[] = []

beforeEach(() => {
  place = makeHome()
  open = []
  told = []
  mounted = []
})
afterEach(async () => {
  for (const supervisor of open) await supervisor.close()
  for (const dir of mounted) spawnSync('umount', ['-l', dir])
  place.remove()
})

async function supervise(options: SupervisorOptions = {}): Promise<Supervisor> {
  const report = (message: string): void => void told.push(message)
  const quiet = { home: place.home, builtIns: [], report, notify: () => undefined }
  const supervisor = await createSupervisor({ ...quiet, ...options })
  open.push(supervisor)
  return supervisor
}

const decisionOf = async (supervisor: Supervisor) =>
  (await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })).decision

// A separate small disk, if the machine allows one.
function mount(size: string): boolean {
  mkdirSync(place.home, { recursive: true })
  const { status } = spawnSync('mount', ['-t', 'tmpfs', '-o', `size=${size},mode=755`, 'tmpfs', place.home])
  if (status === 0) mounted.push(place.home)
  return status === 0
}

const SKIPPED = 'no disk can be mounted here, so a full and a read-only one are not tried'

describe('files that are wrong while a supervisor runs', () => {
  it.each([
    ['a list', '[]', /default\.json:1:1: /],
    ['a text', '"enforce"', /default\.json:1:1: /],
    ['nothing', '', /default\.json:1:1: /],
    ['half of a file', '{ "enforcement": "off", "comm', /default\.json:1:\d+: /],
    ['a number for a mode', '{ "enforcement": 3 }', /default\.json:1:18: .*3/],
    ['a text for a limit', '{ "hooks": { "timeout": "5s" } }', /default\.json:1:25: .*5s/],
    ['a text for a list', '{ "commands": "rm" }', /default\.json:1:15: /],
    ['null for everything', '{ "hooks": null, "commands": null, "enforcement": null }', /default\.json:1:\d+: /],
    ['a limit without end', '{ "hooks": { "timeout": 1e999 } }', /default\.json:1:\d+: /],
    ['keys of every object', '{ "__proto__": { "enforcement": "off" } }', /__proto__/],
    ['1 000 levels', `${'{"hooks":'.repeat(1_000)}1${'}'.repeat(1_000)}`, /default\.json:1:\d+: /],
  ])('C1 %s: said with its place, and what was last good decides', async (_what, text, message) => {
    place.write(PROFILE, GOOD)
    const supervisor = await supervise()
    place.write(PROFILE, text)
    supervisor.reload()
    expect(told.join('\n')).toMatch(message)
    expect(told.join('\n')).toMatch(/last good state/)
    expect(await decisionOf(supervisor)).toBe('block')
    expect(supervisor.config.enforcement).toBe('enforce')
    // One that starts only now knows it too.
    expect(await decisionOf(await supervise())).toBe('block')
  })

  it('C3 a save in two halves: decided by the old state in between, by the new one after it', async () => {
    const file = place.write(PROFILE, GOOD)
    const supervisor = await supervise({ watch: true })
    const next = JSON.stringify({ ...GOOD, enforcement: 'log' })
    writeFileSync(file, next.slice(0, 20))
    await vi.waitFor(() => expect(supervisor.problems).not.toEqual([]), 60_000)
    expect(await decisionOf(supervisor)).toBe('block')
    writeFileSync(file, next)
    await vi.waitFor(() => expect(supervisor.config.enforcement).toBe('log'), 60_000)
    expect(supervisor.problems).toEqual([])
    expect(await decisionOf(supervisor)).toBe('flag')
  })

  it('C2 a project that tries to loosen gets none of it, by any key and not by a base either', async () => {
    place.write(PROFILE, {
      ...GOOD,
      hooks: { timeout: 2_000 },
      risk: { floor: true },
      breaker: { failureThreshold: 5 },
    })
    place.write('project/.arc/base.json', { enforcement: 'off', hooks: { 'risk-detection': { enabled: false } } })
    place.write(LAYER, {
      extends: './base.json',
      hooks: { timeout: 60_000, maxHooksPerPoint: 5_000, 'risk-detection': { timeout: 90_000 } },
      risk: { floor: false },
      breaker: { failureThreshold: 1, cooldownMs: 600_000 },
    })
    const supervisor = await supervise({ project: place.project })
    const { config } = supervisor
    expect(config).toMatchObject({
      enforcement: 'enforce',
      timeoutMs: 2_000,
      maxHooksPerPoint: 50,
      risk: { floor: true },
    })
    expect(config.breaker).toMatchObject({ failureThreshold: 5, cooldownMs: 60_000 })
    expect(config.hooks['risk-detection']?.enabled).not.toBe(false)
    expect(supervisor.problems.filter(({ kind }) => kind !== 'looser')).toEqual([])
    expect(supervisor.problems.length).toBeGreaterThanOrEqual(6)
    expect(await decisionOf(supervisor)).toBe('block')
  })
})

describe('time', () => {
  it('L1 a clock set back leaves the order of the record, its chain and what follows it intact', async () => {
    place.write(PROFILE, GOOD)
    const clock = new FakeClock()
    const supervisor = await supervise({ clock })
    await decisionOf(supervisor)
    const before = supervisor.trace.query({ hook: 'guard' }).at(-1)
    clock.setWall(clock.wall() - 7 * 86_400_000)
    await decisionOf(supervisor)
    const rows = supervisor.trace.query({ hook: 'guard' })
    expect(rows).toHaveLength(2)
    expect(rows[1]?.seq).toBeGreaterThan(rows[0]?.seq ?? Number.POSITIVE_INFINITY)
    expect(Date.parse(rows[1]?.time ?? '')).toBeLessThan(Date.parse(rows[0]?.time ?? ''))
    expect(supervisor.trace.query({ hook: 'guard', afterSeq: before?.seq ?? 0 })).toEqual([rows[1]])
    expect(supervisor.trace.verify()).toMatchObject({ ok: true })
    const last = supervisor.trace.get('last')
    expect(last).toMatchObject({ found: 'step', record: { time: rows[1]?.time } })
  })
})

describe('disks', () => {
  it('D5 full while it runs: every step is decided, the loss is reported, and recording continues when there is room', async (test) => {
    if (!mount('1m')) return test.skip(SKIPPED)
    place.write(PROFILE, GOOD)
    const supervisor = await supervise()
    expect(supervisor.isDurable).toBe(true)
    expect(await decisionOf(supervisor)).toBe('block')
    fill(join(place.home, 'ballast'))
    const stderr = vi.spyOn(process.stderr, 'write').mockImplementation(() => true)
    try {
      for (let at = 0; at < 60; at++) expect(await decisionOf(supervisor)).toBe('block')
      expect(stderr.mock.calls.join('\n') + told.join('\n')).toMatch(/full|ENOSPC|could not be written/)
    } finally {
      stderr.mockRestore()
    }
    rmSync(join(place.home, 'ballast'))
    const kept = supervisor.trace.query({ hook: 'guard', limit: 1_000 }).length
    expect(await decisionOf(supervisor)).toBe('block')
    expect(supervisor.trace.query({ hook: 'guard', limit: 1_000 })).toHaveLength(kept + 1)
    expect(supervisor.trace.verify()).toMatchObject({ ok: true })
  })

  it('C1 full from the start: decided by the profile, without a durable record, and said', async (test) => {
    if (!mount('64k')) return test.skip(SKIPPED)
    place.write(PROFILE, GOOD)
    fill(join(place.home, 'ballast'))
    const supervisor = await supervise()
    expect(await decisionOf(supervisor)).toBe('block')
    expect(told.join('\n')).toMatch(/without a durable record|full|ENOSPC/)
  })

  it('C1 read-only: decided by the profile, without a durable record, and said', async (test) => {
    if (!mount('4m')) return test.skip(SKIPPED)
    place.write(PROFILE, GOOD)
    spawnSync('mount', ['-o', 'remount,ro', place.home])
    const supervisor = await supervise()
    expect(await decisionOf(supervisor)).toBe('block')
    expect(supervisor.isDurable).toBe(false)
    expect(told.join('\n')).toMatch(/continues without a durable record/)
  })
})

describe('other users and other processes', () => {
  // What a process of another user, or a second one of the same, sees: the built library in a separate process.
  const decide = (uid?: number) => {
    const { node, library } = publicBuild()
    return runProgram(node, ['--input-type=module', '-e', PROGRAM, library, place.home], {
      cwd: '/',
      ...(uid !== undefined && { uid }),
    })
  }
  const PROGRAM = `const { createSupervisor } = await import(process.argv[1])
const supervisor = await createSupervisor({ home: process.argv[2], builtIns: [], notify: () => undefined })
const decisions = []
for (let at = 0; at < 20; at++) decisions.push((await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })).decision)
const { isDurable, problems } = supervisor
process.stdout.write(JSON.stringify({ decisions: [...new Set(decisions)], isDurable, problems: problems.length }))
await supervisor.close()`

  it.skipIf(!isRoot)('C1 a home that one may read and not write decides all the same', async () => {
    place.write(PROFILE, GOOD)
    for (const dir of [place.root, place.home, join(place.home, 'profiles')]) chmodSync(dir, 0o755)
    const { stdout, stderr } = await decide(OTHER_USER)
    expect(JSON.parse(stdout)).toEqual({ decisions: ['block'], isDurable: false, problems: expect.any(Number) })
    expect(stderr).toMatch(/without a durable record/)
  })

  it.skipIf(!isRoot)(
    'C1 a folder of profiles that one may not look into is said, not taken for an empty one',
    async () => {
      place.write(PROFILE, GOOD)
      for (const dir of [place.root, place.home]) chmodSync(dir, 0o755)
      chmodSync(join(place.home, 'profiles'), 0o700)
      const { stdout, stderr } = await decide(OTHER_USER)
      expect(JSON.parse(stdout).problems).toBeGreaterThan(0)
      expect(stderr).toMatch(/profiles.*(EACCES|cannot be read)/)
    },
  )

  it('D5 several processes on one home decide alike and leave one whole record', async () => {
    place.write(PROFILE, GOOD)
    const all = await Promise.all([decide(), decide(), decide()])
    for (const { stdout, stderr } of all) {
      expect([JSON.parse(stdout), stderr]).toEqual([{ decisions: ['block'], isDurable: true, problems: 0 }, ''])
    }
    const supervisor = await supervise()
    expect(supervisor.trace.query({ hook: 'guard', limit: 1_000 })).toHaveLength(60)
    expect(supervisor.trace.verify()).toMatchObject({ ok: true })
  })
})

// Takes every byte that is left.
function fill(file: string): void {
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeFileSync(file, Buffer.alloc(size), { flag: 'a' })
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error
    }
  }
}
