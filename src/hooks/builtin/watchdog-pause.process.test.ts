import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it, onTestFinished } from 'vitest'
import { makeFolder, makeSharedState, pipelineOf } from '../../../test/built-in-fixture.ts'
import { json, serve, until } from '../../../test/loopback-server.ts'
import { runArc } from '../../../test/run-arc.ts'
import { makeHome, PROFILE } from '../../../test/supervised-home.ts'
import { SupervisorPool } from '../../daemon/hook-call/supervisor-pool.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import type { Assessment, RiskInput } from '../../risk/assessment.ts'
import { openStores } from '../../storage/open-stores.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'
import { Supervisor } from '../../supervisor/supervisor.ts'
import { riskDetection } from './risk-detection.ts'
import { watchdogPause } from './watchdog-pause.ts'
import { createWatchdogPause } from './watchdog-pauser.ts'

// The tier is what the command says: `tier 4`. The rules themselves are tested where they are.
function classify(input: RiskInput): Assessment {
  const command = 'args' in input ? String(input.args.command) : ''
  const tier = Number(/tier (\d)/.exec(command)?.[1] ?? 1) as Assessment['tier']
  const effect = tier > 2 ? 'destructive' : 'read-only'
  const evidence = [{ rule: 'a/rule', effect, tier, reason: 'it deletes', alternative: 'move it' } as const]
  return { effect, tier, requiresConfirmation: tier > 2, checklist: 'strict', evidence, isUnknown: false }
}

const hook = createWatchdogPause(() => (input) => ({ risk: classify(input), effects: [] }))
const call = (command: string, callId?: string) => ({ tool: 'shell', args: { command }, ...(callId && { callId }) })

function dogIn(folder: string) {
  const log = join(folder, 'log')
  const write = (word: string) => ({ command: `echo ${word} {max_seconds} >> ${log}` })
  const options = { watchdogs: [{ name: 'dog', pause: write('pause'), resume: write('resume') }] }
  const read = () => (existsSync(log) ? readFileSync(log, 'utf8').trim().split('\n') : [])
  return { options, read }
}

