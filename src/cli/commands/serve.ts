// `arc serve`: the daemon, in the foreground until it is told to stop.

import { spawn } from 'node:child_process'
import { existsSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import colors from 'picocolors'
import type { Presence } from '../../daemon/lifecycle.ts'
import { type Daemon, startDaemon } from '../../daemon/server.ts'
import { arcHome } from '../../runtime/home.ts'
import { print, printJson, tell } from '../output.ts'
import { VERSION } from '../version.ts'
import { statusOf } from './status.ts'

export interface ServeOptions {
  readonly port?: string
  /** False with `--no-open`. */
  readonly open?: boolean
  readonly sample?: boolean
  readonly json?: boolean
}

const USAGE = 2

/** Serves until a signal comes. One that runs already is no failure: that is what was asked for. */
export async function serve({ port, open, sample, json }: ServeOptions): Promise<number> {
  const number = port === undefined ? undefined : Number(port)
  if (number !== undefined && !(Number.isInteger(number) && number >= 0 && number <= 65_535)) {
    tell(`arc: --port must be a number from 0 to 65535, not ${JSON.stringify(port)}`)
    return USAGE
  }
  const home = arcHome()
  const report = (message: string): void => tell(`arc: ${message}`)
  const started = await startDaemon({ home, version: VERSION, port: number, dashboard: dashboardFolder(), report })
  if ('is' in started) return tellPresence(started, json === true)
  const ended = signalled()
  if (json === true) printJson(await statusOf(home))
  else printDaemon(started)
  if (sample === true) await playSample(started, json === true)
  if (open !== false && process.stdout.isTTY && json !== true) openPage(started.loginUrl)
  const signal = await ended
  tell(`arc: ${signal}: finishing what is under way`)
  await started.stop()
  return 0
}

// The address once more below it: a session is longer than a screen.
async function playSample({ loginUrl }: Daemon, isJson: boolean): Promise<void> {
  const { sampleBeside } = await import('./sample.ts')
  await sampleBeside(loginUrl, isJson)
}

async function tellPresence(presence: Presence, isJson: boolean): Promise<number> {
  if (presence.is === 'running') {
    const { pid } = presence.health
    if (isJson) printJson(await statusOf(arcHome()))
    else print(`${colors.green('✓')} already running as process ${pid}${urlIn(presence)}`)
    return 0
  }
  if (presence.is === 'silent') {
    tell(`arc: process ${presence.note.pid} holds the place of the daemon and does not answer; end it with: arc stop`)
  }
  return 1
}

function urlIn({ note }: { readonly note: { readonly url?: string | undefined } | undefined }): string {
  return note?.url === undefined ? '' : ` at ${note.url}`
}

function printDaemon({ url, loginUrl, socket }: Daemon): void {
  print(`${colors.green('✓')} ARC is running as process ${process.pid}`)
  print(`  page    ${url}`)
  print(`  open    ${loginUrl}`)
  print(`  socket  ${socket}`)
  tell(colors.dim('Ctrl-C or arc stop ends it; hooks then go on without it.'))
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

// Where there is no browser to open, the printed link does.
function openPage(url: string): void {
  const opener = process.platform === 'darwin' ? 'open' : process.platform === 'win32' ? 'explorer' : 'xdg-open'
  const child = spawn(opener, [url], { stdio: 'ignore', detached: true })
  child.on('error', () => undefined)
  child.unref()
}
