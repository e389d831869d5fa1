// Reads the process table: parents, start times, command lines and environments. On Linux
// from /proc, on macOS from one call of ps. An unreadable process is undefined; this module makes no decision.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/** A process, identified by pid and start time, because pids are reused. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The number of the controlling terminal; 0 without a terminal. */
  readonly tty: number
  /** The start time in system units. Equal pid and start mean the same process. */
  readonly start: string
  /** Set for a zombie. */
  readonly hasEnded?: true
}

/** A process with its details. */
export interface ProcessDetails extends ProcessEntry {
  /** The short program name of the system. */
  readonly program: string
  /** The path of the executable, when it is readable. */
  readonly exe: string | undefined
  readonly args: readonly string[]
  readonly uid: number | undefined
  /** `NAME=value` entries at program start; undefined when they are unreadable. */
  readonly environment: readonly string[] | undefined
}

/** The processes of this machine. */
export interface ProcessTable {
  read(pid: number): ProcessDetails | undefined
  pids(): readonly number[]
}

/** The process table of this system; undefined when it is unreadable. */
export function openProcessTable(): ProcessTable | undefined {
  if (process.platform === 'linux') return readProcess(process.pid) === undefined ? undefined : LINUX
  return process.platform === 'win32' ? undefined : readPsSnapshot()
}

/** One process with a single cheap read; undefined when it has ended, and on systems other than Linux. */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    // Ended between the listing and the read, or no /proc.
    return undefined
  }
}

/** All pids on Linux; empty on other systems. */
export function listPids(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    // Another system.
    return []
  }
}

/** Whether the pid still belongs to the same process. On systems other than Linux a live pid counts as the same process. */
export function isSameProcess(pid: number, start: string | undefined): boolean {
  if (process.platform !== 'linux') return true
  const now = readProcess(pid)
  return now !== undefined && (start === undefined || now.start === start)
}

/** Whether the first process started before the second, or at the same time. */
export function isOlder(one: Pick<ProcessEntry, 'start'>, other: Pick<ProcessEntry, 'start'>): boolean {
  return Number(one.start) <= Number(other.start)
}

/** The terminal's name, such as `pts/3`; undefined without a terminal. */
export function ttyName(tty: number): string | undefined {
  if (tty === 0) return undefined
  const major = (tty >> 8) & 0xfff
  const minor = (tty & 0xff) | ((tty >> 12) & 0xfff00)
  return major >= 136 && major <= 143 ? `pts/${(major - 136) * 256 + minor}` : `tty ${major}:${minor}`
}

/** The command line of a process on Linux. */
export function readProcessArgs(pid: number): readonly string[] {
  return readProcFile(pid, 'cmdline')?.split('\0').slice(0, -1) ?? []
}

const LINUX: ProcessTable = { read: readDetails, pids: listPids }

function readDetails(pid: number): ProcessDetails | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    return {
      ...parseStat(pid, stat),
      program: stat.slice(stat.indexOf('(') + 1, stat.lastIndexOf(')')),
      exe: readLinkTarget(`/proc/${pid}/exe`),
      args: readProcessArgs(pid),
      uid: statSync(`/proc/${pid}`).uid,
      environment: readProcFile(pid, 'environ')?.split('\0'),
    }
  } catch {
    // Ended in the meantime.
    return undefined
  }
}

// `pid (name) state parent group session tty … start …`; the name may contain parentheses.
function parseStat(pid: number, stat: string): ProcessEntry {
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
  const [, parent, group, session, tty] = fields.map(Number)
  return {
    pid,
    parent: parent ?? 0,
    group: group ?? 0,
    session: session ?? 0,
    tty: tty ?? 0,
    start: fields[19] ?? '',
    ...(/^[ZX]/.test(fields[0] ?? '') && { hasEnded: true }),
  }
}

function readProcFile(pid: number, name: string): string | undefined {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // Belongs to another user, or has ended.
    return undefined
  }
}

function readLinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Belongs to another user, or has ended.
    return undefined
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/
const PS_MS = 5_000

// macOS and others: one ps listing. It has no environment and no session.
function readPsSnapshot(): ProcessTable | undefined {
  const text = runPs()
  if (text === undefined) return undefined
  const all = new Map<number, ProcessDetails>()
  for (const line of text.split('\n')) {
    const [, pid, parent, group, uid, tty = '', began = '', command = ''] = PS_LINE.exec(line) ?? []
    if (pid === undefined) continue
    const args = command.split(' ')
    const path = args[0] ?? ''
    all.set(Number(pid), {
      ...{ pid: Number(pid), parent: Number(parent), group: Number(group), session: 0 },
      tty: /^\?+$|^-$/.test(tty) ? 0 : hashName(tty),
      start: String(Date.parse(began)),
      ...{ program: path.slice(path.lastIndexOf('/') + 1), exe: path, args, uid: Number(uid), environment: undefined },
    })
  }
  return { read: (pid) => all.get(pid), pids: () => [...all.keys()] }
}

function runPs(): string | undefined {
  try {
    const columns = 'pid=,ppid=,pgid=,uid=,tty=,lstart=,command='
    const env = { ...process.env, LC_ALL: 'C' }
    return execFileSync('/bin/ps', ['-axww', '-o', columns], { encoding: 'utf8', timeout: PS_MS, env })
  } catch {
    // No ps, or unsupported options.
    return undefined
  }
}

// Terminal names only need to be distinct numbers.
function hashName(name: string): number {
  let hash = 1
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return hash + 1
}
