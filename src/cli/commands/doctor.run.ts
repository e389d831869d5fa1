// `arc doctor`: checks the installation. Read-only; with --live it sends a test call through every installed hook.

import { resolve } from 'node:path'
import { formatProblem, isFatal } from '../../config/problem.ts'
import { listSeenEvents, type SeenEvent } from '../../daemon/hook-call/last-seen.ts'
import { describe } from '../../engine/errors.ts'
import { readManagedInstall } from '../../guard/managed-install.ts'
import type { PipelineHook } from '../../hooks/live-pipeline.ts'
import type { Check } from '../../hosts/check.ts'
import { diagnose, pathsToDiagnose } from '../../hosts/diagnose.ts'
import type { Host } from '../../hosts/host.ts'
import { readTexts } from '../../hosts/install/apply.ts'
import { pathsToRead } from '../../hosts/install/plan.ts'
import { arcHome } from '../../platform/home.ts'
import { countFailures } from '../../protocol/breaker-text.ts'
import { openStores } from '../../storage/open-stores.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import { findAgents, findInstalledHere, type InstalledAgent } from '../agents.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { launcherFile } from '../hook/launcher.ts'
import { findReachNotes } from '../hook-reach.ts'
import { managedForOthers } from '../managed-access.ts'
import { isHomeEnforced } from '../mode-sync.ts'
import { fromNow, info, oneLine, print, printJson, report } from '../output.ts'
import { type ProgressOptions, whileWaiting } from '../progress-line.ts'
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

/** Prints every check as soon as its result is known; exit code 1 if one failed. */
export async function doctor({ live, json }: DoctorOptions): Promise<number> {
  const isJson = json === true
  const checks: Check[] = []
  for await (const check of runChecks(live === true, { isJson })) {
    checks.push(check)
    if (!isJson) printCheck(check)
  }
  const failed = checks.filter((check) => !check.ok).length
  if (isJson) printJson({ ok: failed === 0, checks: checks.map(({ fix = null, ...check }) => ({ ...check, fix })) })
  else printSummary(failed)
  return failed === 0 ? 0 : 1
}

async function* runChecks(isLive: boolean, progress: ProgressOptions): AsyncGenerator<Check> {
  const home = resolve(arcHome())
  const managed = readManagedInstall()
  // This account cannot read the home of a managed machine, so only the outside is checked.
  const isOutside = managedForOthers() !== undefined
  const installed = findInstalledHere()
  // Started first, since each program may take a while.
  const versions = readVersions(installed)
  if (managed !== undefined) yield* await whileWaiting('checking the managed setup', managedChecks(managed), progress)
  if (!isOutside) {
    yield* homeChecks(home)
    yield* configChecks(home)
    yield* modeChecks(home)
    yield await whileWaiting('looking for the daemon', daemonCheck(home), progress)
  }
  if (installed.length === 0) yield noAgentCheck()
  const seen = isOutside ? [] : readLastSeen(home)
  // Hooks of a managed machine always fail closed.
  const isEnforced = managed !== undefined || isHomeEnforced(home)
  for (const { host, place } of installed) {
    const command = managed?.launcher ?? launcherFile(home)
    const version = await whileWaiting(
      `asking ${host.title} for its version`,
      versions.get(host.name) ?? NONE,
      progress,
    )
    yield* hostChecks({ host, place, version }, command, isEnforced)
    if (!isOutside) yield seenCheck(host, seen)
    if (isLive && !isOutside) {
      yield await whileWaiting(`sending a test call through ${host.title}`, sendCanary(host, place, home), progress)
    }
  }
}

const NONE = Promise.resolve(undefined)

// Not a failure: ARC may be used as a library, or for single runs.
function noAgentCheck(): Check {
  const found = findAgents().map(({ host }) => host.title)
  const detail =
    found.length === 0 ? 'none installed, and none found on this machine' : `none installed; found: ${found.join(', ')}`
  return { name: 'agents', ok: true, detail, fix: found.length === 0 ? 'arc install HOST' : 'arc install' }
}

// Not a failure: the hook may be meant for a program, or for an agent that is installed later.
function reachChecks(hooks: readonly PipelineHook[]): Check[] {
  return findReachNotes(hooks).map(({ hook, note, source }) => {
    return { name: 'hook', ok: true, detail: `warning: ${oneLine(hook)} ${note} (${source})` }
  })
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
    const status = preview.breaker()
    const detail = `${status.state}, ${countFailures(status)}`
    const isOpen = status.state === 'open'
    const breaker: Check = {
      name: 'breaker',
      ok: !isOpen,
      detail,
      ...(isOpen && { fix: 'arc logs --action hook:error' }),
    }
    const { project } = loaded
    const own = [files, breaker, ...reachChecks(preview.hooks()), retentionCheck(home, config.trace)]
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

interface VersionedAgent extends InstalledAgent {
  /** The version of the program, if it could be read. */
  readonly version: string | undefined
}

// In parallel. A host without a program has no version.
function readVersions(installed: readonly InstalledAgent[]): ReadonlyMap<string, Promise<string | undefined>> {
  const hosts = [...new Set(installed.map(({ host }) => host))]
  return new Map(hosts.map((host) => [host.name, clientVersion(host)] as const))
}

function hostChecks({ host, place, version }: VersionedAgent, command: string, isEnforced: boolean): Check[] {
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

// Checks are printed one by one, so the width is fixed.
const NAME_WIDTH = 18

function printCheck({ name, ok, detail, fix }: Check): void {
  print(`${ok ? colors.green('✓') : colors.red('✗')} ${colors.bold(name.padEnd(NAME_WIDTH))}  ${oneLine(detail, 300)}`)
  if (fix !== undefined) print(`    ${colors.yellow(fix)}`)
}

function printSummary(failed: number): void {
  if (failed === 0) info('All checks passed.')
  else info(`${failed === 1 ? '1 check' : `${failed} checks`} failed; the commands to fix it are above.`)
}
