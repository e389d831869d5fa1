// `/perms check` in a session of an agent: through the payloads of Claude Code, as without a daemon.

import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callClaude } from '../../../test/claude-call.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody, LAYER, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { createEngine, createHookBus, createSupervisor, HookSystem, registerScript } from '../../index.ts'

const SEED = `hook pre:message /log debug "Sending: $prompt"
hook pre:tool:shell /perms check shellExec
hook post:agent:complete /notify "Agent $agent finished"
`
const CALL = { tool: 'Bash', args: { command: 'ls' } }

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const profile = (settings: object, script = SEED): void => {
  place.write('home/profiles/hooks.arma', script)
  place.write(PROFILE, { enforcement: 'enforce', scripts: ['hooks.arma'], ...settings })
}
const decide = (command = 'ls') => callClaude({ home: place.home, cwd: place.project, command })
const why = async (): Promise<string> =>
  (await runArcInProcess(['why'], { home: place.home, cwd: place.project })).stdout.replaceAll(/\s+/g, ' ')

describe('C4 permissions of a profile', () => {
  it('C4 a granted permission passes silently', async () => {
    profile({ permissions: ['shellExec'] })
    expect(await decide()).toBe('none')
  })

  it('C4 without a list the call is held, and the command in the reason grants it', async () => {
    profile({})
    askNobody(place.home)
    expect(await decide()).toBe('ask')
    expect(await why()).toContain(
      `the permission shellExec is not granted. To grant it: arc profile set permissions '["shellExec"]' --profile default`,
    )
    const grant = ['profile', 'set', 'permissions', '["shellExec"]', '--profile', 'default']
    expect(await runArcInProcess(grant, { home: place.home, cwd: place.project })).toMatchObject({ code: 0 })
    expect(await decide()).toBe('none')
  })

  it('C4 a list without the permission blocks, and a project that removes it is named', async () => {
    profile({ permissions: ['fileWrite'] })
    expect(await decide()).toBe('deny')
    expect(await why()).toContain(`arc profile set permissions '["fileWrite","shellExec"]'`)
    profile({ permissions: ['shellExec'] })
    place.write(LAYER, { permissions: [] })
    expect(await decide()).toBe('deny')
    expect(await why()).toContain('the project removes the permission shellExec')
  })

  it('C4 a project cannot grant: neither in its list, nor with /set in its script', async () => {
    profile({ permissions: [] })
    place.write('project/.arc/more.arma', '/set $permissions shellExec\nhook pre:tool /log hi\n')
    place.write(LAYER, { permissions: ['shellExec'], scripts: ['more.arma'] })
    askNobody(place.home)
    await runArcInProcess(['trust', place.project], { home: place.home, cwd: place.project })
    expect(await decide()).toBe('deny')
  })

  it.each(['/set $permissions shellExec', '/set $permissions "$permissions, shellExec"'])(
    'C4 %s adds to the list, for the lines after it',
    async (line) => {
      const check = (name: string) => `hook pre:tool:shell /perms check ${name}\n`
      profile({ permissions: ['fileWrite'] }, `${line}\n${check('shellExec')}${check('fileWrite')}`)
      expect(await decide()).toBe('none')
      profile({ permissions: ['fileWrite'] }, `${check('shellExec')}${line}\n`)
      expect(await decide()).toBe('deny')
    },
  )
})

describe('C4 scripts of programs', () => {
  it.each([
    ['an engine', () => createEngine({ mode: 'enforce' })],
    ['a bus', () => createHookBus({ mode: 'enforce' })],
    ['a hook system', () => new HookSystem()],
  ])('C4 %s takes a script, and its undo removes it', async (_what, make) => {
    const target = make()
    const lines: unknown[] = []
    const log = (entry: unknown): void => void lines.push(entry)
    const notify = ({ message }: { message: string }): void => void lines.push(message)
    const undo = registerScript(target, SEED, { name: 'seed.arma', permissions: [], log, notify })
    await target.dispatch('pre:message', { prompt: 'hello' })
    await target.dispatch('post:agent:complete', { agent: 'ada' })
    expect(lines).toEqual([{ level: 'debug', message: 'Sending: hello', hook: 'seed.arma:1' }, 'Agent ada finished'])
    const outcome = await target.dispatch('pre:tool', CALL)
    expect(outcome).toMatchObject({ blocked: true, hook: 'seed.arma:2' })
    expect(outcome.reason).toContain(`registerScript(…, { permissions: ["shellExec"] })`)
    undo()
    expect(await target.dispatch('pre:tool', CALL)).toMatchObject({ blocked: false })
    registerScript(target, SEED, { permissions: ['shellExec'] })
    expect(await target.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'pass' })
  })

  it('C4 a script with errors is refused whole, and so is one whose hooks have no free names', () => {
    const engine = createEngine()
    expect(() => registerScript(engine, `${SEED}hook pre:tool /lgo x`)).toThrow(
      /^4:15 Expected one .*ARC_SCRIPT_INVALID/s,
    )
    engine.register('pre:tool', () => 'pass', { name: 'script:2' })
    expect(() => registerScript(engine, SEED)).toThrow(/ARC_HOOK_DUPLICATE/)
    expect(engine.list().map(({ name }) => name)).toEqual(['script:2'])
  })

  it('C4 on a supervisor it has the permissions of the profile, also after a reload, and writes to the trace', async () => {
    place.write(PROFILE, { enforcement: 'enforce' })
    const notices: unknown[] = []
    const supervisor = await createSupervisor({
      ...{ home: place.home, builtIns: [], askMs: 0 },
      notify: (notice) => void notices.push(notice),
    })
    registerScript(supervisor, SEED)
    expect(await supervisor.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'ask' })
    place.write(PROFILE, { enforcement: 'enforce', permissions: ['shellExec'] })
    supervisor.reload()
    expect(await supervisor.dispatch('pre:tool', CALL)).toMatchObject({ decision: 'pass' })
    await supervisor.dispatch('pre:message', { prompt: 'hello' })
    await supervisor.dispatch('post:agent:complete', { agent: 'ada' })
    const logged = supervisor.trace.query({ component: 'hooks' }).filter(({ action }) => action.startsWith('script:'))
    expect(logged.map(({ reason }) => reason)).toEqual(['Sending: hello', 'Agent ada finished'])
    expect(notices).toContainEqual(expect.objectContaining({ message: 'Agent ada finished' }))
    await supervisor.close()
  })
})
