// What follows the mode in force: the launcher, and the switch of each host that stops a call when its hook fails.

import { describe } from '../engine/errors.ts'
import { addInstall, type Install, readInstalls } from '../guard/installs.ts'
import { launcherFile, writeLauncherMode } from '../guard/launcher.ts'
import type { Env, Host, HostName } from '../hosts/host.ts'
import { applyChanges, readTexts } from '../hosts/install/apply.ts'
import { type Place, pathsToRead, planInstall } from '../hosts/install/plan.ts'
import { HOSTS } from '../hosts/list.ts'
import { ProfileHome } from '../supervisor/profile-home.ts'
import { tell } from './output.ts'

/** Brings everything in step with the mode of the profile that the files choose. */
export function followMode(profiles: ProfileHome): void {
  const { home } = profiles
  const isEnforced = enforces(home)
  writeLauncherMode(home, profiles.load(profiles.chosen).user.enforcement)
  for (const install of readInstalls(home)) {
    const failClosed = isEnforced || install.isForced === true
    if (failClosed !== install.failClosed) setSwitch(home, install, failClosed)
  }
}

/** Does the profile that the files choose enforce? */
export function enforces(home: string): boolean {
  const profiles = new ProfileHome(home)
  return profiles.load(profiles.chosen).user.enforcement === 'enforce'
}

/** The variables that decide where a host has its configuration, as they are now. */
export function movingVariables(host: Host, place: Place): Record<string, string> {
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

function setSwitch(home: string, install: Install, failClosed: boolean): void {
  const host = HOSTS[install.host as HostName]
  if (host === undefined) return
  const place: Place = { scope: install.scope, dir: install.dir, env: install.env ?? {} }
  try {
    const options = { command: launcherFile(home), failClosed }
    const { files, problems } = planInstall(host, place, readTexts(pathsToRead(host, place)), options)
    const [problem] = problems
    if (problem !== undefined) throw new Error(`${problem.path}: ${problem.message}`)
    applyChanges(files, place)
    addInstall(home, { ...install, failClosed })
  } catch (error) {
    tell(`arc: ${host.title} does not follow the mode: ${describe(error)}. To repair it: arc install ${host.name}`)
  }
}