describe('before a destructive operation', () => {
  it('B5 never decides: it pauses and passes, also before the worst operation', async () => {
    const { options, read } = dogIn(makeFolder())
    expect(await pipelineOf([[hook, options]]).send('pre:tool', call('tier 5'))).toMatchObject({ decision: 'pass' })
    expect(read()).toEqual(['pause 900'])
    expect((await pipelineOf([[hook]]).send('pre:tool', call('tier 5'))).decision).toBe('pass')
  })

  it.each([
    ['log', []],
    ['advise', ['pause 900']],
    ['enforce', ['pause 900']],
  ] as const)('B5 in %s the watchdogs get %j', async (mode, expected) => {
    const { options, read } = dogIn(makeFolder())
    await pipelineOf([[hook, options]], { mode }).send('pre:tool', call('tier 3'))
    expect(read()).toEqual(expected)
  })

  it('B5 Q5 a blocked operation resumes the watchdogs at once, and one that runs keeps them paused', async () => {
    const { options, read } = dogIn(makeFolder())
    const place = makeHome()
    place.write(PROFILE, { enforcement: 'enforce', hooks: { 'watchdog-pause': { options } } })
    const supervisor = await createSupervisor({ home: place.home, notify: () => undefined, askMs: 1 })
    onTestFinished(() => supervisor.close())
    const run = (command: string) =>
      supervisor.dispatch('pre:tool', { tool: 'Bash', args: { command } }, { session: 's', workspace: '/w' })
    expect((await run('git push --force origin main')).decision).toBe('block')
    expect(read()).toEqual(['pause 900', 'resume 900'])
    // Held, and not approved in time.
    expect((await run('rm -rf "$DIR"')).decision).toBe('block')
    expect(read()).toEqual(['pause 900', 'resume 900', 'pause 900', 'resume 900'])
    expect((await run('rm notes.txt')).decision).toBe('flag')
    expect(read().at(-1)).toBe('pause 900')
  })

  it.each(['post:tool', 'post:tool:failure', 'pre:turn:end', 'run:end', 'session:end', 'pre:message', 'session:start'])(
    'B5 resumes watchdogs at %s',
    async (point) => {
      const { options, read } = dogIn(makeFolder())
      const { send } = pipelineOf([[hook, options]])
      await send('pre:tool', call('tier 3', 'c1'))
      expect(read()).toEqual(['pause 900'])
      await send(point, call('tier 3', 'c1'))
      await send(point, call('tier 3', 'c1'))
      expect(read()).toEqual(['pause 900', 'resume 900'])
    },
  )

  it('B5 leaves a watchdog paused while another operation, call or session needs it', async () => {
    const { options, read } = dogIn(makeFolder())
    const { send } = pipelineOf([[hook, options]])
    await send('pre:tool', call('tier 3 a'))
    await send('pre:tool', call('tier 3 b'), { session: 's2' })
    await send('post:tool', call('ls'))
    await send('post:tool', call('tier 3 a'))
    expect(read()).not.toContain('resume 900')
    await send('session:end', {}, { session: 's2' })
    expect(read().at(-1)).toBe('resume 900')
  })

  it('B5 resumes after a crash: the next process finds it overdue', async () => {
    const { options, read } = dogIn(makeFolder())
    const [one, two] = makeSharedState(2)
    if (one === undefined || two === undefined) throw new Error('no state')
    const crashed = pipelineOf([[hook, options]], { state: one })
    await crashed.send('pre:tool', call('tier 3'))
    const next = pipelineOf([[hook, options]], { state: two })
    await next.send('pre:tool', call('ls'), { session: 's2' })
    expect(read()).toEqual(['pause 900'])
    next.clock.advance(900_000)
    await next.send('pre:tool', call('ls'), { session: 's2' })
    expect(read()).toEqual(['pause 900', 'resume 900'])
  })

  it('B5 calls addresses, and flags a watchdog that does not obey', async () => {
    const server = await serve((response, { path }) => json(response, {}, path === '/bad' ? 500 : 200))
    const dog = (path: string) => ({ url: `${server.url}${path}` })
    const watchdogs = [
      { name: 'good', pause: dog('/p'), resume: dog('/r') },
      { name: 'bad', pause: dog('/bad'), resume: dog('/r') },
    ]
    const { send, events } = pipelineOf([[hook, { watchdogs }]])
    const outcome = await send('pre:tool', call('tier 3'))
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false, metadata: { watchdogsPaused: ['good'] } })
    expect(outcome.reason).toContain('bad: status 500')
    expect(events[0]).toMatchObject({ action: 'watchdog:pause-failed', level: 'warn' })
    expect(JSON.parse(server.requests[0]?.body ?? '')).toMatchObject({ action: 'pause', maxSeconds: 900 })
  })

  it('B5 is not stopped by a watchdog that hangs and ignores TERM', async () => {
    const hang = { command: "trap '' TERM; sleep 60 & wait; sleep 60" }
    const options = { watchdogs: [{ name: 'dog', pause: hang, resume: hang }], timeoutMs: 50 }
    const outcome = await pipelineOf([[hook, options]]).send('pre:tool', call('tier 3'))
    expect(outcome).toMatchObject({ decision: 'flag', blocked: false })
    expect(outcome.reason).toContain('no result within 50 ms')
  })

  it('B5 tries again later to resume what could not be resumed', async () => {
    const folder = makeFolder()
    const resume = { command: `test -e ${folder}/ok` }
    const options = { watchdogs: [{ name: 'dog', pause: { command: 'true' }, resume }] }
    const { send, clock, services, state } = pipelineOf([[hook, options]])
    await send('pre:tool', call('tier 3'))
    expect((await send('post:tool', call('tier 3'))).decision).toBe('flag')
    await services.runCommand(`touch ${folder}/ok`, { timeoutMs: 5_000 })
    clock.advance(1_000)
    expect((await send('post:tool', call('ls'))).metadata.watchdogsResumed).toEqual(['dog'])
    expect(state.list('watchdog/')).toEqual([])
  })

  it('B5 pauses once more when an operation began while another process was resuming', async () => {
    const folder = makeFolder()
    const { options, read } = dogIn(folder)
    const [dog] = options.watchdogs
    const slow = {
      command: `touch ${folder}/resuming; until test -e ${folder}/go; do sleep 0.01; done; ${dog?.resume.command}`,
    }
    const watchdogs = [{ ...dog, resume: slow }]
    const [one, two] = makeSharedState(2)
    if (one === undefined || two === undefined) throw new Error('no state')
    const first = pipelineOf([[hook, { ...options, watchdogs, timeoutMs: 30_000 }]], { state: one, timeoutMs: 120_000 })
    const second = pipelineOf([[hook, options]], { state: two })
    await first.send('pre:tool', call('tier 3 a'))
    const resuming = first.send('post:tool', call('tier 3 a'))
    await until(() => existsSync(join(folder, 'resuming')))
    await second.send('pre:tool', call('tier 3 b'), { session: 's2' })
    writeFileSync(join(folder, 'go'), '')
    await resuming
    expect(read()).toEqual(['pause 900', 'pause 900', 'resume 900', 'pause 900'])
    await second.send('post:tool', call('tier 3 b'), { session: 's2' })
    expect(read().at(-1)).toBe('resume 900')
    expect(one.list('watchdog/')).toEqual([])
  })

  it('B5 gives up after ten tries, and says who has to be resumed by hand', async () => {
    const dog = { name: 'dog', pause: { command: 'true' }, resume: { command: 'exit 1' } }
    const { send, clock, events, state } = pipelineOf([[hook, { watchdogs: [dog] }]])
    await send('pre:tool', call('tier 3'))
    await send('post:tool', call('tier 3'))
    const lost = () => events.filter(({ action }) => action === 'watchdog:lost')
    for (let at = 0; at < 8; at++) {
      clock.advance(300_000)
      await send('pre:tool', call('ls'))
    }
    expect([lost().length, state.list('watchdog/').length]).toEqual([0, 1])
    clock.advance(300_000)
    await send('pre:tool', call('ls'))
    expect(lost()).toMatchObject([{ level: 'error', message: expect.stringContaining('dog') }])
    expect(state.list('watchdog/')).toEqual([])
    await send('pre:tool', call('ls'))
    expect(events.filter(({ action }) => action === 'watchdog:resume-failed')).toHaveLength(10)
  })

  it('B5 a clock that is set back keeps nothing paused: the next process resumes', async () => {
    const { options, read } = dogIn(makeFolder())
    const [one, two] = makeSharedState(2)
    if (one === undefined || two === undefined) throw new Error('no state')
    await pipelineOf([[hook, options]], { state: one }).send('pre:tool', call('tier 3'))
    const next = pipelineOf([[hook, options]], { state: two })
    next.clock.setWall(next.clock.wall() - 30_000)
    await next.send('pre:tool', call('ls'), { session: 's2' })
    expect(read()).toEqual(['pause 900'])
    next.clock.setWall(next.clock.wall() - 86_400_000)
    await next.send('pre:tool', call('ls'), { session: 's2' })
    expect(read()).toEqual(['pause 900', 'resume 900'])
  })

  it.each([
    ['git push --force origin main', {}, 'block', 'risk-detection'],
    ['git push --force origin main', { onTier4: 'ask' }, 'ask', 'risk-detection'],
    ['git push --force origin main', { blockTier: 5 }, 'ask', 'risk-detection'],
    ['git push --force origin main', { blockTier: 5, askTier: null }, 'flag', 'risk-detection'],
    ['rm notes.txt', { askTier: 3 }, 'ask', 'risk-detection'],
    ['npm publish', { blockTier: 5, askEffects: ['deploy-affecting'] }, 'ask', 'risk-detection'],
    ['rm -rf /', { onTier4: 'ask' }, 'block', 'risk-detection'],
    ['git status', { onTier4: 'ask' }, 'pass', undefined],
  ])('B5 B10 beside risk-detection there is one outcome for %j with %j: %s', async (command, options, decision, by) => {
    const { send, evaluations } = pipelineOf([[watchdogPause], [riskDetection, options]])
    const outcome = await send('pre:tool', { tool: 'Bash', args: { command } }, { workspace: '/w' })
    expect([outcome.decision, outcome.hook]).toEqual([decision, by])
    expect(evaluations).toHaveLength(2)
  })

  it.each([
    { watchdogs: 7 },
    { askTier: 9 },
    { maxPauseMs: -1 },
    { effects: [] },
    { watchdogs: [{ name: 'x', pause: { url: 'file:///x' }, resume: { command: '' } }] },
  ])('B5 refuses %j', (options) => expect(hook.options.safeParse(options).success).toBe(false))
})

