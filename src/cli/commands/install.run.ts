// `arc install HOST` and `arc uninstall HOST`: register ARC with an agent, or remove it.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import colors from 'picocolors'
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
import { findHost } from '../../hosts/list.ts'
import { arcHome } from '../../platform/home.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import { requirePerson } from '../confirm.ts'
import { context } from '../context.ts'
import { installLauncher, launcherFile } from '../hook/launcher.ts'
import { isHomeEnforced, readConfigVariables, syncMode } from '../mode-sync.ts'

export interface InstallFlags {
  readonly user?: boolean
  readonly project?: string
  readonly dryRun?: boolean
  readonly failClosed?: boolean
  readonly json?: boolean
}

/** Registers ARC with an agent; exit code 1 if a file cannot be edited. */
export async function install(name: string, flags: InstallFlags): Promise<number> {
  const managed = readManagedInstall()
  if (managed !== undefined) return installManaged(name, flags, managed.launcher)
  const home = resolve(arcHome())
  const isForced = flags.failClosed === true
  const failClosed = isForced || isHomeEnforced(home)
  const options = { command: installedCommand(flags), failClosed }
  const { code, host, place, isDone } = carryOut(name, flags, (one, at, texts) => planInstall(one, at, texts, options))
  if (!isDone) return code
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
  return code
}

// The home of a managed machine belongs to another account: the install is not listed there.
function installManaged(name: string, flags: InstallFlags, command: string): number {
  const options = { command, failClosed: true }
  return carryOut(name, flags, (host, place, texts) => planInstall(host, place, texts, options)).code
}

// Every file with ARC's lines, and its backup.
function listInstalledFiles(host: Host, place: InstallTarget): string[] {
  const files = host.install.files(place)
  const texts = readTexts(pathsToRead(host, place))
  const owned = files.filter(({ path, has }) => has(texts.get(path) ?? '')).map(({ path }) => path)
  return owned.flatMap((path) => (texts.get(backupPath(path)) === undefined ? [path] : [path, backupPath(path)]))
}

/** Removes ARC from an agent's configuration. */
export async function uninstall(name: string, flags: InstallFlags): Promise<number> {
  if (flags.dryRun !== true) requirePerson('uninstall ARC')
  const { code, host, place, isDone } = carryOut(name, flags, planUninstall)
  if (isDone && readManagedInstall() === undefined)
    removeInstall(resolve(arcHome()), { host: host.name, scope: place.scope, dir: place.dir })
  return code
}

type Planner = (host: Host, place: InstallTarget, texts: Texts) => InstallPlan

interface CarriedOut {
  readonly code: number
  readonly host: Host
  readonly place: InstallTarget
  readonly isDone: boolean
}

function carryOut(name: string, flags: InstallFlags, planner: Planner): CarriedOut {
  const host = findHost(name)
  const place = readTarget(flags)
  const plan = planner(host, place, readTexts(pathsToRead(host, place)))
  const isDone = plan.problems.length === 0 && flags.dryRun !== true
  if (isDone) applyChanges(plan.files, place)
  if (flags.json === true) printJson(plan, flags)
  else printPlan(host, plan, flags)
  return { code: plan.problems.length === 0 ? 0 : 1, host, place, isDone }
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

function printJson({ host, files, changed, next, problems }: InstallPlan, { dryRun }: InstallFlags): void {
  const rows = files.map((file) => ({
    path: file.path,
    action: describeAction(file),
    ...(dryRun === true ? { diff: unifiedDiff(file.path, file.before, file.after) } : {}),
  }))
  const failed = problems.length > 0 ? { problems } : {}
  context().stdout.write(`${JSON.stringify({ host, files: rows, changed, next, ...failed })}\n`)
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
