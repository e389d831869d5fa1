// Managed mode: home, package and daemon belong to a system user, and a marker file contains their paths. This module reads
// the marker and checks owners and modes. It changes nothing; `arc setup --managed` writes.

import { lstatSync, readFileSync, realpathSync, type Stats } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'

/** The content of the marker file. */
export interface ManagedInstall {
  readonly version: 1
  /** `/`, or a root folder for all system paths (for tests and images). */
  readonly root: string
  /** The home of the daemon: configuration, trace, state. Only the system user can access it. */
  readonly home: string
  /** The copy of the package, owned by root. */
  readonly prefix: string
  /** The program in the hosts' configuration, owned by root. */
  readonly launcher: string
  /** The Node for daemon, launcher and commands. */
  readonly node: string
  /** The folder of both sockets; created at each start. */
  readonly run: string
  /** For everyone: hook calls, health and status only. */
  readonly socket: string
  /** For the group of approvers only. */
  readonly control: string
  readonly user: string
  readonly uid: number
  readonly group: string
  readonly gid: number
  /** The systemd unit; null without systemd. */
  readonly unit: string | null
  /** What setup created, so that its removal is complete. */
  readonly made: CreatedBySetup
}

/** What setup created and must remove. */
interface CreatedBySetup {
  readonly user: boolean
  readonly group: boolean
  /** The link to the command, if setup created one. */
  readonly link: string | null
  /** Agents whose system-wide configuration has ARC's lines. */
  readonly hosts: readonly string[]
}

/** The fixed system paths below a root. */
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

/** Sets another root than `/`. A marker is valid only if root owns it, so the variable cannot point to a forged marker. */
export const ROOT_VARIABLE = 'ARC_MANAGED_ROOT'

/** The managed installation of this machine; undefined if there is none. */
export function readManagedInstall(root = process.env[ROOT_VARIABLE] || '/'): ManagedInstall | undefined {
  const { marker } = systemPaths(resolve(root))
  let text: string
  try {
    text = readFileSync(marker, 'utf8')
  } catch {
    // There is no marker. A valid marker is world-readable.
    return undefined
  }
  return findForeignWriters(marker).length === 0 ? parse(text) : undefined
}

/**
 * Users other than root that could replace this file or folder: a line for each part of its path that another user owns or can write
 * to. Empty means only root.
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

/** The permission bits in octal. */
export function formatMode({ mode }: Pick<Stats, 'mode'>): string {
  return (mode & 0o7777).toString(8).padStart(4, '0')
}

// In a sticky folder such as /tmp, other users cannot rename or delete files of root.
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
    // `arc doctor` reports a damaged marker.
    return undefined
  }
}

const TEXTS = ['home', 'prefix', 'launcher', 'node', 'run', 'socket', 'control', 'user', 'group'] as const
