// `arc serve`: the daemon, in the foreground until it is told to stop, or in the background.

import { existsSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { setFlagsFromString } from 'node:v8'
import { lastLogLine, startInBackground } from '../../daemon/process/background.ts'
import { type DaemonPresence, endProcess, findDaemon, findDaemonProcess } from '../../daemon/process/lifecycle.ts'
import { recordManualStart } from '../../daemon/process/on-demand.ts'
import { logFile } from '../../daemon/process/paths.ts'
import { type Daemon, type DaemonOptions, startDaemon } from '../../daemon/server.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import { arcHome } from '../../platform/home.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { openStores } from '../../storage/open-stores.ts'
import colors from '../colors.ts'
import { type LoginLink, openLink, ownLoginLink } from '../login-link.ts'
import { harmless, print, printJson, report, tell } from '../output.ts'
import { VERSION } from '../version.ts'
import { ownStatus, statusOf } from './status.run.ts'

export interface ServeOptions {
  readonly port?: string
  /** False with `--no-open`. */
  readonly open?: boolean
  readonly sample?: boolean
  readonly json?: boolean
  readonly background?: boolean
  /** Set by the hook that starts it. */
  readonly onDemand?: boolean
}

const USAGE = 2
const GIVE_WAY_MS = 15_000
const START_MS = 30_000
const LOOK_MS = 50
// A hook may start another one just between.
const TRIES = 3
// V8 compiles what has run for so long; a third of what it does by itself. A daemon runs the same code on every call, and
// one that has just started is the one that people wait for: its first five hundred calls take a seventh less.
const COMPILE_SOONER = '--interrupt-budget=40000'

/** Serves until a signal comes. One that runs already is no failure: that is what was asked for. */
export async function serve(options: ServeOptions): Promise<number> {
  const { port } = options
  const number = port === undefined ? undefined : Number(port)
  if (number !== undefined && !(Number.isInteger(number) && number >= 0 && number <= 65_535)) {
    tell(`arc: --port must be a number from 0 to 65535, not ${JSON.stringify(port)}`)
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
  })
  if (!('is' in started)) return serveOut(started, options)
  // Somebody else was faster, or a person wants none: all is well.
  if (options.onDemand === true) return started.is === 'silent' ? 1 : 0
  return tellPresence(started, options)
}

// One that a hook started makes way: a person wants to see this one, for as long as they like.
async function start(options: DaemonOptions): Promise<Daemon | DaemonPresence> {
  const { home, onDemand } = options
  if (onDemand !== undefined) return startDaemon(options)
  claimPlace(home)
  await giveWay(await findDaemon(home))
  for (let at = 1; ; at++) {
    const started = await startDaemon(options)
    if (!('is' in started) || !(await giveWay(started)) || at === TRIES) return started
  }
}

async function giveWay(presence: DaemonPresence): Promise<boolean> {
  if (presence.is !== 'running' || presence.record?.isOnDemand !== true) return false
  const found = findDaemonProcess(presence)
  return found !== undefined && endProcess(found, 'SIGTERM', GIVE_WAY_MS)
}

// Hooks start none meanwhile, and what a person stopped is wanted again.
function claimPlace(home: string): void {
  const stores = openStores(home, report)
  try {
    recordManualStart(stores.state, Date.now())
  } finally {
    stores.close()
  }
}

async function serveOut(started: Daemon, options: ServeOptions): Promise<number> {
  const { onDemand, json } = options
  const ended = signalled()
  if (readManagedInstall() !== undefined) return serveManaged(started, ended, json === true)
  if (onDemand === true) log(`version ${VERSION} runs as process ${process.pid} at ${started.url}, started by a hook`)
  else await showDaemon(started, options)
  const why = await Promise.race([ended, started.idle])
  const text = `${why}: finishing what is under way`
  if (onDemand === true) log(text)
  else tell(`arc: ${text}`)
  await started.stop()
  return 0
}