describe('the limit of a pause, without a further call', () => {
  const CALL = { tool: 'Bash', args: { command: 'rm notes.txt' } }

  function place(maxPauseMs: number) {
    const { options, read } = dogIn(makeFolder())
    const at = makeHome()
    const hooks = { 'watchdog-pause': { options: { ...options, maxPauseMs } } }
    at.write(PROFILE, { enforcement: 'enforce', hooks })
    const lines = (word: string) => read().filter((line) => line.startsWith(word)).length
    const callHook = () => {
      const event = { hook_event_name: 'PreToolUse', session_id: 's', cwd: '/w', tool_use_id: 't' }
      const input = JSON.stringify({ ...event, tool_name: CALL.tool, tool_input: CALL.args })
      return runArc(['hook', 'claude'], { home: at.home, input })
    }
    const readState = (prefix: string) => {
      const stores = openStores(at.home, () => undefined)
      try {
        return stores.state.list(prefix).map(({ value }) => value)
      } finally {
        stores.close()
      }
    }
    const resumers = () => readState('watchdog-resumer/').map((value) => (value as { readonly pid: number }).pid)
    return { at, lines, callHook, readState, resumers }
  }

  it('B5 a process that ends leaves a resumer, which resumes at the limit and ends', async () => {
    const { lines, callHook, readState, resumers } = place(1_000)
    expect((await callHook()).code).toBe(0)
    expect(lines('pause')).toBe(1)
    await until(() => lines('resume') === 1)
    await until(() => resumers().length === 0)
    expect(readState('watchdog/')).toEqual([])
  })

  it('B5 there is one resumer for all pauses, and it ends once they are over', async () => {
    const { at, callHook, resumers } = place(600_000)
    await callHook()
    await until(() => resumers().length === 1)
    const [pid = 0] = resumers()
    const asked: string[] = []
    const resumeLater = (job: string): void => void asked.push(job)
    const supervisor = new Supervisor({ home: at.home, notify: () => undefined, resumeLater })
    onTestFinished(() => supervisor.close())
    await supervisor.dispatch('pre:tool', CALL, { session: 's', workspace: '/w' })
    expect([asked, resumers()]).toEqual([[], [pid]])
    await supervisor.dispatch('session:end', {}, { session: 's', workspace: '/w' })
    await until(() => !isProcessAlive(pid))
    await supervisor.dispatch('pre:tool', CALL, { session: 's', workspace: '/w' })
    expect(asked).toHaveLength(1)
  })

  it('B5 a supervisor and a daemon that close resume what they paused', async () => {
    const { at, lines } = place(600_000)
    const supervisor = await createSupervisor({ home: at.home, notify: () => undefined })
    await supervisor.dispatch('pre:tool', CALL, { session: 's', workspace: '/w' })
    expect(lines('resume')).toBe(0)
    await supervisor.close()
    expect(lines('resume')).toBe(1)
    const pool = new SupervisorPool(at.home, () => undefined)
    const shared = await pool.find(undefined, undefined)
    await shared.dispatch('pre:tool', CALL, { session: 's', workspace: '/w' })
    await shared.close()
    expect([lines('pause'), lines('resume')]).toEqual([2, 1])
    await pool.close()
    expect(lines('resume')).toBe(2)
  })
})
