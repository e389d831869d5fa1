import { mkdirSync, rmSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest'
import { LAYER, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { trustProject, untrustProject } from '../config/trusted-projects.ts'
import { snooze, unsnooze } from '../hooks/snoozes.ts'
import { findProject } from '../platform/home.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { FakeClock } from '../testing/fake-clock.ts'
import { createSupervisor } from './create-supervisor.ts'
import type { Supervisor } from './supervisor.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

const BLOCK = { name: 'guard', event: 'pre:tool', command: ['sh', '-c', 'exit 2'] }

let place: SupervisedHome
let open: Supervisor[] = []
let told: string[] = []

beforeEach(() => {
  place = makeHome()
  open = []
  told = []
})
afterEach(async () => {
  for (const supervisor of open) await supervisor.close()
  place.remove()
})

async function supervise(options: SupervisorOptions = {}): Promise<Supervisor> {
  const report = (message: string): void => void told.push(message)
  const supervisor = await createSupervisor({
    home: place.home,
    builtIns: [],
    report,
    notify: () => undefined,
    ...options,
  })
  open.push(supervisor)
  return supervisor
}

const call = (supervisor: Supervisor) => supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })
const decisionOf = async (supervisor: Supervisor) => (await call(supervisor)).decision
const config = (supervisor: Supervisor) => supervisor.trace.query({ component: 'config' })
const withState = (work: (state: SqliteStateStore) => void): void => {
  const state = new SqliteStateStore(join(place.home, 'arc.db'))
  work(state)
  state.close()
}

describe('a supervisor', () => {
  it('L2 records every step with the configuration in force, and a block names its trace', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: [BLOCK] })
    const supervisor = await supervise({ project: place.project })
    const outcome = await call(supervisor)
    expect(outcome).toMatchObject({ decision: 'block', hook: 'guard' })
    const found = supervisor.trace.get(String(outcome.metadata.traceId))
    expect(found).toMatchObject({
      found: 'step',
      record: {
        profile: 'default',
        workspace: place.project,
        configuration: expect.stringMatching(/^default@\w{12}$/),
      },
    })
  })

  it('takes the mode it is given, and refuses what is no mode or no option', async () => {
    place.write(PROFILE, { enforcement: 'log', commands: [BLOCK] })
    expect(await decisionOf(await supervise())).toBe('flag')
    expect(await decisionOf(await supervise({ enforcement: 'enforce' }))).toBe('block')
    await expect(createSupervisor({ enforcement: 'strict' as never })).rejects.toThrow('enforcement must be one of')
    await expect(createSupervisor({ hom: '/x' } as never)).rejects.toThrow('Did you mean "home"?')
  })

  it('reads its settings from another folder on request; the trace and the problems of the home stay unchanged', async () => {
    place.write(PROFILE, { enforcment: 'off' })
    const usual = await supervise()
    const troubles = config(usual).length
    place.write('own/profiles/mine.json', { enforcement: 'enforce', commands: [BLOCK] })
    const own = await supervise({ configHome: join(place.root, 'own'), profile: 'mine' })
    expect(own.problems).toEqual([])
    expect(await decisionOf(own)).toBe('block')
    expect(usual.trace.query({ decision: 'block' })).toMatchObject([{ hook: 'guard', profile: 'mine' }])
    expect(troubles).toBe(1)
    expect(config(await supervise())).toHaveLength(troubles)
  })

  it('closes once and for all: twice is no error, and a step afterwards is refused', async () => {
    const supervisor = await supervise({ watch: true })
    await supervisor.close()
    await supervisor.close()
    expect(() => supervisor.dispatch('pre:tool', { tool: 'x', args: {} })).toThrow('ARC_SUPERVISOR_CLOSED')
  })

  it('leaves no timer and no watcher behind', async () => {
    const held = () =>
      process.getActiveResourcesInfo().filter((kind) => /Timeout|FSEvent|StatWatcher/.test(kind)).length
    const before = held()
    const supervisor = await supervise({ watch: true })
    await supervisor.close()
    expect(held()).toBeLessThanOrEqual(before)
  })

  it('a hook that a program registers outlives a change of the configuration', async () => {
    place.write(PROFILE, { enforcement: 'enforce' })
    const supervisor = await supervise()
    supervisor.engine.register('pre:tool', () => 'block', { name: 'own' })
    place.write(PROFILE, { enforcement: 'enforce', commands: [{ ...BLOCK, priority: 200 }] })
    supervisor.reload()
    expect(supervisor.hooks().map(({ name, layer }) => [name, layer])).toEqual([
      ['own', 'program'],
      ['guard', 'user'],
    ])
    expect(await call(supervisor)).toMatchObject({ decision: 'block', hook: 'own' })
  })

  it('a critical hook that a program registers later does not take failures of others back', async () => {
    const failing = { name: 'flaky', event: 'pre:tool', command: 'exit 1' }
    place.write(PROFILE, { breaker: { failureThreshold: 2 }, commands: [failing] })
    const supervisor = await supervise()
    supervisor.engine.register('post:tool', () => undefined, { name: 'steady', critical: true })
    await call(supervisor)
    await supervisor.dispatch('post:tool', { tool: 'shell', args: {}, result: 'ok' })
    expect(supervisor.breaker()).toMatchObject({ state: 'closed', failures: 1 })
    await call(supervisor)
    expect(supervisor.breaker()).toMatchObject({ state: 'open' })
  })

  it('failing hooks open the breaker for every process, which is reported, and critical hooks are not lowered', async () => {
    const failing = { name: 'flaky', event: 'pre:tool', command: 'exit 9', priority: 1 }
    const critical = { ...BLOCK, name: 'critical', critical: true, priority: 9 }
    place.write(PROFILE, { enforcement: 'enforce', breaker: { failureThreshold: 2 }, commands: [failing, BLOCK] })
    const supervisor = await supervise()
    expect(await decisionOf(supervisor)).toBe('block')
    expect(await decisionOf(supervisor)).toBe('block')
    expect(supervisor.breaker()).toMatchObject({ state: 'open', failures: 2, threshold: 2 })
    expect(told.join()).toContain('act as log')
    const other = await supervise()
    expect(await decisionOf(other)).toBe('flag')
    expect(other.trace.query({ component: 'breaker' })).toMatchObject([{ action: 'breaker:open', level: 'error' }])
    place.write(PROFILE, {
      enforcement: 'enforce',
      breaker: { failureThreshold: 2 },
      commands: [failing, BLOCK, critical],
    })
    other.reload()
    expect(await call(other)).toMatchObject({ decision: 'block', hook: 'critical' })
  })
})

