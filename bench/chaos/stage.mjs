// Where a round of chaos happens: a home with its projects in a temporary folder, its daemon, and `arc` as a user runs it.
// Home and state folder are on one disk, which a round may ask to be a small one. The ledger is on another disk.

import { spawn, spawnSync } from 'node:child_process'
import { appendFileSync, mkdirSync, mkdtempSync, readFileSync, realpathSync, rmSync, writeFileSync } from 'node:fs'
import { request } from 'node:http'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { endProcesses, isAlive } from './processes.mjs'

/** The program under test. */
export const ARC = process.env.ARC_BIN ?? fileURLToPath(new URL('../../bin/arc', import.meta.url))
const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'
const PROJECTS = 5
const START_LIMIT_MS = 60_000
const END_LIMIT_MS = 30_000
const HEALTH_LIMIT_MS = 2_000

/** May this process mount a small disk? */
export const canMount = process.platform === 'linux' && process.getuid?.() === 0

const stages = new Set()

// Also when the run is interrupted, nothing stays mounted and no process runs on.
process.on('exit', () => {
  for (const stage of stages) stage.removeNow()
})
for (const signal of ['SIGINT', 'SIGTERM']) process.once(signal, () => process.exit(1))

export class Stage {
  root = realpathSync(mkdtempSync(join(tmpdir(), 'arc-chaos-')))
  disk = join(this.root, 'disk')
  home = join(this.disk, 'home')
  user = join(this.root, 'user')
  database = join(this.home, 'arc.db')
  profile = join(this.home, 'profiles/default.json')
  runFolder = join(this.home, 'run')
  socket = join(this.runFolder, 'arc.sock')
  projects = Array.from({ length: PROJECTS }, (_, at) => join(this.root, 'projects', `p${at + 1}`))
  /** Environment of everything that belongs to this round. ARC_HOME also marks its processes. */
  env = {
    ...{ PATH: `${dirname(process.execPath)}:${SYSTEM_PATH}`, LANG: 'C.UTF-8', TZ: 'UTC', NO_COLOR: '1' },
    ...{ HOME: this.user, ARC_HOME: this.home, XDG_STATE_HOME: join(this.disk, 'state'), TMPDIR: tmpdir() },
    ARC_CHAOS_CLOCK: join(this.root, 'clock'),
  }
  /** The folder for archives of the trace. */
  archive = join(this.root, 'archive')
  clockFile = join(this.root, 'clock')
  /** Databases that faults took away: folders, and until when calls could be written there. */
  setAside = []
  #isMounted = false

  /** Makes the folders, the profile and the installation of a host. `diskBytes`: size of the disk of the home. */
  prepare({ diskBytes, settings = {}, isUnattended = false } = {}) {
    stages.add(this)
    for (const folder of [this.disk, this.user, ...this.projects]) mkdirSync(folder, { recursive: true })
    for (const folder of this.projects) {
      mkdirSync(join(folder, '.arc'))
      writeFileSync(join(folder, '.arc/config.json'), '{}\n')
    }
    if (diskBytes !== undefined) this.#mount(diskBytes)
    // The creator of such a home may do what otherwise needs a terminal.
    if (isUnattended) this.#run(['init', '--confirm', 'none'])
    mkdirSync(dirname(this.profile), { recursive: true, mode: 0o700 })
    writeFileSync(this.clockFile, '0')
    this.profileText = JSON.stringify({ enforcement: 'enforce', ...settings }, null, 2)
    writeFileSync(this.profile, this.profileText)
    this.#run(['install', 'claude'])
    const settingsFile = readFileSync(join(this.user, '.claude/settings.json'), 'utf8')
    this.hookLine = JSON.parse(settingsFile).hooks.PreToolUse[0].hooks[0].command
  }

  /** Makes everything for these faults, and starts the daemon. */
  async prepareRound(faults) {
    const sizes = faults.flatMap(({ diskBytes }) => diskBytes ?? [])
    const settings = Object.assign({}, ...faults.map((fault) => fault.settings?.(this)))
    this.isEnforced = settings.enforcement === undefined
    this.isPair = faults.length > 1
    const isUnattended = faults.some((fault) => fault.isUnattended)
    this.prepare({ settings, isUnattended, ...(sizes.length > 0 && { diskBytes: Math.min(...sizes) }) })
    await this.startDaemon({ nodeArgs: faults.flatMap(({ nodeArgs = [] }) => nodeArgs) })
  }

  /** A folder on the disk of the home, for files that a fault moves out of the way. */
  makeAside() {
    return mkdtempSync(join(this.disk, 'aside-'))
  }

