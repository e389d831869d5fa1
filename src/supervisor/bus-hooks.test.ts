// Hooks of a bus in the pipeline of a supervisor: beside the built-in hooks, with the same records.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import { createHookBus, createSupervisor, definePoint, hookBus, type Supervisor } from '../index.ts'
import type { SupervisorOptions } from './supervisor-options.ts'

const DANGEROUS = { tool: 'dangerous-tool', args: {} }
const CUSTOM = {
  name: 'my-custom-hook',
  priority: 30,
  mode: 'warn',
  async check(ctx: { toolName: string | undefined }) {
    if (ctx.toolName === 'dangerous-tool') return 'flag'
    return 'pass'
  },
} as const

let place: SupervisedHome
let undo: (() => void)[] = []
let open: Supervisor[] = []

beforeEach(() => {
  place = makeHome()
  undo = []
  open = []
})
afterEach(async () => {
  for (const remove of undo) remove()
  for (const supervisor of open) await supervisor.close()
  place.remove()
})

async function supervise(options: SupervisorOptions = {}): Promise<Supervisor> {
  const supervisor = await createSupervisor({ home: place.home, mode: 'enforce', askMs: 0, ...options })
  open.push(supervisor)
  return supervisor
}

const recorded = (supervisor: Supervisor, hook = 'my-custom-hook') =>
  supervisor.trace.query({ component: 'hooks' }).filter((record) => record.hook === hook)

describe('D9 the shared bus', () => {
  it('D9 its hooks are in the pipeline, registered before or after the supervisor, and leave the same records', async () => {
    undo.push(hookBus.register(CUSTOM))
    const supervisor = await supervise()
    undo.push(
      hookBus.register({ ...CUSTOM, name: 'later', mode: 'enforce', check: () => 'block', points: ['pre:tool'] }),
    )
    const outcome = await supervisor.dispatch('pre:tool', DANGEROUS, { session: 's1' })
    expect(outcome).toMatchObject({ blocked: true, hook: 'later' })
    expect(recorded(supervisor)).toMatchObject([
      { decision: 'flag', action: 'hook:flag', mode: 'advise', session: 's1' },
    ])
    const builtIn = recorded(supervisor, 'risk-detection')[0] ?? {}
    expect(Object.keys(recorded(supervisor, 'later')[0] ?? {})).toEqual(Object.keys(builtIn))
    expect(supervisor.hooks().find(({ name }) => name === 'my-custom-hook')).toMatchObject({
      ...{ priority: 30, mode: 'advise', source: 'program', enabled: true },
    })
  })

  it('D9 unregistering, disabling and enabling apply to every supervisor at its next step', async () => {
    const [one, other] = [await supervise(), await supervise({ mode: 'log' })]
    const remove = hookBus.register(CUSTOM)
    undo.push(remove)
    const decisions = async () => {
      const outcomes = [await one.dispatch('pre:tool', DANGEROUS), await other.dispatch('pre:tool', DANGEROUS)]
      return outcomes.map(({ hook }) => hook)
    }
    expect(await decisions()).toEqual(['my-custom-hook', 'my-custom-hook'])
    hookBus.disable('my-custom-hook', { reason: 'a break' })
    expect(await decisions()).toEqual([undefined, undefined])
    expect(recorded(one).at(-1)).toMatchObject({ action: 'hook:skip', reason: expect.stringContaining('a break') })
    hookBus.enable('my-custom-hook')
    expect(await decisions()).toEqual(['my-custom-hook', 'my-custom-hook'])
    remove()
    expect(await decisions()).toEqual([undefined, undefined])
    expect(one.hooks().map(({ name }) => name)).not.toContain('my-custom-hook')
  })

  it('D9 its hooks stay when the configuration changes, and an engine keeps the hooks that a program registered', async () => {
    undo.push(hookBus.register(CUSTOM))
    const supervisor = await supervise()
    supervisor.engine.register('pre:tool', () => 'pass', { name: 'own' })
    place.write(PROFILE, { enforcement: 'enforce', hooks: { timeout: 900 } })
    supervisor.reload()
    undo.push(hookBus.register({ ...CUSTOM, name: 'second' }))
    const names = supervisor.hooks().map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['my-custom-hook', 'own', 'second', 'risk-detection']))
    expect(new Set(names).size).toBe(names.length)
  })
})

describe('D9 another bus', () => {
  it('D9 a supervisor with its own bus has no hook of the shared bus', async () => {
    undo.push(hookBus.register(CUSTOM))
    const bus = createHookBus()
    const review = definePoint({ name: 'pre:review', canAbort: true })
    bus.register({ name: 'mine', points: ['pre:tool', review], check: () => 'block' })
    const supervisor = await supervise({ bus })
    expect(await supervisor.dispatch('pre:tool', DANGEROUS)).toMatchObject({ blocked: true, hook: 'mine' })
    expect(await supervisor.dispatch(review, {})).toMatchObject({ blocked: true, hook: 'mine' })
    expect(recorded(supervisor)).toEqual([])
  })

  it('D9 a hook with the name of a built-in hook gets another name: neither replaces the other', async () => {
    const bus = createHookBus()
    bus.register({ name: 'risk-detection', points: ['pre:tool'], check: () => 'pass' })
    const supervisor = await supervise({ bus })
    const names = supervisor.hooks().map(({ name }) => name)
    expect(names).toEqual(expect.arrayContaining(['risk-detection', 'risk-detection (bus)']))
    expect(await supervisor.dispatch('pre:tool', { tool: 'shell', args: { command: 'rm -rf /' } })).toMatchObject({
      ...{ blocked: true, hook: 'risk-detection' },
    })
  })

  it('D9 what is no bus is refused', async () => {
    await expect(supervise({ bus: {} as never })).rejects.toThrow(/bus must be a hook bus.*ARC_OPTION_INVALID/s)
  })
})
