// The life of a daemon's process: one per home, found by its socket, ended by a signal. What a dead one left behind is
// cleared away; what a living one holds is not.

import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { isRecord } from '../core/plain-data.ts'
import type { HealthView } from '../protocol/messages.ts'
import { isAlive } from './firings.ts'
import { pidFile, socketFile } from './places.ts'

/** Who runs. */
export interface DaemonNote {
  readonly pid: number
  readonly url?: string | undefined
  readonly startedAt: number
}

/** What is known of the daemon of a home. */
export type Presence =
  | { readonly is: 'absent' }
  | { readonly is: 'running'; readonly health: HealthView; readonly note: DaemonNote | undefined }
  /** Its process lives and does not answer. */
  | { readonly is: 'silent'; readonly note: DaemonNote }

const ANSWER_MS = 2_000

/** Looks whether a daemon runs. */
export async function findDaemon(home: string, answerMs = ANSWER_MS): Promise<Presence> {
  const note = readNote(home)
  const health = await healthOf(socketFile(home), answerMs)
  if (health !== undefined) return { is: 'running', health, note: note?.pid === health.pid ? note : undefined }
  if (note !== undefined && isAlive(note.pid) && isDaemon(note.pid)) return { is: 'silent', note }
  return { is: 'absent' }
}

/** Says who runs, for others to find. False when somebody else was faster. */
export function takePlace(home: string, note: DaemonNote): boolean {
  try {
    writeFileSync(pidFile(home), JSON.stringify(note), { flag: 'wx', mode: 0o600 })
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  }
}

/** The same for one who has the place already. */
export function updatePlace(home: string, note: DaemonNote): void {
  writeFileSync(pidFile(home), JSON.stringify(note), { mode: 0o600 })
}

/** Clears away what a daemon left behind. */
export function clearPlace(home: string): void {
  rmSync(pidFile(home), { force: true })
  rmSync(socketFile(home), { force: true })
}

/** Is this note still ours? Another may have taken over from one that hung. */
export function isOurPlace(home: string): boolean {
  return readNote(home)?.pid === process.pid
}

function readNote(home: string): DaemonNote | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(pidFile(home), 'utf8'))
    return isRecord(note) && typeof note.pid === 'number' ? (note as unknown as DaemonNote) : undefined
  } catch {
    // None, or one that was never finished: then nobody is known.
    return undefined
  }
}

// The number of a dead process is given to others. Where nothing tells, it counts as ours.
function isDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve')
  } catch {
    return process.platform !== 'linux'
  }
}

function healthOf(socketPath: string, timeout: number): Promise<HealthView | undefined> {
  return new Promise((resolve) => {
    const asked = get({ socketPath, path: '/health', timeout, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('close', () => resolve(readHealth(text)))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve(undefined))
  })
}

function readHealth(text: string): HealthView | undefined {
  try {
    const health: unknown = JSON.parse(text)
    return isRecord(health) && health.ok === true ? (health as unknown as HealthView) : undefined
  } catch {
    return undefined
  }
}
