// The life of a daemon's process: one per home, found by its socket, ended by a signal. What a dead one left behind is
// cleared away; what a living one holds is not.

import { linkSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { get } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { isRecord } from '../../engine/plain-data.ts'
import { isSameProcess, readProcess } from '../../guard/process-table.ts'
import type { HealthView } from '../../protocol/messages.ts'
import { isAlive } from '../hook-call/dedupe.ts'
import { pidFile, socketFile } from './paths.ts'
import { type DaemonNote, holderOf, isDaemon, isDaemonForSure, readNote, readNoteIn } from './pid-file.ts'

/** What is known of the daemon of a home. */
export type Presence =
  | { readonly is: 'absent' }
  | { readonly is: 'running'; readonly health: HealthView; readonly note: DaemonNote | undefined }
  /** Its process lives and does not answer. */
  | { readonly is: 'silent'; readonly note: DaemonNote }

const ANSWER_MS = 2_000
const LOOK_MS = 25

/** Looks whether a daemon runs. */
export async function findDaemon(home: string, answerMs = ANSWER_MS): Promise<Presence> {
  const note = readNote(home)
  const health = await healthOf(socketFile(home), answerMs)
  if (health !== undefined) return { is: 'running', health, note: note?.pid === health.pid ? note : undefined }
  const holder = holderOf(home)
  return holder === undefined ? { is: 'absent' } : { is: 'silent', note: holder }
}

/** The process of a daemon that runs or is silent; undefined when the process with its number is another program. */
export function processOf(presence: Exclude<Presence, { is: 'absent' }>): DaemonProcess | undefined {
  const found = presence.is === 'running' ? (presence.note ?? { pid: presence.health.pid }) : presence.note
  return isDaemonForSure(found) ? { pid: found.pid, start: readProcess(found.pid)?.start } : undefined
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
    if (!isAlive(pid) || !isSameProcess(pid, start)) return true
  }
  return false
}

/** Says who runs, for others to find. False when somebody else was faster. */
export function takePlace(home: string, note: DaemonNote): boolean {
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
export function clearStaleNote(home: string): void {
  const file = pidFile(home)
  const aside = `${file}.stale-${process.pid}`
  try {
    renameSync(file, aside)
    const note = readNoteIn(aside)
    if (note !== undefined && isAlive(note.pid) && isDaemon(note)) linkSync(aside, file)
  } catch (error) {
    // Somebody else was faster, at either.
    const { code } = error as NodeJS.ErrnoException
    if (code !== 'ENOENT' && code !== 'EEXIST') throw error
  } finally {
    rmSync(aside, { force: true })
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
