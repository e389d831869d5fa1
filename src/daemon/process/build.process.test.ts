// Two installed builds of ARC and one home: which of them serves it. Both are copies of the build under test, and one has
// another name.

import { type ChildProcess, spawn } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest'
import { FakeAgent } from '../../../test/fake-agent.ts'
import { findProcesses } from '../../../test/processes.ts'
import { onlyJson, type Ran, runProgram } from '../../../test/run-arc.ts'
import { askNobody } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import { installLauncher } from '../../cli/hook/launcher.ts'
import { recordAgent } from '../../guard/supervised-agents.ts'
import { SqliteStateStore } from '../../storage/sqlite/state-store.ts'

const ROOT = fileURLToPath(new URL('../../..', import.meta.url))
const SOON = { timeout: 30_000, interval: 100 }

let builds: Record<'old' | 'new', string>
let home: string
let launcher: string
const children: ChildProcess[] = []

// A package as npm installs it, with another name of its build.
function install(root: string, name: 'old' | 'new'): string {
  const folder = join(root, name)
  for (const part of ['bin', 'dist', 'package.json']) cpSync(join(ROOT, part), join(folder, part), { recursive: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  const file = join(folder, 'dist/build.json')
  writeFileSync(file, JSON.stringify({ ...JSON.parse(readFileSync(file, 'utf8')), build: `0.1.0+${name}` }))
  return join(folder, 'bin/arc')
}

beforeAll(() => {
  const root = makeTempFolder('arc-builds-')
  builds = { old: install(root, 'old'), new: install(root, 'new') }
})

beforeEach(() => {
  home = join(makeTempFolder('arc-builds-home-'), 'home')
  mkdirSync(join(home, 'profiles'), { recursive: true })
  writeFileSync(join(home, 'profiles/default.json'), '{"enforcement":"enforce"}')
  askNobody(home)
  useLauncherOf('old')
})

afterEach(async () => {
  for (const child of children.splice(0)) child.kill('SIGKILL')
  await expect.poll(() => daemons().map(({ pid }) => process.kill(pid, 'SIGKILL')), SOON).toEqual([])
})

function useLauncherOf(name: 'old' | 'new'): void {
  launcher = installLauncher({ home, node: process.execPath, arc: builds[name] })
}

const env = () => ({ ARC_HOME: home, ARC_DAEMON: '' })
const arc = (name: 'old' | 'new', args: readonly string[], input = ''): Promise<Ran> =>
  runProgram(process.execPath, [builds[name], ...args], { env: env(), input })
const daemons = () => findProcesses(`ARC_HOME=${home}`).filter(({ command }) => command.includes(' serve '))
const log = () => (existsSync(join(home, 'run/daemon.log')) ? readFileSync(join(home, 'run/daemon.log'), 'utf8') : '')

interface Status {
  readonly running: boolean
  readonly pid: number | null
  readonly build: string
  readonly daemonBuild: string | null
  readonly startedBy: string | null
}

const status = async (name: 'old' | 'new' = 'new') => onlyJson<Status>(await arc(name, ['status', '--json']))
const daemonBuild = async () => (await status()).daemonBuild

let calls = 0

function payload(command: string): string {
  const call = { session_id: 's', cwd: dirname(home), hook_event_name: 'PreToolUse', tool_use_id: `c${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command } })
}

const hookOf = (name: 'old' | 'new', command = 'ls') => arc(name, ['hook', 'claude'], payload(command))
const launch = (command: string) =>
  runProgram(launcher, ['hook', 'claude'], { env: { ARC_DAEMON: '' }, input: payload(command) })

describe.runIf(existsSync('/proc/self/fd'))('another build', () => {
  it('Z3 a daemon that a hook started is replaced by the build that is installed, and hooks of the other do not change that', async () => {
    await launch('ls')
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+old')
    useLauncherOf('new')
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+new')
    const { pid } = await status()
    const starts = () => log().split('started by a hook').length - 1
    expect(starts()).toBe(2)
    for (let call = 0; call < 3; call++) expect((await hookOf('old', 'git reset --hard')).code).toBe(2)
    // A hook of the old build that finds no daemon starts the installed one.
    process.kill(pid ?? 0, 'SIGTERM')
    await expect.poll(() => daemons().length, SOON).toBe(0)
    forgetWait()
    await hookOf('old')
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+new')
    // Two checks of a daemon: it would have been replaced again.
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    expect(starts()).toBe(3)
    expect(daemons()).toHaveLength(1)
  }, 90_000)

  it('Z3 a daemon in the background finishes its calls and is then replaced', async () => {
    const begun = join(dirname(home), 'begun')
    const slow = { event: 'pre_tool_use', command: `touch ${begun}; sleep 4; echo late >&2; exit 2`, timeout_secs: 20 }
    writeFileSync(join(home, 'profiles/default.json'), JSON.stringify({ enforcement: 'enforce', commands: [slow] }))
    const served = onlyJson<Status>(await arc('old', ['serve', '--background', '--port', '0', '--json']))
    expect(served).toMatchObject({ running: true, startedBy: 'person', daemonBuild: '0.1.0+old' })
    const answer = launch('ls')
    // The call is at the daemon once its command runs.
    await expect.poll(() => existsSync(begun), SOON).toBe(true)
    useLauncherOf('new')
    expect(await answer).toMatchObject({ code: 2, stderr: expect.stringContaining('late') })
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+new')
    expect(await status()).toMatchObject({ running: true, startedBy: 'person' })
    expect(daemons()).toHaveLength(1)
    expect(daemons()[0]?.pid).not.toBe(served.pid)
  }, 90_000)

  it('Z3 a daemon in the foreground stays, and status, serve, doctor and its terminal report it', async () => {
    const child = spawn(process.execPath, [builds.old, 'serve', '--no-open', '--port', '0'], {
      env: { ...process.env, ...env(), ARC_PROFILE: '', NO_COLOR: '1' },
    })
    children.push(child)
    let errors = ''
    child.stderr.setEncoding('utf8').on('data', (text: string) => {
      errors += text
    })
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+old')
    useLauncherOf('new')
    await expect.poll(() => errors, SOON).toContain('ARC 0.1.0+new is installed, and this daemon is 0.1.0+old')
    expect((await arc('new', ['status'])).stdout).toContain('0.1.0+new, but the daemon is 0.1.0+old')
    expect((await arc('new', ['serve'])).stderr).toContain('it is 0.1.0+old, and this is 0.1.0+new')
    const { stdout } = await arc('new', ['doctor', '--json'])
    const { checks } = JSON.parse(stdout) as { readonly checks: readonly { name: string; ok: boolean }[] }
    expect(checks.find(({ name }) => name === 'daemon')).toMatchObject({ ok: false })
    expect(daemons().map(({ pid }) => pid)).toEqual([child.pid])
  }, 90_000)

  it('Z3 arc serve of another build replaces a daemon in the background for a person, and not for an agent', async () => {
    const { pid } = onlyJson<Status>(await arc('old', ['serve', '--background', '--port', '0', '--json']))
    const agent = new FakeAgent({ ARC_HOME: home })
    const state = new SqliteStateStore(join(home, 'arc.db'))
    recordAgent(state, { pid: agent.pid, host: 'claude', session: 's' })
    state.close()
    const refused = await agent.run(`'${process.execPath}' '${builds.new}' serve --background --port 0`)
    expect(refused).toMatchObject({ code: 1, output: expect.stringContaining('Only a person may replace') })
    await agent.end()
    expect(await status()).toMatchObject({ pid, daemonBuild: '0.1.0+old' })
    const served = onlyJson<Status>(await arc('new', ['serve', '--background', '--port', '0', '--json']))
    expect(served).toMatchObject({ running: true, daemonBuild: '0.1.0+new' })
    await expect.poll(() => daemons().map((one) => one.pid), SOON).toEqual([served.pid])
  }, 90_000)

  it('Z3 a launcher whose program is gone replaces nothing', async () => {
    await launch('ls')
    await expect.poll(daemonBuild, SOON).toBe('0.1.0+old')
    const { pid } = await status()
    installLauncher({ home, node: process.execPath, arc: join(dirname(home), 'gone/bin/arc') })
    await new Promise((resolve) => setTimeout(resolve, 4_500))
    expect(onlyJson<Status>(await arc('old', ['status', '--json']))).toMatchObject({ pid, daemonBuild: '0.1.0+old' })
  }, 90_000)
})

// As if the time until the next start were over.
function forgetWait(): void {
  const state = new SqliteStateStore(join(home, 'arc.db'))
  const entry = state.get('daemon:on-demand')
  if (entry !== undefined) state.remove('daemon:on-demand', entry.version)
  state.close()
}
