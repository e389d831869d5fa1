// Applies the mode in force to the launcher, and to the fail-closed switch of each installed host.

import { describe } from '../engine/errors.ts'
import { addInstall, type Install, readInstalls } from '../guard/installs.ts'
import { launcherFile, writeLauncherMode } from '../guard/launcher.ts'
import type { Env, Host, HostName } from '../hosts/host.ts'
import { applyChanges, readTexts } from '../hosts/install/apply.ts'
import type { InstallTarget } from '../hosts/install/install-file.ts'
import { pathsToRead, planInstall } from '../hosts/install/plan.ts'
import { HOSTS } from '../hosts/list.ts'
import { ProfileHome } from '../supervisor/profile-home.ts'
import { info } from './output.ts'

/** Updates the launcher and all installed hosts to the mode of the configured profile. */
export function syncMode(profiles: ProfileHome): void {
  const { home } = profiles
  const isEnforced = isHomeEnforced(home)
  writeLauncherMode(home, profiles.load(profiles.chosen).user.enforcement)
  for (const install of readInstalls(home)) {
    const failClosed = isEnforced || install.isForced === true
    if (failClosed !== install.failClosed) setFailClosed(home, install, failClosed)
  }
}

/** Is the mode of the configured profile enforce? */
export function isHomeEnforced(home: string): boolean {
  const profiles = new ProfileHome(home)
  return profiles.load(profiles.chosen).user.enforcement === 'enforce'
}

/** The environment variables that decide where a host has its configuration. */
export function readConfigVariables(host: Host, place: InstallTarget): Record<string, string> {
  const read = new Set<string>()
  const env = new Proxy<Env>(place.env, {
    get: (all, name) => {
      read.add(String(name))
      return all[String(name)]
    },
  })
  host.install.files({ ...place, env })
  return Object.fromEntries([...read].flatMap((name) => (place.env[name] ? [[name, place.env[name]]] : [])))
}

function setFailClosed(home: string, install: Install, failClosed: boolean): void {
  const host = HOSTS[install.host as HostName]
  if (host === undefined) return
  const place: InstallTarget = { scope: install.scope, dir: install.dir, env: install.env ?? {} }
  try {
    const options = { command: launcherFile(home), failClosed }
    const { files, problems } = planInstall(host, place, readTexts(pathsToRead(host, place)), options)
    const [problem] = problems
    if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
    applyChanges(files, place)
    addInstall(home, { ...install, failClosed })
  } catch (error) {
    info(`arc: cannot update ${host.title} to the new mode: ${describe(error)}. To fix it: arc install ${host.name}`)
  }
}