describe('live reload', () => {
  const HOOKED = [BLOCK, { name: 'see', event: 'config:change', command: 'exit 0' }]

  it('C3 swaps the whole table when a file changes, with a config:change step and a line in the log', async () => {
    place.write(PROFILE, { enforcement: 'enforce' })
    const supervisor = await supervise({ watch: true })
    expect(await decisionOf(supervisor)).toBe('pass')
    place.write(PROFILE, { enforcement: 'enforce', commands: HOOKED })
    await vi.waitFor(() => expect(supervisor.config.commands).toHaveLength(2), 60_000)
    expect(await decisionOf(supervisor)).toBe('block')
    expect(config(supervisor)).toMatchObject([{ action: 'config:change', level: 'info' }])
    await vi.waitFor(() => {
      expect(supervisor.trace.query({ hook: 'see' })).toMatchObject([{ point: 'config:change', action: 'hook:pass' }])
    })
  })

  it('C1 a half-written file changes nothing but the problems, which are reported and recorded; so is their end', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: HOOKED })
    const supervisor = await supervise({ watch: true })
    place.write(PROFILE, '{ "enforcement": "off", "comm')
    await vi.waitFor(() => expect(supervisor.problems).not.toEqual([]), 60_000)
    expect(supervisor.problems[0]).toMatchObject({ kind: 'syntax', line: 1 })
    expect(supervisor.config.enforcement).toBe('enforce')
    expect(await decisionOf(supervisor)).toBe('block')
    expect(told.join('\n')).toContain('Using the last good state of profile:default.')
    expect(config(supervisor)).toMatchObject([{ action: 'config:problem', level: 'warn' }])
    // Also for the next process, which says so but does not record the same once more.
    const other = await supervise()
    expect(await decisionOf(other)).toBe('block')
    expect(config(other)).toHaveLength(1)
    place.write(PROFILE, { enforcement: 'enforce', commands: HOOKED })
    await vi.waitFor(() => expect(supervisor.problems).toEqual([]), 60_000)
    expect(config(supervisor).map(({ action }) => action)).toEqual(['config:problem', 'config:good'])
  })

  it('C3 a configuration whose pipeline cannot be built is not taken over, not even its mode', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: [BLOCK] })
    const supervisor = await supervise()
    const commands = ['a', 'b'].map((name) => ({ name, event: 'pre:tool', command: `true ${name}` }))
    place.write(PROFILE, { enforcement: 'log', hooks: { maxHooksPerPoint: 1 }, commands })
    supervisor.reload()
    expect(supervisor.config.enforcement).toBe('enforce')
    expect(supervisor.problems).toMatchObject([{ key: 'b', message: expect.stringContaining('maxHooksPerPoint') }])
    expect(await decisionOf(supervisor)).toBe('block')
  })
})