  #run(args) {
    const { status, stderr } = spawnSync(process.execPath, [ARC, ...args], { env: this.env, encoding: 'utf8' })
    if (status !== 0) throw new Error(`arc ${args.join(' ')} ended with ${status}: ${stderr}`)
  }

  #mount(bytes) {
    runAsRoot('mount', ['-t', 'tmpfs', '-o', `size=${bytes},mode=700`, 'tmpfs', this.disk])
    this.#isMounted = true
  }

  /** Gives the small disk another size. */
  resizeDisk(bytes) {
    runAsRoot('mount', ['-o', `remount,size=${bytes}`, this.disk])
  }

  /** Runs `arc` to its end. */
  arc(args, { input = '', env = {}, limitMs = START_LIMIT_MS } = {}) {
    return runProgram(process.execPath, [ARC, ...args], { input, limitMs, env: { ...this.env, ...env } })
  }

  /** Starts a daemon as a person does. Resolves when it listens or has ended. */
  startDaemon({ nodeArgs = [] } = {}) {
    const args = [...nodeArgs, ARC, 'serve', '--no-open', '--json', '--port', '0']
    const child = spawn(process.execPath, args, { env: this.env, stdio: ['ignore', 'pipe', 'pipe'] })
    child.stderr.on('data', (text) => this.log(text))
    return new Promise((resolve) => {
      const timer = setTimeout(resolve, START_LIMIT_MS)
      const done = () => {
        clearTimeout(timer)
        resolve(child)
      }
      child.stdout.on('data', done)
      child.on('exit', done)
    })
  }

  /** Keeps what daemons say on stderr. */
  log(text) {
    appendFileSync(join(this.root, 'daemon.log'), text)
  }

  /** The process of the daemon, by the pid file; undefined when there is none. */
  get daemonPid() {
    try {
      const { pid } = JSON.parse(readFileSync(join(this.runFolder, 'arc.pid'), 'utf8'))
      return isAlive(pid) ? pid : undefined
    } catch {
      // No pid file, or half of one.
      return undefined
    }
  }

  /** Sends a signal to the daemon; its pid. */
  signalDaemon(signal) {
    const pid = this.daemonPid
    if (pid !== undefined) process.kill(pid, signal)
    return pid
  }

  /** Does a daemon answer on the socket? */
  isReachable() {
    return new Promise((resolve) => {
      const options = { socketPath: this.socket, path: '/health', timeout: HEALTH_LIMIT_MS, agent: false }
      const sent = request(options, (response) => {
        response.resume().on('close', () => resolve(response.statusCode === 200))
      })
      sent.on('timeout', () => sent.destroy())
      sent.on('error', () => resolve(false))
      sent.end()
    })
  }

  /** Ends the daemon on request; true when it ended. */
  async endDaemon() {
    const pid = this.signalDaemon('SIGTERM')
    if (pid === undefined) return true
    return waitUntil(() => !isAlive(pid), END_LIMIT_MS)
  }

  /** Ends everything that is left, and removes the folders. */
  async remove({ keepFolder = false } = {}) {
    await waitUntil(() => endProcesses(`ARC_HOME=${this.home}`) === 0, END_LIMIT_MS)
    this.removeNow({ keepFolder })
  }

  removeNow({ keepFolder = false } = {}) {
    stages.delete(this)
    endProcesses(`ARC_HOME=${this.home}`)
    if (this.#isMounted) runAsRoot('umount', ['-l', this.disk])
    this.#isMounted = false
    if (!keepFolder) rmSync(this.root, { recursive: true, force: true, maxRetries: 10 })
  }
}

/** Waits for a condition; whether it came true within the limit. */
export async function waitUntil(isTrue, limitMs, pauseMs = 50) {
  const endsAt = performance.now() + limitMs
  for (;;) {
    if (await isTrue()) return true
    if (performance.now() > endsAt) return false
    await sleep(pauseMs)
  }
}

/** Runs a program to its end, or kills it at the limit: its exit code is then undefined. */
export function runProgram(program, args, { input = '', env, cwd, limitMs }) {
  return new Promise((resolve) => {
    const child = spawn(program, args, { env, cwd })
    let [stdout, stderr] = ['', '']
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += text))
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += text))
    child.stdin.on('error', () => undefined)
    child.stdin.end(input)
    const timer = setTimeout(() => child.kill('SIGKILL'), limitMs)
    child.on('error', (error) => (stderr += error.message))
    child.on('close', (code) => {
      clearTimeout(timer)
      resolve({ exitCode: code ?? undefined, stdout, stderr })
    })
  })
}

function runAsRoot(program, args) {
  const { status, stderr } = spawnSync(program, args, { encoding: 'utf8' })
  if (status !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${status}: ${stderr}`)
}
