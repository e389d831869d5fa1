// `arc doctor`: checks the installation. Read-only; with --live it sends a test call through every installed hook.

import { homedir } from 'node:os'
import { resolve } from 'node:path'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { listSeenEvents, type SeenEvent } from '../../daemon/hook-call/last-seen.ts'
import { describe } from '../../engine/errors.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import type { Check } from '../../hosts/check.ts'
import { diagnose, pathsToDiagnose } from '../../hosts/diagnose.ts'
import type { Host } from '../../hosts/host.ts'
import { readTexts } from '../../hosts/install/apply.ts'
import type { InstallTarget } from '../../hosts/install/install-file.ts'
import { pathsToRead } from '../../hosts/install/plan.ts'
import { HOSTS } from '../../hosts/list.ts'
import { arcHome } from '../../platform/home.ts'
import { openStores } from '../../storage/open-stores.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { launcherFile } from '../hook/launcher.ts'
import { managedForOthers } from '../managed-access.ts'
import { isHomeEnforced } from '../mode-sync.ts'
import { fromNow, info, oneLine, print, printJson, report } from '../output.ts'
import { isRunnable, sendCanary } from './doctor/canary.ts'
import { clientVersion } from './doctor/client-version.ts'
import { daemonCheck } from './doctor/daemon-check.ts'
import { homeChecks } from './doctor/home-checks.ts'
import { managedChecks } from './doctor/managed-checks.ts'
import { modeChecks } from './doctor/mode-checks.ts'
import { retentionCheck } from './doctor/retention-check.ts'

export interface DoctorOptions {
  readonly live?: boolean
  readonly json?: boolean
}

/** Prints every check; exit code 1 if one failed. */
export async function doctor({ live, json }: DoctorOptions): Promise<number> {
  const home = resolve(arcHome())
  const managed = readManagedInstall()
  // This account cannot read the home of a managed machine, so only the outside is checked.
  const isOutside = managedForOthers() !== undefined
  const checks: Check[] = managed === undefined ? [] : await managedChecks(managed)
  if (!isOutside) checks.push(...homeChecks(home), ...configChecks(home), ...modeChecks(home), await daemonCheck(home))
  const seen = isOutside ? [] : readLastSeen(home)
  const installed = installedHosts()
  const versions = await readVersions(installed)
  // Hooks of a managed machine always fail closed.
  const isEnforced = managed !== undefined || isHomeEnforced(home)
  for (const { host, place } of installed) {
    const command = managed?.launcher ?? launcherFile(home)
    checks.push(...hostChecks({ host, place, version: versions.get(host.name) }, command, isEnforced))
    if (!isOutside) checks.push(seenCheck(host, seen))
    if (live === true && !isOutside) checks.push(await sendCanary(host, place, home))
  }
  const ok = checks.every((check) => check.ok)
  if (json === true) printJson({ ok, checks: checks.map(({ fix = null, ...check }) => ({ ...check, fix })) })
  else printChecks(checks, ok)
  return ok ? 0 : 1
}

function configChecks(home: string): Check[] {
  const { preview, close } = openDryRun({ cwd: context().cwd, report })
  try {
    const { config, loaded, problems } = preview
    const wrong = problems.filter(isFatal)
    const what = `profile ${config.profile}, ${config.enforcement}, ${preview.hooks().length} hooks`
    const [first] = wrong
    const fix = 'See every problem with its position: arc profile show'
    const files: Check =
      first === undefined
        ? { name: 'configuration', ok: true, detail: what }
        : { name: 'configuration', ok: false, detail: `${wrong.length}: ${formatProblem(first)}`, fix }
    const { state, failures, threshold } = preview.breaker()
    const detail = `${state}, ${failures} of ${threshold} failures`
    const isOpen = state === 'open'
    const breaker: Check = {
      name: 'breaker',
      ok: !isOpen,
      detail,
      ...(isOpen && { fix: 'arc logs --action hook:error' }),
    }
    const { project } = loaded
    const own = [files, breaker, retentionCheck(home, config.trace)]
    if (project === undefined || project.commands.length + project.scripts.length === 0) return own
    const trust: Check = project.isTrusted
      ? { name: 'trust', ok: true, detail: `the hooks of ${project.dir} are trusted` }
      : {
          name: 'trust',
          ok: false,
          detail: `the hooks of ${project.dir} are not trusted, so they do not run`,
          fix: `arc trust ${project.dir}`,
        }
    return [...own, trust]
  } finally {
    close()
  }
}

