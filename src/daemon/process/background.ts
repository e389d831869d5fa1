// Starts a daemon that belongs to nobody: a group of its own, no pipe of whoever starts it. A host waits until every copy
// of its pipes is closed, so a daemon that kept one would hold the host up for as long as it lives.

import { spawn } from 'node:child_process'
import { closeSync, mkdirSync, openSync, readFileSync, statSync, truncateSync } from 'node:fs'
import { resolve } from 'node:path'
import { logFile, runDir } from './paths.ts'

/** What is started. */
export interface BackgroundStart {
  readonly home: string
  /** The path of `arc`. */
  readonly program: string
  /** Beside `serve`. */
  readonly args: readonly string[]
}

const MAX_LOG_BYTES = 1024 * 1024
const LAST_BYTES = 2_000

// A daemon serves every profile; the others are for the one who started it.
const REMOVED_VARIABLES = ['ARC_PROFILE', 'ARC_DAEMON', 'NODE_OPTIONS', 'NODE_CHANNEL_FD']

/** Starts it and does not wait. Gives its process id; undefined where it could not be started. */
export function startInBackground({ home, program, args }: BackgroundStart): number | undefined {
  const env: NodeJS.ProcessEnv = { ...process.env, ARC_HOME: resolve(home) }
  for (const name of REMOVED_VARIABLES) delete env[name]
  mkdirSync(runDir(home), { recursive: true, mode: 0o700 })
  trimLog(home)
  const log = openSync(logFile(home), 'a', 0o600)
  try {
    // In the home, so that it keeps no project's folder or disk in use.
    const options = {
      cwd: resolve(home),
      env,
      detached: true,
      stdio: ['ignore', log, log] as ['ignore', number, number],
    }
    const child = spawn(process.execPath, [program, 'serve', ...args], options)
    // Said by the missing process id; without a listener it would be thrown.
    child.on('error', () => undefined)
    child.unref()
    return child.pid
  } finally {
    closeSync(log)
  }
}

/** Empties a log that has grown too long. */
export function trimLog(home: string): void {
  const file = logFile(home)
  if ((statSync(file, { throwIfNoEntry: false })?.size ?? 0) > MAX_LOG_BYTES) truncateSync(file)
}

/** The last line that a daemon in the background said. */
export function lastLogLine(home: string): string | undefined {
  try {
    const text = readFileSync(logFile(home), 'utf8').slice(-LAST_BYTES)
    return text.trimEnd().split('\n').at(-1) || undefined
  } catch {
    // It never said anything.
    return undefined
  }
}
