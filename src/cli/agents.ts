// The agents of this machine: those found by their program or settings folder, and those with ARC's hooks.

import { accessSync, constants, existsSync, statSync } from 'node:fs'
import { homedir } from 'node:os'
import { delimiter, join, resolve } from 'node:path'
import { readInstalls } from '../guard/installs.ts'
import type { AgentFacts } from '../hosts/facts/agent-facts.ts'
import { AGENT_FACTS, type HostName } from '../hosts/facts/list.ts'
import type { Host } from '../hosts/host.ts'
import { readTexts } from '../hosts/install/apply.ts'
import type { InstallTarget } from '../hosts/install/install-file.ts'
import { findOnDemand } from '../hosts/install/registered-events.ts'
import { HOSTS } from '../hosts/list.ts'
import { arcHome } from '../platform/home.ts'
import { listSettingsFolders } from '../risk/guarded/host-config-paths.ts'
import { context } from './context.ts'

/** An agent of this machine. */
export interface FoundAgent {
  readonly host: Host
  /** Its program, or its settings folder if the program is not in the PATH. */
  readonly path: string
}

/** An agent with ARC's hooks, and the target of the hooks. */
export interface InstalledAgent {
  readonly host: Host
  readonly place: InstallTarget
}

/** Finds the agents of this user by their programs in the PATH and their settings folders. */
export function findAgents(): readonly FoundAgent[] {
  return AGENT_FACTS.flatMap((facts) => {
    const path = facts.programs.map(findInPath).find(Boolean) ?? findFolder(facts)
    return path === undefined ? [] : [{ host: HOSTS[facts.name], path }]
  })
}

function findInPath(name: string): string | undefined {
  const folders = (context().env.PATH ?? '').split(delimiter).filter((folder) => folder !== '')
  const endings = process.platform === 'win32' ? ['.exe', '.cmd', ''] : ['']
  return folders.flatMap((folder) => endings.map((ending) => join(folder, name + ending))).find(isProgram)
}

function isProgram(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return statSync(path).isFile()
  } catch {
    // Does not exist, or is not executable.
    return false
  }
}

function findFolder({ settings }: AgentFacts<HostName>): string | undefined {
  const folders = settings.folders.flatMap((folder) => listSettingsFolders(folder, homedir(), context().env))
  return folders.find((folder) => existsSync(folder))
}

/** The agents with ARC's hooks in the user's files or in those of the current folder. */
export function findInstalledHere(): readonly InstalledAgent[] {
  const env = context().env
  const user: InstallTarget = { scope: 'user', dir: homedir(), env }
  // In the home folder, the files of the user and of the project are the same.
  const isHome = resolve(context().cwd) === resolve(homedir())
  const places: InstallTarget[] = isHome ? [user] : [user, { scope: 'project', dir: context().cwd, env }]
  return Object.values(HOSTS).flatMap((host) => {
    return places.filter((place) => hasHooks({ host, place })).map((place) => ({ host, place }))
  })
}

/** The agents with ARC's hooks anywhere: also in the folders that `arc install --project` noted in the home. */
export function findInstalled(): readonly InstalledAgent[] {
  const noted = readInstalls(resolve(arcHome())).flatMap(({ host, scope, dir, env = {} }) => {
    const found = HOSTS[host as HostName]
    return found === undefined ? [] : [{ host: found, place: { scope, dir, env } }]
  })
  const all = [...findInstalledHere(), ...noted.filter(hasHooks)]
  const isSame = (a: InstalledAgent, b: InstalledAgent): boolean =>
    a.host === b.host && a.place.scope === b.place.scope && resolve(a.place.dir) === resolve(b.place.dir)
  return all.filter((one, at) => all.findIndex((other) => isSame(one, other)) === at)
}

function hasHooks({ host, place }: InstalledAgent): boolean {
  const files = host.install.files(place)
  const texts = readTexts(files.map(({ path }) => path))
  return files.some(({ path, has }) => {
    const text = texts.get(path)
    return text !== undefined && has(text)
  })
}

/** The events in the files of an agent that are registered on demand. */
export function readOnDemandEvents({ host, place }: InstalledAgent): readonly string[] {
  return findOnDemand(host, place, readTexts(host.install.files(place).map(({ path }) => path)))
}
