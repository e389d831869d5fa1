// Starts a daemon in the background: in its own process group and without the pipes of the process that starts it. A host
// waits until every copy of its pipes is closed, so a daemon with a copy would block the host.

import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import { closeSync, mkdirSync, openSync, readFileSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { logFile, runDir } from './paths.ts'

/** How to start a command in the background. */
export interface BackgroundStart {
  readonly home: string
  /** The path of `arc`. */
  readonly program: string
  /** Arguments, for a daemon those after `serve`. */
  readonly args: readonly string[]
  /** The text on stdin; none by default. */
  readonly input?: string | undefined
}

const MAX_LOG_BYTES = 1024 * 1024
const TAIL_BYTES = 2_000

// A daemon serves every profile; the other variables are for the process that starts it.
const REMOVED_VARIABLES = ['ARC_PROFILE', 'ARC_DAEMON', 'NODE_OPTIONS', 'NODE_CHANNEL_FD']

/** Starts a daemon without waiting. Returns its pid; undefined if it could not be started. */
export function startInBackground({ home, program, args }: BackgroundStart): number | undefined {
  return runInBackground({ home, program, args: ['serve', ...args] })
}

/** Runs a command of `arc` without waiting; its output goes to the log of the daemon. Returns its pid. */
export function runInBackground({ home, program, args, input }: BackgroundStart): number | undefined {
  const env: NodeJS.ProcessEnv = { ...process.env, ARC_HOME: resolve(home) }
  for (const name of REMOVED_VARIABLES) delete env[name]
  mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
  trimLog(home)
  const log = openSync(logFile(home), 'a', 0o600)
  const stdin = input === undefined ? undefined : openInput(home, input)
  try {
    // In the home, so that no project folder or disk stays in use.
    const options = {
      cwd: resolve(home),
      env,
      detached: true,
      stdio: [stdin ?? 'ignore', log, log] as ['ignore' | number, number, number],
    }
    const child = spawn(process.execPath, [program, ...args], options)
    // The missing pid tells; without a listener the error would be thrown.
    child.on('error', () => undefined)
    child.unref()
    return child.pid
  } finally {
    closeSync(log)
    if (stdin !== undefined) closeSync(stdin)
  }
}

// A file without a name: a pipe could end with this process before it is read.
function openInput(home: string, text: string): number {
  const file = join(runDir(home), `input-${randomUUID()}`)
  writeFileSync(file, text, { mode: 0o600, flag: 'wx' })
  try {
    return openSync(file, 'r')
  } finally {
    rmSync(file, { force: true })
  }
}

/** Empties a log that is too long. */
export function trimLog(home: string): void {
  const file = logFile(home)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(file)
}

/** The last line of the log of a daemon in the background. */
export function lastLogLine(home: string): string | undefined {
  try {
    const text = readFileSync(logFile(home), 'utf8').slice(-TAIL_BYTES)
    return text.trimEnd().split('\n').at(-1) || undefined
  } catch {
    // There is no log.
    return undefined
  }
}
