// `arc serve`: runs the daemon in the foreground until a signal, or starts it in the background.

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { lastLogLine, startInBackground } from '../../daemon/process/background.ts'
import { type InstalledBuild, readBuild } from '../../daemon/process/build.ts'
import { type DaemonPresence, endProcess, findDaemon, findDaemonProcess } from '../../daemon/process/lifecycle.ts'
import type { Ending } from '../../daemon/process/lifetime.ts'
import { recordManualStart } from '../../daemon/process/on-demand.ts'
import { logFile } from '../../daemon/process/paths.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../../daemon/server.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import { arcHome } from '../../platform/home.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { openStores } from '../../storage/open-stores.ts'
import { daemonBuild, isOtherBuild, ownBuild } from '../build-check.ts'
import colors from '../colors.ts'
import { requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { createLoginLink, type LoginLink, openLink } from '../login-link.ts'
import { escapeControls, info, print, printJson, report } from '../output.ts'
import { whileWaiting } from '../progress-line.ts'
import { VERSION } from '../version.ts'
import { ownStatus, readStatus } from './status.run.ts'

export interface ServeOptions {
  readonly port?: string
  /** False with `--no-open`. */
  readonly open?: boolean
  readonly sample?: boolean
  readonly json?: boolean
  readonly background?: boolean
  /** Set when a hook starts the daemon. */
  readonly onDemand?: boolean
  /** Set when `--background` starts the daemon. */
  readonly detached?: boolean
}

const USAGE = 2
const GIVE_WAY_MS = 15_000
const START_MS = 30_000
const POLL_MS = 50
// A hook may start another daemon at the same moment.
const MAX_ATTEMPTS = 3
// V8 optimises hot code after a third of its default budget: the first five hundred calls of a new daemon take a
// seventh less time.
const COMPILE_SOONER = '--interrupt-budget=40000'

/** Serves until a signal. Exit code 0 if a daemon runs already. */
export async function serve(options: ServeOptions): Promise<number> {
  const { port } = options
  const number = port === undefined ? undefined : Number(port)
  if (number !== undefined && !(Number.isInteger(number) && number >= 0 && number <= 65_535)) {
    info(`arc: --port must be a number from 0 to 65535, not ${JSON.stringify(port)}`)
    return USAGE
  }
  if (options.background === true) return serveInBackground(options)
  setFlagsFromString(COMPILE_SOONER)
  const home = arcHome()
  const program = fileURLToPath(import.meta.url)
  const started = await start({
    ...{ home, version: VERSION, port: number, dashboard: dashboardFolder() },
    report: options.onDemand === true ? log : report,
    onDemand: options.onDemand === true ? { program } : undefined,
    managed: readManagedInstall(),
    build: readOwnBuild(),
    isBackground: options.detached,
  })
  if (!('is' in started)) return serveUntilSignal(started, options)
  // Another process was faster, or the daemon was stopped by a person: not an error.
  if (options.onDemand === true) return started.is === 'silent' ? 1 : 0
  return reportPresence(started, options)
}

// Replaces a daemon that a hook started: `arc serve` runs until the user ends it.
async function start(options: DaemonOptions): Promise<Daemon | DaemonPresence> {
  const { home, onDemand } = options
  if (onDemand !== undefined) return startDaemon(options)
  claimServing(home)
  await replaceDaemon(await findDaemon(home))
  for (let at = 1; ; at++) {
    const started = await startDaemon(options)
    if (!('is' in started) || !(await replaceDaemon(started)) || at === MAX_ATTEMPTS) return started
  }
}

// A daemon in the background gives way if a hook started it, or if it is another build of ARC.
async function replaceDaemon(presence: DaemonPresence): Promise<boolean> {
  if (presence.is !== 'running' || presence.record === undefined) return false
  const { isOnDemand, isBackground } = presence.record
  const isOther = isBackground === true && isOtherBuild(presence.health)
  if (isOnDemand !== true && !isOther) return false
  if (isOther) requirePerson('replace a daemon of another version')
  const found = findDaemonProcess(presence)
  return found !== undefined && endProcess(found, 'SIGTERM', GIVE_WAY_MS)
}

function readOwnBuild(): InstalledBuild | undefined {
  const { program } = context()
  const build = readBuild(program)
  return build === undefined ? undefined : { program, build }
}

// Clears the mark of `arc stop`, and keeps hooks from starting a daemon meanwhile.
function claimServing(home: string): void {
  const stores = openStores(home, report)
  try {
    recordManualStart(stores.state, Date.now())
  } finally {
    stores.close()
  }
}

async function serveUntilSignal(started: Daemon, options: ServeOptions): Promise<number> {
  const { onDemand, json } = options
  const ended = waitForSignal()
  if (readManagedInstall() !== undefined) return serveManaged(started, ended, json === true)
  if (onDemand === true)
    log(`version ${VERSION} running as process ${process.pid} at ${started.url}, started by a hook`)
  else await showDaemon(started, options)
  const { why, successor } = await Promise.race([ended.then((signal): Ending => ({ why: signal })), started.ended])
  const text = `${why}: finishing the calls in flight`
  if (onDemand === true) log(text)
  else info(`arc: ${text}`)
  await started.stop()
  if (successor !== undefined) startSuccessor(successor, options)
  return 0
}

// The same daemon of the other build.
function startSuccessor({ program }: InstalledBuild, { onDemand, port }: ServeOptions): void {
  const how = onDemand === true ? '--on-demand' : '--detached'
  const args = ['--no-open', how, ...(port === undefined ? [] : ['--port', port])]
  startInBackground({ home: arcHome(), program, args })
}

// The output goes to the journal, which other users may read: no login link.
async function serveManaged(started: Daemon, ended: Promise<string>, isJson: boolean): Promise<number> {
  const { url, socket } = started
  if (isJson) printJson(ownStatus({ url, socket }))
  else info(`arc: version ${VERSION} running as process ${process.pid} at ${url}, managed`)
  info(`arc: ${await ended}: finishing the calls in flight`)
  await started.stop()
  return 0
}

async function serveInBackground(options: ServeOptions): Promise<number> {
  const { port } = options
  const home = arcHome()
  const { program } = context()
  claimServing(home)
  const before = await findDaemon(home)
  if (before.is === 'running' && !(await replaceDaemon(before))) return reportPresence(before, options)
  const pid = startInBackground({
    home,
    program,
    args: ['--no-open', '--detached', ...(port === undefined ? [] : ['--port', port])],
  })
  const presence = await whileWaiting('waiting for the daemon', waitForDaemon(home, pid), { isJson: options.json })
  if (presence !== undefined) return reportPresence(presence, options)
  info(`arc: the daemon did not start: ${lastLogLine(home) ?? 'no log output'} (${logFile(home)})`)
  return 1
}

// Waits until this daemon or another one runs: a daemon that is still starting would survive `arc stop`.
async function waitForDaemon(home: string, pid: number | undefined): Promise<DaemonPresence | undefined> {
  for (const until = Date.now() + START_MS; pid !== undefined && Date.now() < until; await sleep(POLL_MS)) {
    const hasEnded = !isProcessAlive(pid)
    const presence = await findDaemon(home)
    if (presence.is === 'running' && (hasEnded || presence.health.pid === pid)) return presence
    if (hasEnded) break
  }
  return undefined
}

// Prints the address again after the session, which is longer than a screen.
async function playSample({ url }: LoginLink, isJson: boolean): Promise<void> {
  const { playBesideDaemon } = await import('./sample.run.ts')
  await playBesideDaemon(url, isJson)
}

async function reportPresence(presence: DaemonPresence, { json, sample }: ServeOptions): Promise<number> {
  if (presence.is === 'running') {
    const { loginUrl: link, ...rest } = await readStatus(arcHome())
    const found = { ...rest, loginUrl: readManagedInstall() === undefined ? link : null }
    const { pid, url, loginUrl } = found
    if (json === true) printJson(found)
    else print(`${colors.green('✓')} running as process ${pid}${url === null ? '' : ` at ${url}`}`)
    if (json !== true && loginUrl !== null) print(`  open    ${loginUrl}`)
    if (isOtherBuild(presence.health))
      info(
        `arc: it is ${daemonBuild(presence.health)}, and this is ${ownBuild()}. To replace it: arc stop, then arc serve`,
      )
    if (sample === true) await playSample({ url: loginUrl, hint: null }, json === true)
    return 0
  }
  if (presence.is === 'silent') {
    info(`arc: the daemon, process ${presence.record.pid}, does not answer; end it with: arc stop`)
  }
  return 1
}

async function showDaemon(started: Daemon, { open, sample, json }: ServeOptions): Promise<void> {
  if (json === true) printJson(ownStatus(started))
  else printDaemon(started, createLoginLink(arcHome(), started))
  if (sample === true) await playSample(createLoginLink(arcHome(), started), json === true)
  // A separate link: the printed one stays valid.
  const { url } =
    open !== false && context().stdout.isTTY && json !== true ? createLoginLink(arcHome(), started) : { url: null }
  if (url !== null) openLink(arcHome(), url)
}

function printDaemon({ url, socket }: Daemon, link: LoginLink): void {
  print(`${colors.green('✓')} ARC is running as process ${process.pid}`)
  print(`  url     ${url}`)
  if (link.url === null) print(`  open    ${colors.dim(link.hint ?? '')}`)
  else print(`  open    ${link.url}  ${colors.dim('(valid once, for 5 minutes; new link: arc open)')}`)
  print(`  socket  ${socket}`)
  info(
    colors.dim(
      'Ctrl-C stops the daemon; the next hook starts it again in the background. After arc stop hooks do not start it.',
    ),
  )
}

// Log lines of a background daemon have a time stamp.
function log(message: string): void {
  info(`${new Date().toISOString()} ${escapeControls(message)}`)
}

function waitForSignal(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(signal))
  })
}

// Next to the bundled CLI, or in dist of a checkout.
function dashboardFolder(): string | undefined {
  const paths = ['../dashboard/', '../../../dist/dashboard/']
  const folders = paths.map((path) => fileURLToPath(new URL(path, import.meta.url)))
  return folders.find((folder) => existsSync(`${folder}index.html`))
}