describe('snoozes', () => {
  it('D5 hold in every process, are traced as skips, and end automatically', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: [BLOCK] })
    const clock = new FakeClock()
    const supervisor = await supervise({ clock })
    const now = clock.wall()
    withState((state) => snooze(state, { hook: 'guard', since: now, until: now + 60_000, reason: 'release' }))
    expect(await decisionOf(supervisor)).toBe('pass')
    expect(supervisor.hooks()).toMatchObject([{ enabled: false, disabled: { reason: 'release', until: now + 60_000 } }])
    expect(supervisor.trace.query({ action: 'hook:skip' })).toMatchObject([{ hook: 'guard', reason: 'release' }])
    clock.advance(60_000)
    expect(await decisionOf(supervisor)).toBe('block')
  })

  it('D5 do not outlast a clock that is set back, and end when somebody says so', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: [BLOCK] })
    const clock = new FakeClock()
    const supervisor = await supervise({ clock })
    const now = clock.wall()
    withState((state) => snooze(state, { hook: 'guard', since: now, until: now + 60_000 }))
    clock.advance(1_000)
    expect(await decisionOf(supervisor)).toBe('pass')
    clock.setWall(now - 86_400_000)
    clock.advance(1_000)
    expect(await decisionOf(supervisor)).toBe('block')
    withState((state) => snooze(state, { hook: 'guard', since: now }))
    clock.advance(1_000)
    expect(await decisionOf(supervisor)).toBe('pass')
    withState((state) => expect(unsnooze(state, 'guard')).toBe(true))
    clock.advance(1_000)
    expect(await decisionOf(supervisor)).toBe('block')
  })

  it('C2 a project can disable nothing, neither by settings nor by a name', async () => {
    place.write(PROFILE, { enforcement: 'enforce', commands: [BLOCK] })
    place.write(LAYER, { enforcement: 'off', hooks: { guard: { enabled: false, mode: 'log' }, errorBehavior: 'skip' } })
    const supervisor = await supervise({ project: place.project })
    expect(supervisor.problems.map(({ kind, key }) => `${kind} ${key}`).sort()).toEqual([
      'looser enforcement',
      'looser hooks.errorBehavior',
      'looser hooks.guard.enabled',
      'looser hooks.guard.mode',
    ])
    expect(await decisionOf(supervisor)).toBe('block')
  })
})

describe('trust', () => {
  it("C2 a project's commands run only once they are trusted, and no longer when they changed or trust is taken back", async () => {
    place.write(PROFILE, { enforcement: 'enforce' })
    place.write(LAYER, { commands: [BLOCK] })
    const clock = new FakeClock()
    const supervisor = await supervise({ project: place.project, clock })
    expect(supervisor.problems).toMatchObject([{ kind: 'untrusted' }])
    expect(await decisionOf(supervisor)).toBe('pass')
    const { hash = '' } = supervisor.project ?? {}
    withState((state) => trustProject(state, place.project, hash, 0))
    clock.advance(1_000)
    expect(await call(supervisor)).toMatchObject({ decision: 'block' })
    expect(supervisor.problems).toEqual([])
    place.write(LAYER, { commands: [{ ...BLOCK, command: 'exit 3' }] })
    expect((await supervise({ project: place.project })).hooks()).toEqual([])
    withState((state) => expect(untrustProject(state, place.project)).toBe(true))
    clock.advance(1_000)
    expect(await decisionOf(supervisor)).toBe('pass')
  })

  it("C2 the user's own home is no project, however it looks from below", () => {
    const { root } = place
    place.write('.arc/config.json', {})
    place.write('a/.arc/config.yaml', '')
    place.write('a/b/c/x', '')
    expect(findProject(join(root, 'a/b/c'), join(root, '.arc'))).toBe(join(root, 'a'))
    expect(findProject(root, join(root, '.arc'))).toBeUndefined()
    expect(findProject(root, join(root, 'elsewhere'))).toBe(root)
  })
})

