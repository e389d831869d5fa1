// The pid file of a home's daemon. Read without a request to the daemon, so that a hook can afford it.

import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { isRecord } from '../../engine/plain-data.ts'
import { openProcessTable, readProcess, readProcessArgs } from '../../guard/process-table.ts'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { pidFile } from './paths.ts'

/** The content of the pid file. */
export interface PidRecord {
  readonly pid: number
  /** The start time of the process in the unit of the system: a pid alone is reused. */
  readonly start?: string | undefined
  readonly url?: string | undefined
  readonly startedAt: number
  /** A hook started the daemon: it ends when idle, and `arc serve` replaces it. */
  readonly isOnDemand?: boolean | undefined
  /** The daemon has no terminal: it is replaced when another build of ARC is installed. */
  readonly isBackground?: boolean | undefined
}

/** The daemon whose process runs, whether or not it answers. */
export function findLiveDaemon(home: string): PidRecord | undefined {
  const record = readPidFile(home)
  return record !== undefined && isProcessAlive(record.pid) && isDaemonProcess(record) ? record : undefined
}

/** Reads the pid file of a home. */
export function readPidFile(home: string): PidRecord | undefined {
  return readPidFileAt(pidFile(home))
}

/** Reads a pid file by its path. */
export function readPidFileAt(file: string): PidRecord | undefined {
  try {
    const record: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(record) && typeof record.pid === 'number' ? (record as unknown as PidRecord) : undefined
  } catch {
    // Missing or incomplete: no daemon is known.
    return undefined
  }
}

/** Pid and start time of this process. */
export function currentProcess(): Pick<PidRecord, 'pid' | 'start'> {
  return { pid: process.pid, start: readProcess(process.pid)?.start }
}

/**
 * Is this process the recorded daemon? Pids are reused, so the start time must be the same; without a recorded start time
 * the command line must be that of a daemon.
 */
export function isDaemonProcess({ pid, start }: Pick<PidRecord, 'pid' | 'start'>): boolean {
  // Hooks call this too: on other systems the check would start a program. Before a signal `isVerifiedDaemon` is used.
  if (process.platform !== 'linux') return true
  if (start === undefined) return isDaemonCommand(readProcessArgs(pid))
  const found = readProcess(pid)
  return found?.start === start && found.hasEnded !== true
}

/** The same on all systems, by the command line if necessary: for use before a signal. */
export function isVerifiedDaemon(found: Pick<PidRecord, 'pid' | 'start'>): boolean {
  if (process.platform === 'linux') return isDaemonProcess(found)
  return isDaemonCommand(openProcessTable()?.read(found.pid)?.args ?? [])
}

function isDaemonCommand(args: readonly string[]): boolean {
  const at = args.indexOf('serve')
  return at > 0 && PROGRAMS.test(basename(args[at - 1] ?? ''))
}

const PROGRAMS = /^(?:arc|arc-supervisor|arc\.(?:js|mjs|cjs|cmd)|main\.(?:js|ts))$/
