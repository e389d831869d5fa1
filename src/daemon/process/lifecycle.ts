// The daemon process of a home: found by its socket or pid file, ended by a signal. Files of a dead daemon are removed,
// files of a live daemon are not.

import { existsSync, linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
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

/** The state of the daemon of a home. */
export type DaemonPresence =
  | { readonly is: 'absent' }
  | { readonly is: 'running'; readonly health: HealthView; readonly record: PidRecord | undefined }
  /** The process runs and does not answer. */
  | { readonly is: 'silent'; readonly record: PidRecord }

const ANSWER_MS = 2_000
const POLL_MS = 25
// Two checks of the daemon and some time for a busy machine.
const LISTENS_AGAIN_MS = 10_000

/** Finds the daemon of a home. Waits for a daemon that lost its socket: it listens again within seconds. */
export async function findDaemon(home: string, answerMs = ANSWER_MS): Promise<DaemonPresence> {
  for (const until = Date.now() + LISTENS_AGAIN_MS; ; await sleep(POLL_MS)) {
    // Before the request: a socket that is created meanwhile was not asked.
    const hasSocket = existsSync(socketFile(home))
    const presence = await lookForDaemon(home, answerMs)
    if (presence.is !== 'silent' || hasSocket || Date.now() > until) return presence
  }
}

async function lookForDaemon(home: string, answerMs: number): Promise<DaemonPresence> {
  const record = readPidFile(home)
  const health = await requestHealth(socketFile(home), answerMs)
  if (health !== undefined) return { is: 'running', health, record: record?.pid === health.pid ? record : undefined }
  const live = findLiveDaemon(home)
  return live === undefined ? { is: 'absent' } : { is: 'silent', record: live }
}

/** The process of a running or silent daemon; undefined if its pid belongs to another program. */
export function findDaemonProcess(presence: Exclude<DaemonPresence, { is: 'absent' }>): DaemonProcess | undefined {
  const found = presence.is === 'running' ? (presence.record ?? { pid: presence.health.pid }) : presence.record
  return isVerifiedDaemon(found) ? { pid: found.pid, start: readProcess(found.pid)?.start } : undefined
}

/** A process that may be signalled: its pid and its start time. */
export interface DaemonProcess {
  readonly pid: number
  readonly start: string | undefined
}

/** Ends a process and waits for its end; false if it still runs after `waitMs`. Never signals another process. */
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
  for (const until = Date.now() + waitMs; Date.now() < until; await sleep(POLL_MS)) {
    if (!isProcessAlive(pid) || !isSameProcess(pid, start)) return true
  }
  return false
}

/** A daemon answers within this time after its start. */
export const STARTING_MS = 10_000
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
    const isStarting = presence.is === 'silent' && Math.abs(Date.now() - presence.record.startedAt) < STARTING_MS
    if (isStarting) continue
    if (presence.is !== 'absent') return presence
    if (createPidFile(home, own)) return undefined
    if ((await findDaemon(home)).is === 'absent') removeStalePidFile(home)
  }
  throw new ArcError('ARC_DAEMON_FAILED', 'Another daemon is starting right now.')
}

/** Creates the pid file; false if another process was faster. */
export function createPidFile(home: string, record: PidRecord): boolean {
  const file = pidFile(home)
  const fresh = `${file}.${process.pid}`
  // Linked when complete: an empty pid file would look like a leftover.
  writeFileSync(fresh, JSON.stringify(record), { mode: 0o600 })
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

/**
 * Removes the pid file of a dead process. Another process may have created its own meanwhile: that one stays, unless the
 * caller knows that it is no daemon.
 */
export function removeStalePidFile(
  home: string,
  { isOthersKept = true }: { readonly isOthersKept?: boolean } = {},
): void {
  const file = pidFile(home)
  const aside = `${file}.stale-${process.pid}`
  try {
    renameSync(file, aside)
    const record = readPidFileAt(aside)
    const isOthers = record !== undefined && isProcessAlive(record.pid) && isDaemonProcess(record)
    if (isOthersKept && isOthers) linkSync(aside, file)
  } catch (error) {
    // Another process was faster.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
  }
}

/** Overwrites the pid file of this process. */
export function updatePidFile(home: string, record: PidRecord): void {
  writeFileSync(pidFile(home), JSON.stringify(record), { mode: 0o600 })
}

/** Removes the pid file and the socket. */
export function removeRunFiles(home: string): void {
  rmSync(pidFile(home), { force: true })
  rmSync(socketFile(home), { force: true })
}

/** Does the pid file name this process? Another daemon may have replaced one that hung. */
export function ownsPidFile(home: string): boolean {
  return readPidFile(home)?.pid === process.pid
}

/** Asks the daemon at a socket; undefined without a daemon. */
export function requestHealth(socketPath: string, timeout: number): Promise<HealthView | undefined> {
  return new Promise((resolve) => {
    const sent = get({ socketPath, path: '/health', timeout, agent: false }, (response) => {
      let text = ''
      response.setEncoding('utf8')
      response.on('data', (part: string) => {
        text += part
      })
      response.on('close', () => resolve(parseHealth(text)))
    })
    sent.on('timeout', () => sent.destroy())
    sent.on('error', () => resolve(undefined))
  })
}

function parseHealth(text: string): HealthView | undefined {
  try {
    const health: unknown = JSON.parse(text)
    return isRecord(health) && health.ok === true ? (health as unknown as HealthView) : undefined
  } catch {
    return undefined
  }
}
