// The life of a daemon's process: one per home, found by its socket, ended by a signal. What a dead one left behind is
// cleared away; what a living one holds is not.

import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { ArcError } from '../../engine/errors.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { isSameProcess, readProcess } from '../../guard/process-table.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import type { HealthView } from '../../protocol/messages.ts'
import { pidFile, socketFile } from './paths.ts'
import {
  currentProcess,
  findLiveDaemon,
  isDaemonProcess,
  isVerifiedDaemon,
  type PidRecord,
  readPidFile,
  readPidFileAt,
} from './pid-file.ts'

/** What is known of the daemon of a home. */
export type DaemonPresence =
  | { readonly is: 'absent' }
  | { readonly is: 'running'; readonly health: HealthView; readonly note: PidRecord | undefined }
  /** Its process lives and does not answer. */
  | { readonly is: 'silent'; readonly note: PidRecord }

const ANSWER_MS = 2_000
const LOOK_MS = 25

/** Looks whether a daemon runs. */
export async function findDaemon(home: string, answerMs = ANSWER_MS): Promise<DaemonPresence> {
  const note = readPidFile(home)
  const health = await healthOf(socketFile(home), answerMs)
  if (health !== undefined) return { is: 'running', health, note: note?.pid === health.pid ? note : undefined }
  const holder = findLiveDaemon(home)
  return holder === undefined ? { is: 'absent' } : { is: 'silent', note: holder }
}

/** The process of a daemon that runs or is silent; undefined when the process with its number is another program. */
export function findDaemonProcess(presence: Exclude<DaemonPresence, { is: 'absent' }>): DaemonProcess | undefined {
  const found = presence.is === 'running' ? (presence.note ?? { pid: presence.health.pid }) : presence.note
  return isVerifiedDaemon(found) ? { pid: found.pid, start: readProcess(found.pid)?.start } : undefined
}

/** A process that may be sent a signal: its number and its start. */
export interface DaemonProcess {
  readonly pid: number
  readonly start: string | undefined
}

/** Ends a process and waits until it is gone; false when it is still there after so long. Never signals another one. */
export async function endProcess(
  { pid, start }: DaemonProcess,
  signal: 'SIGTERM' | 'SIGKILL',
  waitMs: number,
): Promise<boolean> {
  if (!isSameProcess(pid, start)) return true
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
    throw error
  }
  for (const until = Date.now() + waitMs; Date.now() < until; await sleep(LOOK_MS)) {
    if (!isProcessAlive(pid) || !isSameProcess(pid, start)) return true
  }
  return false
}

const STARTING_MS = 10_000
const CLAIM_RETRY_MS = 50

/** Creates the pid file of a home; returns the presence of another daemon if there is one. */
export async function claimHome(
  home: string,
  { isOnDemand }: { readonly isOnDemand: boolean },
): Promise<DaemonPresence | undefined> {
  const own = { ...currentProcess(), startedAt: Date.now(), isOnDemand }
  for (const until = Date.now() + STARTING_MS; Date.now() < until; await sleep(CLAIM_RETRY_MS)) {
    const presence = await findDaemon(home)
    // A daemon that has just started will answer soon.
    const isStarting = presence.is === 'silent' && Math.abs(Date.now() - presence.note.startedAt) < STARTING_MS
    if (isStarting) continue
    if (presence.is !== 'absent') return presence
    if (createPidFile(home, own)) return undefined
    if ((await findDaemon(home)).is === 'absent') removeStalePidFile(home)
  }
  throw new ArcError('ARC_DAEMON_FAILED', 'Another daemon is starting right now.')
}

/** Creates the pid file; false if another process was faster. */
function createPidFile(home: string, note: PidRecord): boolean {
  const file = pidFile(home)
  const fresh = `${file}.${process.pid}`
  // Whole from the first moment: an empty note would look like one that a dead process left.
  writeFileSync(fresh, JSON.stringify(note), { mode: 0o600 })
  try {
    linkSync(fresh, file)
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error
    return false
  } finally {
    rmSync(fresh, { force: true })
  }
}

/** Removes a note that a dead process left, and no other: somebody may have taken the place meanwhile. */
function removeStalePidFile(home: string): void {
  const file = pidFile(home)
  const aside = `${file}.stale-${process.pid}`
  try {
    renameSync(file, aside)
    const note = readPidFileAt(aside)
    if (note !== undefined && isProcessAlive(note.pid) && isDaemonProcess(note)) linkSync(aside, file)
  } catch (error) {
    // Somebody else was faster, at either.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** The same for one who has the place already. */
export function updatePidFile(home: string, note: PidRecord): void {
  writeFileSync(pidFile(home), JSON.stringify(note), { mode: 0o600 })
}

/** Clears away what a daemon left behind. */
export function removeRunFiles(home: string): void {
  rmSync(pidFile(home), { force: true })
  rmSync(socketFile(home), { force: true })
}

/** Is this note still ours? Another may have taken over from one that hung. */
export function ownsPidFile(home: string): boolean {
  return readPidFile(home)?.pid === process.pid
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
