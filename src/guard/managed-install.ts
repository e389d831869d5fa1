// Managed mode: home, package and daemon belong to a system user, and a marker file says where they are. This module reads
// the marker and checks owners and modes. It changes nothing; `arc setup --managed` writes.

import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'

/** What the marker file says about this machine. */
export interface ManagedInstall {
  readonly version: 1
  /** `/`, or the folder that all system paths are below (for tests and images). */
  readonly root: string
  /** The home of the daemon: configuration, record, state. Only the system user can enter it. */
  readonly home: string
  /** The copy of the package, owned by root. */
  readonly prefix: string
  /** The program in the hosts' configuration, owned by root. */
  readonly launcher: string
  /** The Node that runs daemon, launcher and commands. */
  readonly node: string
  /** The folder of both sockets; made at each start. */
  readonly run: string
  /** For everyone: hook calls, health and status only. */
  readonly socket: string
  /** For the group of approvers only. */
  readonly control: string
  readonly user: string
  readonly uid: number
  readonly group: string
  readonly gid: number
  /** The systemd unit; null where there is no systemd. */
  readonly unit: string | null
  /** What setup made beside the above, so that its removal leaves nothing behind and takes nothing else. */
  readonly made: CreatedBySetup
}

/** What setup created and has to remove again. */
interface CreatedBySetup {
  readonly user: boolean
  readonly group: boolean
  /** The link to the command, if setup made one. */
  readonly link: string | null
  /** Agents whose system-wide configuration has ARC's lines. */
  readonly hosts: readonly string[]
}

/** The system paths that are not options, below a root. */
export function systemPaths(root: string) {
  return {
    marker: join(root, 'etc/arc/managed.json'),
    run: join(root, 'run/arc'),
    prefix: join(root, 'usr/local/lib/arc-supervisor'),
    home: join(root, 'var/lib/arc'),
    unit: join(root, 'etc/systemd/system/arc.service'),
    link: join(root, 'usr/local/bin/arc'),
  }
}

/** Names another root than `/`. A marker counts only when root owns it, so the variable cannot point to a forged one. */
export const ROOT_VARIABLE = 'ARC_MANAGED_ROOT'

/** The managed installation of this machine; undefined where there is none. */
export function readManagedInstall(root = process.env[ROOT_VARIABLE] || '/'): ManagedInstall | undefined {
  const { marker } = systemPaths(resolve(root))
  let text: string
  try {
    text = readFileSync(marker, 'utf8')
  } catch {
    // Not there, which is the usual case, or not readable: a marker is readable for everyone.
    return undefined
  }
  return findForeignWriters(marker).length === 0 ? parse(text) : undefined
}

/**
 * Who beside root could replace this file or folder: a line for each part of its path that another account owns or can write
 * to. Empty means that only root can.
 */
export function findForeignWriters(path: string): string[] {
  const found: string[] = []
  for (const part of listParents(resolveReal(path))) {
    const stats = lstatSync(part, { throwIfNoEntry: false })
    if (stats === undefined) found.push(`${part} does not exist`)
    else if (stats.uid !== 0) found.push(`${part} belongs to user ${stats.uid}`)
    else if (isOpenToOthers(stats)) found.push(`${part} can be written by others (mode ${formatMode(stats)})`)
  }
  return found
}

/** The permission bits as people write them. */
export function formatMode({ mode }: Pick<Stats, 'mode'>): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

// In a sticky folder such as /tmp nobody can rename or delete what belongs to root.
function isOpenToOthers(stats: Stats): boolean {
  const isSticky = stats.isDirectory() && (stats.mode & 0o1000) !== 0
  return (stats.mode & 0o022) !== 0 && !isSticky && !stats.isSymbolicLink()
}

function listParents(path: string): string[] {
  const parts = [path]
  for (let at = path; dirname(at) !== at; at = dirname(at)) parts.push(dirname(at))
  return parts
}

function resolveReal(path: string): string {
  try {
    return realpathSync(path)
  } catch {
    return resolve(path)
  }
}

function parse(text: string): ManagedInstall | undefined {
  try {
    const value: unknown = JSON.parse(text)
    const isWhole = isRecord(value) && value.version === 1 && TEXTS.every((key) => typeof value[key] === 'string')
    return isWhole && typeof value.uid === 'number' ? (value as unknown as ManagedInstall) : undefined
  } catch {
    // Only root writes it, whole; a damaged one is reported by `arc doctor`.
    return undefined
  }
}

const TEXTS = ['home', 'prefix', 'launcher', 'node', 'run', 'socket', 'control', 'user', 'group'] as const
