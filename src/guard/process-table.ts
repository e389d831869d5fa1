// Reads the system's table of processes: who started whom, when, and with what command line and environment. On Linux
// from /proc, on macOS from one call of ps. A process that cannot be read is undefined; this module decides nothing.

import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync, statSync } from 'node:fs'

/** A process, known again although its number may be given to another one. */
export interface ProcessEntry {
  readonly pid: number
  readonly parent: number
  readonly group: number
  readonly session: number
  /** The number of the controlling terminal; 0 without one. */
  readonly tty: number
  /** When it began, as the system counts. Equal pid and start: the same process. */
  readonly start: string
  /** Set for a process that has ended and that its parent has not collected yet. */
  readonly hasEnded?: true
}

/** The same with all that the system shows of it. */
export interface ProcessDetails extends ProcessEntry {
  /** The short name of the program, as the system shows it. */
  readonly program: string
  /** The path of the executable file, where it can be read. */
  readonly exe: string | undefined
  readonly args: readonly string[]
  readonly uid: number | undefined
  /** `NAME=value` entries as they were when the program started; undefined where they cannot be read. */
  readonly environment: readonly string[] | undefined
}

/** The processes of this machine. */
export interface ProcessTable {
  read(pid: number): ProcessDetails | undefined
  pids(): readonly number[]
}

/** The table of this system; undefined where there is none to read. */
export function openProcessTable(): ProcessTable | undefined {
  if (process.platform === 'linux') return readProcess(process.pid) === undefined ? undefined : LINUX
  return process.platform === 'win32' ? undefined : readPsSnapshot()
}

/** One process with a single cheap read; undefined when it is gone, or on another system than Linux. */
export function readProcess(pid: number): ProcessEntry | undefined {
  try {
    return parseStat(pid, readFileSync(`/proc/${pid}/stat`, 'latin1'))
  } catch {
    // Gone between the listing and the read, or no /proc.
    return undefined
  }
}

/** The pids in the table of Linux; empty elsewhere. */
export function listPids(): readonly number[] {
  try {
    return readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? [Number(name)] : []))
  } catch {
    // Another system.
    return []
  }
}

/** Is this the same process as before? Only Linux can tell; elsewhere a process that lives counts as the same. */
export function isSameProcess(pid: number, start: string | undefined): boolean {
  if (process.platform !== 'linux') return true
  const now = readProcess(pid)
  return now !== undefined && (start === undefined || now.start === start)
}

/** Did the first begin before the second, or at the same time? */
export function isOlder(one: Pick<ProcessEntry, 'start'>, other: Pick<ProcessEntry, 'start'>): boolean {
  return Number(one.start) <= Number(other.start)
}

/** The terminal's name, such as `pts/3`; undefined without one. */
export function ttyName(tty: number): string | undefined {
  if (tty === 0) return undefined
  const major = (tty >> 8) & 0xfff
  const minor = (tty & 0xff) | ((tty >> 12) & 0xfff00)
  return major >= 136 && major <= 143 ? `pts/${(major - 136) * 256 + minor}` : `tty ${major}:${minor}`
}

/** The command line of a process on Linux. */
export function readArgs(pid: number): readonly string[] {
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
      args: readArgs(pid),
      uid: statSync(`/proc/${pid}`).uid,
      environment: readProcFile(pid, 'environ')?.split('\0'),
    }
  } catch {
    // It ended meanwhile.
    return undefined
  }
}

// `pid (name) state parent group session tty … start …`; the name may hold anything, also brackets.
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
    // Of another user, or gone.
    return undefined
  }
}

function readLinkTarget(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    // Of another user, or gone.
    return undefined
  }
}

const PS_LINE = /^\s*(\d+)\s+(\d+)\s+(\d+)\s+(\d+)\s+(\S+)\s+(\w+\s+\w+\s+\d+\s+[\d:]+\s+\d+)\s+(.*)$/
const PS_MS = 5_000

// macOS and others: one listing for one question. The environment and the session are not shown there.
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
    // No ps, or none that can do this.
    return undefined
  }
}

// Names of terminals only have to be told apart.
function hashName(name: string): number {
  let hash = 1
  for (const character of name) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 1_000_003
  return hash + 1
}