interface Installed {
  readonly host: Host
  readonly place: InstallTarget
  /** The version of the program, if it could be read. */
  readonly version?: string | undefined
}

// In parallel: each program may take a while.
async function readVersions(installed: readonly Installed[]): Promise<ReadonlyMap<string, string | undefined>> {
  const hosts = [...new Set(installed.map(({ host }) => host))]
  return new Map(await Promise.all(hosts.map(async (host) => [host.name, await clientVersion(host)] as const)))
}

// Hosts with ARC's lines in the user's files or in those of the current project.
function installedHosts(): Installed[] {
  const env = context().env
  const places: InstallTarget[] = [
    { scope: 'user', dir: homedir(), env },
    { scope: 'project', dir: context().cwd, env },
  ]
  return Object.values(HOSTS).flatMap((host) => {
    return places.filter((place) => isInstalled(host, place)).map((place) => ({ host, place }))
  })
}

function isInstalled(host: Host, place: InstallTarget): boolean {
  const texts = readTexts(host.install.files(place).map(({ path }) => path))
  return host.install.files(place).some(({ path, has }) => {
    const text = texts.get(path)
    return text !== undefined && has(text)
  })
}

function hostChecks({ host, place, version }: Installed, command: string, isEnforced: boolean): Check[] {
  try {
    const texts = readTexts([...pathsToRead(host, place), ...pathsToDiagnose(host, place)])
    return diagnose(host, { place, texts, command, isCommandThere: isRunnable(command), isEnforced, version })
  } catch (error) {
    return [
      { name: `${host.name}: installed`, ok: false, detail: describe(error), fix: 'Fix the syntax of that file.' },
    ]
  }
}

function readLastSeen(home: string): readonly SeenEvent[] {
  const stores = openStores(home, () => undefined)
  try {
    return listSeenEvents(stores.state)
  } catch (error) {
    info(`arc: cannot read when agents last called: ${describe(error)}`)
    return []
  } finally {
    stores.close()
  }
}

// A configured hook need not run: only received calls prove that it does.
function seenCheck({ name, events }: Host, seen: readonly SeenEvent[]): Check {
  const own = seen.filter(({ host }) => host === name).sort((a, b) => b.at - a.at)
  const unknown = own.filter(({ isUnknown }) => isUnknown).map(({ event }) => event)
  if (own.length === 0) {
    const detail = 'no call received yet; use the agent once, or run: arc doctor --live'
    return { name: `${name}: last seen`, ok: true, detail }
  }
  const wanted = Object.keys(events).filter((event) => events[event]?.isInstalled)
  const never = wanted.filter((event) => !own.some((one) => one.event === event))
  const list = own.map(({ event, at }) => `${event} ${fromNow(at)}`)
  const rest = [
    ...(never.length > 0 ? [`never: ${never.join(', ')}`] : []),
    ...(unknown.length > 0 ? [`unknown events: ${unknown.join(', ')}`] : []),
  ]
  return { name: `${name}: last seen`, ok: true, detail: [list.join(', '), ...rest].join('; ') }
}

function printChecks(checks: readonly Check[], ok: boolean): void {
  for (const { name, ok: isOk, detail, fix } of checks) {
    print(`${isOk ? colors.green('✓') : colors.red('✗')} ${colors.bold(name)}  ${oneLine(detail, 300)}`)
    if (fix !== undefined) print(`    ${colors.yellow(fix)}`)
  }
  info(ok ? 'All checks passed.' : 'Some checks failed; fix these first.')
}