// Its output goes to the journal, which others may read: no link that signs in.
async function serveManaged(started: Daemon, ended: Promise<string>, isJson: boolean): Promise<number> {
  const { url, socket } = started
  if (isJson) printJson(ownStatus({ url, socket }))
  else tell(`arc: version ${VERSION} runs as process ${process.pid} at ${url}, managed`)
  tell(`arc: ${await ended}: finishing what is under way`)
  await started.stop()
  return 0
}

async function serveInBackground(options: ServeOptions): Promise<number> {
  const { port } = options
  const home = arcHome()
  const [, program = ''] = process.argv
  claimPlace(home)
  const before = await findDaemon(home)
  if (before.is === 'running' && !(await giveWay(before))) return tellPresence(before, options)
  const pid = startInBackground({ home, program, args: ['--no-open', ...(port === undefined ? [] : ['--port', port])] })
  for (const until = Date.now() + START_MS; pid !== undefined && Date.now() < until; await sleep(LOOK_MS)) {
    const hasEnded = !isProcessAlive(pid)
    const presence = await findDaemon(home)
    // Until it is the one that runs, or has left that to another: one that still starts would outlive an `arc stop`.
    if (presence.is === 'running' && (hasEnded || presence.health.pid === pid)) {
      return tellPresence(presence, options)
    }
    if (hasEnded) break
  }
  tell(`arc: it did not start: ${lastLogLine(home) ?? 'it said nothing'} (${logFile(home)})`)
  return 1
}

// The address once more below it: a session is longer than a screen.
async function playSample({ url }: LoginLink, isJson: boolean): Promise<void> {
  const { sampleBeside } = await import('./sample.run.ts')
  await sampleBeside(url, isJson)
}

async function tellPresence(presence: DaemonPresence, { json, sample }: ServeOptions): Promise<number> {
  if (presence.is === 'running') {
    const { loginUrl: link, ...rest } = await statusOf(arcHome())
    const found = { ...rest, loginUrl: readManagedInstall() === undefined ? link : null }
    const { pid, url, loginUrl } = found
    if (json === true) printJson(found)
    else print(`${colors.green('✓')} running as process ${pid}${url === null ? '' : ` at ${url}`}`)
    if (json !== true && loginUrl !== null) print(`  open    ${loginUrl}`)
    if (sample === true) await playSample({ url: loginUrl, hint: null }, json === true)
    return 0
  }
  if (presence.is === 'silent') {
    tell(`arc: process ${presence.record.pid} holds the place of the daemon and does not answer; end it with: arc stop`)
  }
  return 1
}

async function showDaemon(started: Daemon, { open, sample, json }: ServeOptions): Promise<void> {
  if (json === true) printJson(ownStatus(started))
  else printDaemon(started, ownLoginLink(arcHome(), started))
  if (sample === true) await playSample(ownLoginLink(arcHome(), started), json === true)
  // A link of its own: the printed one stays good.
  const { url } =
    open !== false && process.stdout.isTTY && json !== true ? ownLoginLink(arcHome(), started) : { url: null }
  if (url !== null) openLink(arcHome(), url)
}

function printDaemon({ url, socket }: Daemon, link: LoginLink): void {
  print(`${colors.green('✓')} ARC is running as process ${process.pid}`)
  print(`  page    ${url}`)
  if (link.url === null) print(`  open    ${colors.dim(link.hint ?? '')}`)
  else print(`  open    ${link.url}  ${colors.dim('(works once, for 5 minutes; another one: arc open)')}`)
  print(`  socket  ${socket}`)
  tell(colors.dim('Ctrl-C ends it; hooks start one in the background when they need it. After arc stop they do not.'))
}

// The log of one in the background has no terminal that knows the time.
function log(message: string): void {
  tell(`${new Date().toISOString()} ${harmless(message)}`)
}

function signalled(): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => resolve(signal))
  })
}

// Beside the bundled CLI, or below dist in a checkout.
function dashboardFolder(): string | undefined {
  const places = ['../../dashboard/', '../dashboard/', '../../../dist/dashboard/']
  const folders = places.map((place) => fileURLToPath(new URL(place, import.meta.url)))
  return folders.find((folder) => existsSync(`${folder}index.html`))
}
