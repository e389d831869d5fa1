// The list of agent configurations that `arc install` wrote, stored in the home. The guarded paths, the fail-closed
// switch and `arc doctor` read it. A list that cannot be read counts as empty; a write replaces the file whole.

import { randomUUID } from 'node:crypto'
import { mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'

/** One `arc install`: a host and its target. */
export interface Install {
  readonly host: string
  readonly scope: 'user' | 'project'
  /** The user's home folder, or the project's folder. */
  readonly dir: string
  /** The files that ARC wrote to, as absolute paths. */
  readonly files: readonly string[]
  /** Whether the host stops the action when the hook fails. */
  readonly failClosed: boolean
  /** Set with --fail-closed, for every mode. */
  readonly isForced?: boolean
  /** The environment variables with the configuration paths of the host, at install time. */
  readonly env?: Readonly<Record<string, string>>
  /** ISO time. */
  readonly at: string
}

/** The file of the list. */
export function installsFile(home: string): string {
  return join(home, 'installs.json')
}

/** All installs of a home, oldest first. */
export function readInstalls(home: string): readonly Install[] {
  try {
    const list: unknown = JSON.parse(readFileSync(installsFile(home), 'utf8'))
    const installs = isRecord(list) && Array.isArray(list.installs) ? list.installs : []
    return installs.filter(isInstall)
  } catch {
    // No list yet, or an unreadable list: empty.
    return []
  }
}

/** Adds an install. Replaces an install of the same host and target. */
export function addInstall(home: string, install: Install): void {
  write(home, [...withoutTarget(readInstalls(home), install), install])
}

/** Removes the install of a host at a target. */
export function removeInstall(home: string, target: Pick<Install, 'host' | 'scope' | 'dir'>): void {
  const before = readInstalls(home)
  const after = withoutTarget(before, target)
  if (after.length < before.length) write(home, after)
}

function withoutTarget(installs: readonly Install[], target: Pick<Install, 'host' | 'scope' | 'dir'>): Install[] {
  return installs.filter(({ host, scope, dir }) => host !== target.host || scope !== target.scope || dir !== target.dir)
}

function write(home: string, installs: readonly Install[]): void {
  const file = installsFile(home)
  mkdirSync(dirname(file), { recursive: true, mode: 0o700 })
  const draft = `${file}.${randomUUID()}`
  try {
    writeFileSync(draft, `${JSON.stringify({ version: 1, installs }, null, 2)}\n`, { mode: 0o600, flag: 'wx' })
    renameSync(draft, file)
  } catch (error) {
    rmSync(draft, { force: true })
    throw error
  }
}

function isInstall(value: unknown): value is Install {
  if (!isRecord(value)) return false
  const { host, dir, files } = value
  const isList = Array.isArray(files) && files.every((file) => typeof file === 'string')
  return typeof host === 'string' && typeof dir === 'string' && isList
}
