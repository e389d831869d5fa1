// Who holds the place of the daemon of a home, by the note in its folder: without a question to it, so that a hook can look.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isRecord } from '../../engine/plain-data.ts'
import { openProcessTable, readArgs, readProcess } from '../../guard/process-table.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { pidFile } from './paths.ts'

/** Who runs. */
export interface PidRecord {
  readonly pid: number
  /** When the process began, as the system counts: the number alone is given to others later. */
  readonly start?: string | undefined
  readonly url?: string | undefined
  readonly startedAt: number
  /** A hook started it: it ends by itself, and gives way to a person. */
  readonly isOnDemand?: boolean | undefined
}

/** The daemon whose process lives, whether or not it answers. */
export function findLiveDaemon(home: string): PidRecord | undefined {
  const note = readPidFile(home)
  return note !== undefined && isProcessAlive(note.pid) && isDaemonProcess(note) ? note : undefined
}

/** What the note of a home says. */
export function readPidFile(home: string): PidRecord | undefined {
  return readPidFileAt(pidFile(home))
}

/** The same for a note in any place. */
export function readPidFileAt(file: string): PidRecord | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(note) && typeof note.pid === 'number' ? (note as unknown as PidRecord) : undefined
  } catch {
    // None, or one that was never finished: then nobody is known.
    return undefined
  }
}

/** This process, for a note. */
export function currentProcess(): Pick<PidRecord, 'pid' | 'start'> {
  return { pid: process.pid, start: readProcess(process.pid)?.start }
}

/**
 * Is this process the daemon that was noted? The number of a dead one is given to others, so its start has to be the same;
 * where no start was noted, its command line has to be that of a daemon.
 */
export function isDaemonProcess({ pid, start }: Pick<PidRecord, 'pid' | 'start'>): boolean {
  // A hook asks this too: elsewhere it would cost a program. Before a signal it is looked up all the same.
  if (process.platform !== 'linux') return true
  if (start === undefined) return isDaemonCommand(readArgs(pid))
  const found = readProcess(pid)
  return found?.start === start && found.hasEnded !== true
}

/** The same with the command line in any case: before a process is sent a signal. */
export function isVerifiedDaemon(found: Pick<PidRecord, 'pid' | 'start'>): boolean {
  if (process.platform === 'linux') return isDaemonProcess(found)
  return isDaemonCommand(openProcessTable()?.read(found.pid)?.args ?? [])
}

function isDaemonCommand(args: readonly string[]): boolean {
  const at = args.indexOf('serve')
  return at > 0 && PROGRAMS.test(basename(args[at - 1] ?? ''))
}

const PROGRAMS = /^(?:arc|arc-supervisor|arc\.(?:js|mjs|cjs|cmd)|main\.(?:js|ts))$/