describe('failing environments: supervision continues with the last good settings, and reports the problem', () => {
  const good = { enforcement: 'enforce', commands: [BLOCK] }

  it.each([
    ['an unknown key', { enforcment: 'off' }, /There is no key "enforcment".*Did you mean "enforcement"\?/],
    ['an unknown hook', { hooks: { gaurd: { enabled: false } } }, /There is no hook "gaurd"/],
    ['a command without a safe form', { commands: [{ event: 'pre:tool', command: 'eval {tool_name}' }] }, /eval/],
    ['files that extend each other', { extends: './other.json' }, /circle|each other|itself|cycle/i],
  ])('C1 %s', async (_what, bad, message) => {
    place.write(PROFILE, good)
    const supervisor = await supervise()
    place.write('home/profiles/other.json', { extends: './default.json' })
    place.write(PROFILE, bad)
    supervisor.reload()
    expect(told.join('\n')).toMatch(message)
    expect(await decisionOf(supervisor)).toBe('block')
    expect(await decisionOf(await supervise())).toBe('block')
  })

  it('C1 a file of 100 MB is refused without being read', async () => {
    place.write(PROFILE, good)
    const supervisor = await supervise()
    truncateSync(join(place.root, PROFILE), 100 * 1024 * 1024)
    supervisor.reload()
    expect(told.join('\n')).toContain('102400 KiB; it was not read')
    expect(await decisionOf(supervisor)).toBe('block')
  })

  it('C1 a directory where a file should be, and an unreadable file', async () => {
    place.write(PROFILE, good)
    const supervisor = await supervise()
    rmSync(join(place.root, PROFILE))
    mkdirSync(join(place.root, PROFILE))
    supervisor.reload()
    expect(told.join('\n')).toContain('this is a directory')
    // A link to itself cannot be read by root either, whom no permission stops.
    symlinkSync('config.json', join(place.home, 'config.json'))
    supervisor.reload()
    expect(told.join('\n')).toMatch(/config\.json:1:1: The file cannot be read: .*ELOOP/)
    expect(await decisionOf(supervisor)).toBe('block')
  })

  it('a home that cannot be written: a file where the folder should be', async () => {
    writeFileSync(place.home, 'not a folder')
    const supervisor = await supervise({ enforcement: 'enforce' })
    supervisor.engine.register('pre:tool', () => 'block', { name: 'own' })
    expect(supervisor.isDurable).toBe(false)
    expect(told.join('\n')).toMatch(/continues without a durable record: .*(EEXIST|ENOTDIR)/)
    const outcome = await call(supervisor)
    expect(outcome.decision).toBe('block')
    // In memory, for this process; not on record, so it has no id to name.
    expect(supervisor.trace.get('last')).toMatchObject({ found: 'step' })
    expect(outcome.metadata.traceId).toBeUndefined()
  })

  it('a folder where the database should be: decided all the same, without a durable record', async () => {
    mkdirSync(join(place.home, 'arc.db'), { recursive: true })
    place.write(PROFILE, good)
    const supervisor = await supervise()
    expect(supervisor.isDurable).toBe(false)
    expect(await decisionOf(supervisor)).toBe('block')
  })

  it('two supervisors on one home decide alike and leave one unbroken record', async () => {
    place.write(PROFILE, good)
    const both = [await supervise({ watch: true }), await supervise({ watch: true })]
    const outcomes = await Promise.all(Array.from({ length: 20 }, (_, at) => call(both[at % 2] as Supervisor)))
    expect(new Set(outcomes.map(({ decision }) => decision))).toEqual(new Set(['block']))
    place.write(PROFILE, { ...good, enforcement: 'log' })
    await vi.waitFor(() => expect(both.map(({ config }) => config.enforcement)).toEqual(['log', 'log']), 60_000)
    expect(both[0]?.trace.verify()).toMatchObject({ ok: true })
    expect(both[0]?.trace.query({ hook: 'guard' })).toHaveLength(20)
  })
})
