// `arc install [HOST]` and `arc uninstall [HOST]`: register ARC with agents, or remove it.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { addInstall, removeInstall } from '../../guard/installs.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import type { Host } from '../../hosts/host.ts'
import { applyChanges, readTexts } from '../../hosts/install/apply.ts'
import { unifiedDiff } from '../../hosts/install/diff.ts'
import type { InstallTarget, Texts } from '../../hosts/install/install-file.ts'
import {
  backupPath,
  type FileChange,
  type InstallPlan,
  pathsToRead,
  planInstall,
  planUninstall,
} from '../../hosts/install/plan.ts'
import { listOnDemand } from '../../hosts/install/registered-events.ts'
import { findHost, HOSTS } from '../../hosts/list.ts'
import { arcHome } from '../../platform/home.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import { findAgents, findInstalled, type InstalledAgent } from '../agents.ts'
import colors from '../colors.ts'
import { requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { installLauncher, launcherFile } from '../hook/launcher.ts'
import { readHookPoints } from '../hook-reach.ts'
import { isHomeEnforced, readConfigVariables, syncMode } from '../mode-sync.ts'
import { info, printJson } from '../output.ts'
import { printState, readSupervision } from '../supervision-state.ts'
import { type Choice, chooseAgents } from './install/choose-agents.ts'

const USAGE = 2

export interface InstallFlags {
  readonly user?: boolean
  readonly project?: string
  readonly dryRun?: boolean
  readonly failClosed?: boolean
  readonly all?: boolean
  readonly json?: boolean
}

/** Registers ARC with an agent, or with all that were found; exit code 1 if a file cannot be edited. */
export async function install(name: string | undefined, flags: InstallFlags): Promise<number> {
  const places = await chooseTargets('install', name, flags)
  if (typeof places === 'number') return places
  const managed = readManagedInstall()
  const results = places.map((target) =>
    managed === undefined ? installOne(target, flags) : installManaged(target, flags, managed.launcher),
  )
  const isDone = results.some((one) => one.isDone)
  if (flags.json === true) printResults(results, name !== undefined)
  // The home of a managed machine cannot be read by this account.
  else if (isDone && managed === undefined) printState(readSupervision(new ProfileHome()))
  return Math.max(...results.map(({ code }) => code))
}

function installOne(target: InstalledAgent, flags: InstallFlags): CarriedOut {
  const home = resolve(arcHome())
  const isForced = flags.failClosed === true
  const failClosed = isForced || isHomeEnforced(home)
  const onDemand = findWantedOnDemand(target)
  const options = { command: installedCommand(flags), failClosed, onDemand }
  const done = carryOut(target, flags, (one, at, texts) => planInstall(one, at, texts, options))
  const { host, place } = target
  if (!done.isDone) return done
  addInstall(home, {
    host: host.name,
    scope: place.scope,
    dir: place.dir,
    files: listInstalledFiles(host, place),
    failClosed,
    ...(isForced && { isForced }),
    env: readConfigVariables(host, place),
    at: new Date().toISOString(),
  })
  return done
}

// Events of each request to the model: only for a hook that is configured, since each costs a hook call.
function findWantedOnDemand({ host, place }: InstalledAgent): readonly string[] {
  if (listOnDemand(host).length === 0) return []
  return listOnDemand(host, readHookPoints(place.scope === 'project' ? place.dir : context().cwd))
}

// The home of a managed machine belongs to another account: the install is not listed there.
function installManaged(target: InstalledAgent, flags: InstallFlags, command: string): CarriedOut {
  const options = { command, failClosed: true }
  return carryOut(target, flags, (host, place, texts) => planInstall(host, place, texts, options))
}

// Every file with ARC's lines, and its backup.
function listInstalledFiles(host: Host, place: InstallTarget): string[] {
  const files = host.install.files(place)
  const texts = readTexts(pathsToRead(host, place))
  const owned = files.filter(({ path, has }) => has(texts.get(path) ?? '')).map(({ path }) => path)
  return owned.flatMap((path) => (texts.get(backupPath(path)) === undefined ? [path] : [path, backupPath(path)]))
}

/** Removes ARC from an agent's configuration, or from those of all agents. */
export async function uninstall(name: string | undefined, flags: InstallFlags): Promise<number> {
  if (flags.dryRun !== true) requirePerson('uninstall ARC')
  const targets = await chooseTargets('uninstall', name, flags)
  if (typeof targets === 'number') return targets
  const results = targets.map((target) => {
    const done = carryOut(target, flags, planUninstall)
    const { scope, dir } = target.place
    if (done.isDone && readManagedInstall() === undefined)
      removeInstall(resolve(arcHome()), { host: target.host.name, scope, dir })
    return done
  })
  if (flags.json === true) printResults(results, name !== undefined)
  return Math.max(0, ...results.map(({ code }) => code))
}

/** The agents and targets of a command; an exit code if there is nothing to do. */
async function chooseTargets(
  command: 'install' | 'uninstall',
  name: string | undefined,
  flags: InstallFlags,
): Promise<readonly InstalledAgent[] | number> {
  if (name !== undefined && flags.all === true) {
    info(`arc: expected a host or --all, not both, as in: arc ${command} --all`)
    return USAGE
  }
  const target = readTarget(flags)
  if (name !== undefined) return [{ host: findHost(name), place: target }]
  const installed = findInstalled().filter(({ place }) => isWanted(place, flags))
  const choices = command === 'install' ? describeFound(installed, target) : installed.map(describeInstalled)
  const chosen = await chooseAgents({ command, choices, isAll: flags.all === true, isJson: flags.json === true })
  if (typeof chosen === 'number') return chosen
  if (command === 'install') return chosen.map((one) => ({ host: HOSTS[one], place: target }))
  return installed.filter(({ host }) => chosen.includes(host.name))
}

// `--user` and `--project` limit what is removed; without them ARC is removed everywhere.
function isWanted({ scope, dir }: InstallTarget, { user, project }: InstallFlags): boolean {
  if (user === true) return scope === 'user'
  return project === undefined || (scope === 'project' && resolve(dir) === resolve(context().cwd, project))
}

function describeFound(installed: readonly InstalledAgent[], { scope }: InstallTarget): readonly Choice[] {
  return findAgents().map(({ host, path }) => {
    const isThere = installed.some((one) => one.host === host && one.place.scope === scope)
    return { name: host.name, title: host.title, detail: isThere ? `${path} (has ARC)` : path }
  })
}

function describeInstalled({ host, place }: InstalledAgent): Choice {
  return { name: host.name, title: host.title, detail: place.dir }
}

type Planner = (host: Host, place: InstallTarget, texts: Texts) => InstallPlan

interface CarriedOut {
  readonly code: number
  readonly plan: InstallPlan
  readonly isDone: boolean
  /** For `--json`. */
  readonly json: object
}

function carryOut({ host, place }: InstalledAgent, flags: InstallFlags, planner: Planner): CarriedOut {
  const plan = planner(host, place, readTexts(pathsToRead(host, place)))
  const isDone = plan.problems.length === 0 && flags.dryRun !== true
  if (isDone) applyChanges(plan.files, place)
  if (flags.json !== true) printPlan(host, plan, flags)
  return { code: plan.problems.length === 0 ? 0 : 1, plan, isDone, json: planJson(plan, flags) }
}

// The program that hosts call: a launcher in the home, which asks the daemon without starting Node.
function installedCommand({ dryRun }: InstallFlags): string {
  // The path as called: the package manager's link stays valid after an update, its target may not.
  const arc = context().program
  if (process.platform === 'win32') return arc
  const home = resolve(arcHome())
  if (dryRun === true) return launcherFile(home)
  const file = installLauncher({ home, node: process.execPath, arc })
  syncMode(new ProfileHome(home))
  return file
}

function readTarget({ project }: InstallFlags): InstallTarget {
  const env = context().env
  return project === undefined
    ? { scope: 'user', dir: homedir(), env }
    : { scope: 'project', dir: resolve(context().cwd, project), env }
}

function planJson({ host, files, changed, next, problems }: InstallPlan, { dryRun }: InstallFlags): object {
  const rows = files.map((file) => ({
    path: file.path,
    action: describeAction(file),
    ...(dryRun === true ? { diff: unifiedDiff(file.path, file.before, file.after) } : {}),
  }))
  const failed = problems.length > 0 ? { problems } : {}
  return { host, files: rows, changed, next, ...failed }
}

// One agent that was named is an object; otherwise a list, whatever its length.
function printResults(results: readonly CarriedOut[], isNamed: boolean): void {
  const all = results.map(({ json }) => json)
  printJson(isNamed ? all[0] : all)
}

function printPlan(host: Host, { files, changed, next, problems }: InstallPlan, { dryRun }: InstallFlags): void {
  for (const { path, line, column, message } of problems) {
    context().stderr.write(`${colors.bold(`${path}:${line}:${column}`)} ${message}\n`)
  }
  for (const file of files) {
    if (dryRun === true) context().stdout.write(unifiedDiff(file.path, file.before, file.after))
    else context().stderr.write(`${describeAction(file)} ${file.path}\n`)
  }
  if (!changed && problems.length === 0) context().stderr.write(`${host.title}: already up to date\n`)
  context().stderr.write(`${dryRun === true && changed ? 'Nothing was written. ' : ''}${next}\n`)
}

function describeAction({ before, after }: FileChange): 'create' | 'change' | 'delete' {
  if (before === undefined) return 'create'
  return after === undefined ? 'delete' : 'change'
}
