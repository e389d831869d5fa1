// A hook that finds no daemon starts one: with real hooks and real daemons, none of which outlives its test.

import { spawn } from 'node:child_process'
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { ARC, onlyJson, runArc, runProgram } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'
import { update } from '../../storage/state.ts'
import { installLauncher } from './launcher.ts'

// Finding processes by their home needs /proc.
const test = it.skipIf(process.platform !== 'linux')

let root: string
let home: string
let launcher: string

beforeEach(() => {
  root = mkdtempSync(join(tmpdir(), 'arc-demand-'))
  useHome(join(root, 'home'))
})

afterEach(async () => {
  await until(() => {
    const left = processesOf(root)
    for (const pid of left) kill(pid)
    return left.length === 0
  })
  rmSync(root, { recursive: true, force: true })
})

function useHome(path: string): void {
  home = path
  mkdirSync(join(home, 'profiles'), { recursive: true })
  askNobody(home)
  setProfile({ enforcement: 'enforce' })
  launcher = installLauncher({ home, node: process.execPath, arc: ARC })
}

function setProfile(profile: object): void {
  writeFileSync(join(home, 'profiles/default.json'), JSON.stringify(profile))
}

let calls = 0

function payload(command = 'ls'): string {
  const call = { session_id: 's', cwd: root, hook_event_name: 'PreToolUse', tool_use_id: `call-${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

const ON = { ARC_DAEMON: '' }
const hook = (env: Record<string, string> = ON) => runArc(['hook', 'claude'], { home, input: payload(), env })
const launch = (env: Record<string, string> = ON) => runProgram(launcher, ['hook', 'claude'], { input: payload(), env })

interface Status {
  readonly running: boolean
  readonly pid: number | null
  readonly startedBy: string | null
  readonly onDemand: { readonly is: string; readonly attempts?: number }
}

const status = async () => onlyJson<Status>(await runArcInProcess(['status', '--json'], { home, env: ON }))

async function running(): Promise<Status> {
  let found = await status()
  await until(async () => {
    found = await status()
    return found.running
  })
  return found
}

async function until(check: () => boolean | Promise<boolean>): Promise<void> {
  while (!(await check())) await new Promise((resolve) => setTimeout(resolve, 50))
}

// Daemons in the background have no parent here: found by their home.
function processesOf(folder: string): number[] {
  const pids = readdirSync('/proc').map(Number).filter(Number.isInteger)
  return pids.filter((pid) => pid !== process.pid && environmentOf(pid).includes(`ARC_HOME=${folder}`))
}

function environmentOf(pid: number): string {
  try {
    return readFileSync(`/proc/${pid}/environ`, 'utf8')
  } catch {
    // It ended meanwhile, or is somebody else's.
    return ''
  }
}

function kill(pid: number): void {
  try {
    process.kill(pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}

const daemonsOf = (folder: string): number[] =>
  processesOf(folder).filter((pid) => readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve'))
const log = (): string =>
  existsSync(join(home, 'run/daemon.log')) ? readFileSync(join(home, 'run/daemon.log'), 'utf8') : ''
const starts = (): number => log().split('started by a hook').length - 1

test('the first hook starts it without waiting for it, and the next is answered by it', async () => {
  // Ends at the end of its pipes, as a host waits for it: the daemon holds none of them.
  expect(await hook()).toEqual({ code: 0, stdout: '', stderr: '' })
  const { pid, startedBy } = await running()
  expect(startedBy).toBe('hook')
  // Node cannot even be started: only the daemon can have answered.
  const bare = installLauncher({ home, node: '/bin/false', arc: ARC })
  const denied = await runProgram(bare, ['hook', 'claude'], { input: payload('git reset --hard'), env: ON })
  expect(denied.code).toBe(2)
  expect((await status()).pid).toBe(pid)
})

test('the line in the hosts starts it as well, also where a dead one left its socket', async () => {
  expect((await launch()).code).toBe(0)
  const { pid } = await running()
  process.kill(pid ?? 0, 'SIGKILL')
  await until(() => daemonsOf(home).length === 0)
  expect(existsSync(join(home, 'run/arc.sock'))).toBe(true)
  forgetWait()
  expect((await launch()).code).toBe(0)
  expect((await running()).pid).not.toBe(pid)
})

test('of many hooks at once, one starts it', async () => {
  await Promise.all(Array.from({ length: 12 }, (_, at) => (at % 2 === 0 ? hook() : launch())))
  await running()
  expect(daemonsOf(home)).toHaveLength(1)
  expect(starts()).toBe(1)
  await launch()
  expect(daemonsOf(home)).toHaveLength(1)
})

test('keeps no pipe of the host, not even one that the host forgot to close', async () => {
  const stdio = ['pipe', 'pipe', 'pipe', 'pipe', 'pipe'] as const
  const env = { ...process.env, ARC_HOME: home, ARC_DAEMON: '' }
  const child = spawn(launcher, ['hook', 'claude'], { env, stdio: [...stdio] })
  const closed = child.stdio.map((pipe) => new Promise((resolve) => pipe?.once('close', resolve)))
  for (const pipe of child.stdio.slice(1)) (pipe as NodeJS.ReadableStream).resume()
  child.stdin?.end(payload())
  const { pid } = await running()
  await Promise.all(closed)
  expect((await status()).pid).toBe(pid)
})

test.each([
  ['ARC_DAEMON=off', {}, { ARC_DAEMON: 'off' }],
  ['ARC_DAEMON=ask', {}, { ARC_DAEMON: 'ask' }],
  ['daemon.onDemand: false', { daemon: { onDemand: false } }, ON],
])('not with %s', async (_name, profile, env) => {
  setProfile({ enforcement: 'enforce', ...profile })
  expect((await hook(env)).code).toBe(0)
  expect((await launch(env)).code).toBe(0)
  expect(existsSync(join(home, 'run/daemon.log'))).toBe(false)
  const { stdout } = await runArcInProcess(['status', '--json'], { home, env })
  expect(JSON.parse(stdout).onDemand).toEqual({ is: 'off' })
})

test('a project cannot switch it off or on', async () => {
  mkdirSync(join(root, '.arc'))
  writeFileSync(join(root, '.arc/config.json'), '{ "daemon": { "onDemand": false } }')
  await hook()
  await running()
})

test('not in a home that is not there yet', async () => {
  home = join(root, 'elsewhere')
  expect((await hook()).code).toBe(0)
  expect(existsSync(join(home, 'run'))).toBe(false)
})

test('not where nothing can be written, and without a word about it', async () => {
  if (process.getuid?.() !== 0) return
  setProfile({ enforcement: 'enforce', onUnrecorded: 'allow' })
  await runArcInProcess(['init'], { home })
  for (const part of [root, home, join(home, 'profiles')]) await runProgram('chmod', ['0555', part], {})
  await runProgram('chmod', ['-R', 'a+rX', home], {})
  const { code, stderr } = await runArc(['hook', 'claude'], { home, input: payload(), env: ON, uid: 65_534, cwd: '/' })
  expect(code).toBe(0)
  expect(stderr).not.toContain('daemon')
  expect(existsSync(join(home, 'run'))).toBe(false)
})

test('one that dies over its start is not started again and again, and doctor says so', async () => {
  // Too long for a socket: a daemon cannot live here.
  useHome(join(root, 'h'.repeat(110)))
  for (let call = 0; call < 4; call++) expect((await hook()).code).toBe(0)
  await until(() => log().includes('too long'))
  expect(log().split('too long').length - 1).toBe(1)
  expect((await status()).onDemand).toMatchObject({ is: 'waiting', attempts: 1 })
  forgetWait({ attempts: 1 })
  await hook()
  await until(() => log().split('too long').length - 1 === 2)
  expect((await hook()).code).toBe(0)
  const { stdout } = await runArcInProcess(['doctor', '--json'], { home, env: ON })
  const { checks } = JSON.parse(stdout) as { checks: { name: string; ok: boolean; detail: string; fix: string }[] }
  const check = checks.find(({ name }) => name === 'daemon')
  expect(check).toMatchObject({ ok: false, detail: expect.stringContaining('2 times') })
  expect(check?.fix).toContain('daemon.log')
})

// As if the time until the next try were over.
function forgetWait(starts: object = {}): void {
  const state = new SqliteStateStore(join(home, 'arc.db'))
  update<object>(state, 'daemon:on-demand', (before) => ({ ...before, startedAt: 1, ...starts }))
  state.close()
}

test('what a person stopped stays stopped, until a person serves again', async () => {
  await hook()
  const { pid } = await running()
  expect(onlyJson(await runArcInProcess(['stop', '--json'], { home, env: ON }))).toEqual({ stopped: true, pid })
  await hook()
  await launch()
  expect(daemonsOf(home)).toEqual([])
  expect((await status()).onDemand.is).toBe('stopped')
  const again = onlyJson<Status>(await runArc(['serve', '--background', '--port', '0', '--json'], { home, env: ON }))
  expect(again).toMatchObject({ running: true, startedBy: 'person' })
  expect(daemonsOf(home)).toEqual([again.pid])
})

test('one that a hook began to start before a person stopped it does not come up after', async () => {
  await hook()
  await running()
  await runArcInProcess(['stop'], { home, env: ON })
  const { code, stdout } = await runArc(['serve', '--no-open', '--on-demand'], { home, env: ON })
  expect({ code, stdout }).toEqual({ code: 0, stdout: '' })
  expect(await status()).toMatchObject({ running: false, pid: null, onDemand: { is: 'stopped' } })
  expect(existsSync(join(home, 'run/arc.pid'))).toBe(false)
})

test('serving in the background where one runs starts nothing that could outlive it', async () => {
  const serve = ['serve', '--background', '--port', '0', '--json']
  const { pid } = onlyJson<Status>(await runArc(serve, { home, env: ON }))
  expect(onlyJson<Status>(await runArc(serve, { home, env: ON })).pid).toBe(pid)
  expect(daemonsOf(home)).toEqual([pid])
  // At the same moment: one serves, and by the time that both have said so no other is left.
  await runArcInProcess(['stop'], { home, env: ON })
  const both = await Promise.all([runArc(serve, { home, env: ON }), runArc(serve, { home, env: ON })])
  const [first, second] = both.map((ran) => onlyJson<Status>(ran).pid)
  expect(first).toBe(second)
  expect(daemonsOf(home)).toEqual([first])
})

test('ends when idle, and starts again with the next call', async () => {
  setProfile({ enforcement: 'enforce', daemon: { idleMs: 200 } })
  await hook()
  await until(() => starts() === 1)
  await until(() => daemonsOf(home).length === 0)
  expect(log()).toContain('it was idle')
  expect(existsSync(join(home, 'run/arc.sock'))).toBe(false)
  await hook()
  await until(() => starts() === 2)
})

test('one that a person started does not', async () => {
  setProfile({ enforcement: 'enforce', daemon: { idleMs: 200 } })
  const { pid } = onlyJson<Status>(await runArc(['serve', '--background', '--port', '0', '--json'], { home }))
  // Twice as long as one in the background looks after itself.
  await new Promise((resolve) => setTimeout(resolve, 4_500))
  expect(daemonsOf(home)).toEqual([pid])
})

test('ends when its home is gone', async () => {
  await hook()
  await running()
  rmSync(home, { recursive: true, force: true })
  await until(() => daemonsOf(home).length === 0)
})

test('makes way for a person who serves', async () => {
  await hook()
  const { pid } = await running()
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '', ARC_DAEMON: '' }
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--json', '--port', '0'], { env })
  const first = await new Promise<Status>((resolve) => child.stdout.once('data', (text) => resolve(JSON.parse(text))))
  expect(first).toMatchObject({ pid: child.pid, startedBy: 'person' })
  await until(() => !daemonsOf(home).includes(pid ?? 0))
  expect(daemonsOf(home)).toEqual([child.pid])
})
