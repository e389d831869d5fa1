// The checks of `arc doctor` on a managed machine: owners and permissions. Read-only; works for every account, since
// nothing inside the home is needed.

import { lstatSync, readdirSync, type Stats } from 'node:fs'
import { userInfo } from 'node:os'
import { join } from 'node:path'
import { findForeignWriters, formatMode, type ManagedInstall, systemPaths } from '../../../guard/managed-install.ts'
import type { Check } from '../../../hosts/check.ts'
import { requestManaged } from '../../managed-client.ts'
import { findGroup } from '../setup/accounts.ts'
import { findSystemFile, hasSystemHooks } from '../setup/system-hooks.ts'

const FIX = 'sudo arc setup --managed'

/** Lists the checks of a managed machine. */
export async function managedChecks(managed: ManagedInstall): Promise<Check[]> {
  const { root, home, prefix, launcher, node, unit, user, made } = managed
  const marker = systemPaths(root).marker
  return [
    { name: 'managed', ok: true, detail: `by ${user}, home ${home}, package ${prefix}` },
    rootOnly('managed: marker', [marker]),
    rootOnly('managed: package', [prefix, ...below(prefix)]),
    rootOnly('managed: launcher', [launcher]),
    rootOnly('managed: node', [node]),
    ...(unit === null ? [] : [rootOnly('managed: unit', [unit])]),
    homeCheck(managed),
    ...socketChecks(managed),
    await daemonCheck(managed),
    approverCheck(managed),
    ...made.hosts.map((host) => hostCheck(host, managed)),
  ]
}

function rootOnly(name: string, paths: readonly string[]): Check {
  const [first = ''] = paths
  for (const path of paths) {
    const [writer] = findForeignWriters(path)
    if (writer !== undefined) return { name, ok: false, detail: writer, fix: FIX }
  }
  return { name, ok: true, detail: `only root can change ${first}` }
}

// Files with another owner or mode; the parent folders are checked with the first path.
function below(folder: string): string[] {
  try {
    return readdirSync(folder, { recursive: true, encoding: 'utf8' }).flatMap((name) => {
      const path = join(folder, name)
      const stats = lstatSync(path)
      return stats.uid === 0 && (stats.mode & 0o022) === 0 ? [] : [path]
    })
  } catch {
    // Not readable: writersOf reports the reason.
    return [folder]
  }
}

function homeCheck({ home, user, uid }: ManagedInstall): Check {
  const name = 'managed: home'
  const stats = lstatSync(home, { throwIfNoEntry: false })
  if (stats === undefined) return { name, ok: false, detail: `${home} does not exist`, fix: FIX }
  return expectOwner({ name, path: home, stats, uid, user, modes: ['0700'] })
}

function socketChecks({ run, socket, control, user, uid, group, gid }: ManagedInstall): Check[] {
  const expected = [
    { path: run, modes: ['0755'] },
    { path: socket, modes: ['0666'] },
    { path: control, modes: ['0660'] },
  ]
  return expected.map(({ path, modes }) => {
    const name = `managed: ${path}`
    const stats = lstatSync(path, { throwIfNoEntry: false })
    if (stats === undefined) return { name, ok: false, detail: 'does not exist: the daemon is not running', fix: START }
    if (path === control && stats.gid !== gid) {
      return { name, ok: false, detail: `has group ${stats.gid}, expected ${group}`, fix: START }
    }
    return expectOwner({ name, path, stats, uid, user, modes })
  })
}

const START = 'sudo systemctl restart arc, or without systemd: sudo arc serve --background'

interface Expected {
  readonly name: string
  readonly path: string
  readonly stats: Stats
  readonly uid: number
  readonly user: string
  readonly modes: readonly string[]
}

function expectOwner({ name, path, stats, uid, user, modes }: Expected): Check {
  const mode = formatMode(stats)
  if (stats.uid === uid && modes.includes(mode)) return { name, ok: true, detail: `${path}: ${user}, ${mode}` }
  const detail = `${path} has owner ${stats.uid} and mode ${mode}; expected ${user} and ${modes.join(' or ')}`
  return { name, ok: false, detail, fix: FIX }
}

async function daemonCheck({ socket }: ManagedInstall): Promise<Check> {
  const name = 'managed: daemon'
  try {
    const health = (await requestManaged({ socket, path: '/health' })) as { pid: number; version: string }
    return { name, ok: true, detail: `answers as process ${health.pid}, version ${health.version}` }
  } catch (error) {
    return { name, ok: false, detail: error instanceof Error ? error.message : String(error), fix: START }
  }
}

// An account that runs agents must not be an approver.
function approverCheck({ group, user }: ManagedInstall): Check {
  const name = 'managed: approvers'
  const members = (findGroup(group)?.members ?? []).filter((one) => one !== user)
  const own = userInfo().username
  const who = members.length === 0 ? 'only root' : members.join(', ')
  const warning = members.includes(own) ? `; do not run agents as ${own}: they could approve` : ''
  return { name, ok: true, detail: `${who} (group ${group})${warning}` }
}

function hostCheck(host: string, { root, launcher }: ManagedInstall): Check {
  const name = `managed: ${host}`
  const path = findSystemFile(host, root)?.path ?? host
  if (!hasSystemHooks(host, root, launcher)) {
    return { name, ok: false, detail: `${path} lacks ARC's hooks`, fix: `${FIX} --hosts ${host}` }
  }
  return rootOnly(name, [path])
}
