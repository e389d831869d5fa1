import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import * as z from 'zod'
import { makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'
import type { StepContext } from '../engine/step.ts'
import { Supervisor } from '../supervisor/supervisor.ts'
import type { SupervisorOptions } from '../supervisor/supervisor-options.ts'
import { type BuiltIn, builtIn } from './builtin/built-in.ts'
import type { ScriptNotice } from './pipeline-services.ts'

let place: SupervisedHome
let open: Supervisor[] = []
let told: string[] = []
let notices: unknown[] = []

beforeEach(() => {
  place = makeHome()
  open = []
  told = []
  notices = []
})
afterEach(async () => {
  for (const supervisor of open) await supervisor.close()
  place.remove()
})

function supervise(options: SupervisorOptions = {}): Supervisor {
  const report = (message: string): void => void told.push(message)
  const notify = (notice: unknown): void => void notices.push(notice)
  const supervisor = new Supervisor({ home: place.home, builtIns: [], report, notify, askMs: 0, ...options })
  open.push(supervisor)
  return supervisor
}

const call = (supervisor: Supervisor, command = 'ls', context?: StepContext) =>
  supervisor.dispatch('pre:tool', { tool: 'Bash', args: { command } }, context)

/** A built-in hook that blocks the word it is configured with. */
const WORD: BuiltIn = builtIn<{ word: string }>({
  name: 'audit-score',
  priority: 7,
  points: ['pre:tool'],
  summary: '',
  critical: true,
  timeoutMs: 1_234,
  options: z.strictObject({ word: z.string().default('reboot') }),
  create: ({ word }) => ({
    check: (step) => (JSON.stringify(step.data).includes(word) ? { decision: 'block', reason: `${word}!` } : 'pass'),
    alwaysBlocks: () => true,
  }),
}) as BuiltIn

describe('commands of the configuration', () => {
  it('C1 run as hooks, with the settings that their name has', async () => {
    place.write(PROFILE, {
      enforcement: 'enforce',
      hooks: { lint: { timeout: 7_000, onError: 'skip' }, quiet: { enabled: false }, soft: { mode: 'log' } },
      commands: [
        { name: 'lint', event: 'pre_tool_use', matcher: 'bash', command: 'echo "no $ARC_TOOL_NAME" >&2; exit 2' },
        { name: 'quiet', event: 'pre_tool_use', command: 'exit 2', priority: 1 },
        { name: 'soft', event: 'PreToolUse', command: 'exit 2', priority: 2, critical: true },
        { name: 'other', event: 'pre:tool:Write', command: 'exit 2', priority: 3 },
      ],
    })
    const supervisor = supervise()
    expect(supervisor.problems).toEqual([])
    expect(supervisor.hooks()).toMatchObject([
      { name: 'quiet', enabled: false, disabled: { reason: 'switched off in the configuration' } },
      { name: 'soft', mode: 'log', effectiveMode: 'log', critical: true },
      { name: 'other', points: ['pre:tool'], timeoutMs: 10_000 },
      { name: 'lint', priority: 100, timeoutMs: 7_000, effectiveMode: 'enforce', layer: 'user' },
    ])
    expect(supervisor.hooks()[3]?.source).toMatch(/default\.json:\d+$/)
    const outcome = await call(supervisor)
    expect(outcome).toMatchObject({ decision: 'block', hook: 'lint', reason: 'no Bash' })
    expect(outcome.metadata.traceId).toEqual(expect.any(String))
  })

  it("C2 of a project run in the project, the user's where the agent works, also when that is gone", async () => {
    place.write(PROFILE, { commands: [{ name: 'mine', event: 'pre:tool', command: `pwd > ${place.root}/mine` }] })
    const supervisor = supervise({ project: place.project })
    const where = () => readFileSync(join(place.root, 'mine'), 'utf8').trim()
    await call(supervisor)
    expect(where()).toBe(place.project)
    await call(supervisor, 'ls', { workspace: place.root })
    expect(where()).toBe(place.root)
    const { decision } = await call(supervisor, 'ls', { workspace: join(place.root, 'gone') })
    expect([decision, where()]).toEqual(['pass', process.cwd()])
  })

  it('D8 more hooks than a point may hold: the extra hook is reported with its position, the others run', async () => {
    const commands = ['a', 'b', 'c'].map((name) => ({ name, event: 'pre:tool', command: `exit 0 # ${name}` }))
    place.write(PROFILE, { hooks: { maxHooksPerPoint: 2 }, commands })
    const supervisor = supervise()
    expect(supervisor.hooks().map(({ name }) => name)).toEqual(['a', 'b'])
    expect(supervisor.problems).toMatchObject([{ kind: 'invalid', key: 'c' }])
    expect(told[0]).toMatch(/default\.json:\d+:\d+: The hook c cannot be used: .*limit of 2/)
  })
})

describe('built-in hooks', () => {
  it('C1 take their options, limits and order, and lose their floor where the profile says so', async () => {
    place.write(PROFILE, { hooks: { 'audit-score': { options: { word: 'halt' } } } })
    const supervisor = supervise({ builtIns: [WORD] })
    expect(supervisor.hooks()).toMatchObject([
      { name: 'audit-score', priority: 7, timeoutMs: 1_234, critical: true, source: 'built-in', layer: 'built-in' },
    ])
    expect(await call(supervisor, 'halt')).toMatchObject({ blocked: true, reason: 'halt!' })
    expect(await call(supervisor, 'reboot')).toMatchObject({ decision: 'pass' })
    place.write(PROFILE, { risk: { floor: false }, hooks: { 'audit-score': { options: { word: 'halt' } } } })
    supervisor.reload()
    expect(await call(supervisor, 'halt')).toMatchObject({ blocked: false, decision: 'flag' })
  })

  it('C1 a mistake in their options has its place and a suggestion, and the last good state stays', async () => {
    place.write(PROFILE, { enforcement: 'enforce', hooks: { 'audit-score': { options: { word: 'halt' } } } })
    const supervisor = supervise({ builtIns: [WORD] })
    place.write(PROFILE, '{\n "hooks": { "audit-score": { "options": {\n  "wrod": "x" } } } }')
    supervisor.reload()
    expect(supervisor.problems).toMatchObject([{ line: 3, key: 'hooks.audit-score.options.wrod', kind: 'invalid' }])
    expect(told.join('\n')).toContain('there is no option "wrod". Did you mean "word"?')
    place.write(PROFILE, { hooks: { 'audit-score': { options: { word: 5 } } } })
    supervisor.reload()
    expect(supervisor.problems).toMatchObject([{ key: 'hooks.audit-score.options.word' }])
    expect(await call(supervisor, 'halt')).toMatchObject({ blocked: true })
  })

  it('C1 that cannot be made as configured is a mistake in the file, and never a hook that is missing', async () => {
    const reviewer: BuiltIn<{ url: string }> = {
      ...(WORD as unknown as BuiltIn<{ url: string }>),
      options: z.strictObject({ url: z.string().default('http://127.0.0.1:1') }),
      create: (options, services) => ({ check: services.handler(options) as () => 'pass' }),
    }
    place.write(PROFILE, { hooks: { 'audit-score': { options: { url: 'nonsense' } } } })
    const supervisor = supervise({ builtIns: [reviewer as BuiltIn] })
    expect(supervisor.problems).toMatchObject([{ key: 'hooks.audit-score.options' }])
    expect(told.join('\n')).toContain('ARC_URL_INVALID')
    expect(supervisor.hooks().map(({ name }) => name)).toEqual(['audit-score'])
    const broken = {
      ...WORD,
      create: () => {
        throw new Error('no such thing')
      },
    } as BuiltIn
    const other = supervise({ builtIns: [broken], enforcement: 'enforce' })
    expect(await call(other)).toMatchObject({ decision: 'flag', reason: expect.stringContaining('no such thing') })
  })
})

describe('hooks of scripts', () => {
  const script = (text: string, profile: object = {}): Supervisor => {
    place.write('home/profiles/hooks.arma', text)
    place.write(PROFILE, { enforcement: 'enforce', scripts: ['hooks.arma'], ...profile })
    const supervisor = supervise()
    expect(supervisor.problems).toEqual([])
    return supervisor
  }
  const events = (supervisor: Supervisor) =>
    supervisor.trace.query({ component: 'hooks' }).filter(({ action }) => action.startsWith('script:'))

  it("C4 the source's three lines do what they say", async () => {
    const supervisor = script(`hook pre:message /log debug "Sending: $prompt"
hook pre:tool:shell /perms check shellExec
hook post:agent:complete /notify "Agent $agent finished"
`)
    await supervisor.dispatch('pre:message', { prompt: 'hello' })
    await supervisor.dispatch('post:agent:complete', { agent: 'ada' })
    expect(events(supervisor)).toMatchObject([
      { action: 'script:log', level: 'debug', reason: 'Sending: hello', hook: 'hooks.arma:1' },
      { action: 'script:notify', reason: 'Agent ada finished' },
    ])
    expect(notices).toEqual([
      {
        hook: 'hooks.arma:3',
        point: 'post:agent:complete',
        channel: undefined,
        message: 'Agent ada finished',
      } satisfies ScriptNotice,
    ])
    expect(await call(supervisor)).toMatchObject({ decision: 'ask', hook: 'hooks.arma:2' })
    const granted = (permissions: unknown) => call(supervisor, 'ls', { metadata: { permissions } })
    expect(await granted(['shellExec'])).toMatchObject({ decision: 'pass' })
    expect(await granted(['other'])).toMatchObject({
      decision: 'block',
      reason: 'the permission shellExec is not granted to this step',
    })
    expect(await granted({ shellExec: true })).toMatchObject({ decision: 'pass' })
    expect(await granted({ shellExec: false })).toMatchObject({ decision: 'block' })
    expect(await granted({ toString: true })).toMatchObject({ decision: 'ask' })
  })

  it('C4 /block, /flag and /ask decide with their reason', async () => {
    const supervisor = script(`hook pre:tool:Write /block "never $args.file_path"
hook pre:tool:Read /flag
hook pre:tool:shell /ask really $tool ?
`)
    const send = (tool: string, args: object) => supervisor.dispatch('pre:tool', { tool, args: { ...args } })
    expect(await send('Write', { file_path: 'x.ts' })).toMatchObject({ decision: 'block', reason: 'never x.ts' })
    expect(await send('Read', {})).toMatchObject({ decision: 'flag', reason: 'hooks.arma:2 says flag' })
    expect(await send('Bash', {})).toMatchObject({ decision: 'ask', reason: 'really Bash ?' })
  })

  it('C4 /set changes a field, however deep, or leaves a fact for later hooks', async () => {
    const supervisor = script(`/set $prefix "safe:"
hook pre:tool:shell /set args.command "$prefix $args.command"
hook pre:tool:shell /set $seen.by "script"
hook pre:tool:shell /flag "$args.command by $seen.by at $time"
hook pre:tool:Write /set args '{"file_path":"other"}'
`)
    const outcome = await supervisor.dispatch('pre:tool', { tool: 'sh', args: { command: 'ls', keep: 1 } })
    expect(outcome.data).toEqual({ tool: 'sh', args: { command: 'safe: ls', keep: 1 } })
    expect(outcome.metadata).toMatchObject({ seen: { by: 'script' } })
    expect(outcome.reason).toMatch(/^safe: ls by script at 20\d\d-/)
    const written = await supervisor.dispatch('pre:tool', { tool: 'Write', args: { file_path: 'x' } })
    expect(written.data.args).toEqual({ file_path: 'other' })
  })

  it('C4 /run runs a line as a command hook does, and no value in it is ever code', async () => {
    const { root } = place
    const evil = `'; touch ${root}/pwned; echo "$(touch ${root}/pwned)" \`touch ${root}/pwned\``
    const supervisor = script(`/set $into "> ${root}"
hook pre:tool:shell /run printf %s "$args.command" $into/plain
hook pre:tool:shell /run "printf %s '$args.command' > ${root}/quoted"
hook pre:tool:Write /run "echo not $args.file_path >&2; exit 2"
`)
    expect(await call(supervisor, evil)).toMatchObject({ decision: 'pass' })
    expect(readFileSync(join(root, 'plain'), 'utf8')).toBe(evil)
    expect(readFileSync(join(root, 'quoted'), 'utf8')).toBe(evil)
    expect(() => readFileSync(join(root, 'pwned'))).toThrow('ENOENT')
    const refused = await supervisor.dispatch('pre:tool', { tool: 'Write', args: { file_path: '$(id)' } })
    expect(refused).toMatchObject({ decision: 'block', reason: 'not $(id)' })
    expect(supervisor.hooks()).toMatchObject([{ timeoutMs: 10_000 }, {}, {}])
  })

  it('C4 a /run that would evaluate a value is a problem with its line, and fails rather than runs', async () => {
    place.write('home/profiles/hooks.arma', 'hook pre:tool:shell /run eval "$args.command"\n')
    place.write(PROFILE, { enforcement: 'enforce', scripts: ['hooks.arma'], hooks: { errorBehavior: 'abort' } })
    const supervisor = supervise()
    expect(supervisor.problems).toMatchObject([
      { line: 1, key: 'hooks.arma:1', file: join(place.home, 'profiles/hooks.arma') },
    ])
    expect(await call(supervisor, 'touch /tmp/never')).toMatchObject({ decision: 'block', hook: 'hooks.arma:1' })
  })

  it('C4 two scripts of one name keep their hooks apart', () => {
    place.write('home/profiles/a/x.arma', 'hook pre:tool /flag a\n')
    place.write('home/profiles/b/x.arma', 'hook pre:tool /flag b\n')
    place.write(PROFILE, { scripts: ['a/x.arma', 'b/x.arma'] })
    expect(
      supervise()
        .hooks()
        .map(({ name }) => name),
    ).toEqual(['x.arma:1', 'x.arma:1 #2'])
  })
})

it('D5 what is switched off in the configuration leaves its record at every step it would have met', async () => {
  place.write(PROFILE, {
    hooks: { off: { enabled: false } },
    commands: [{ name: 'off', event: 'pre:tool', matcher: 'shell', command: 'exit 2' }],
  })
  const supervisor = supervise()
  await call(supervisor)
  await supervisor.dispatch('pre:tool', { tool: 'Write', args: {} })
  expect(supervisor.trace.query({ hook: 'off' })).toMatchObject([{ action: 'hook:skip' }])
})
