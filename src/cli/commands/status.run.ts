// `arc status`: shows whether the daemon runs, the profile, the mode and the breaker.

import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { findDaemon } from '../../daemon/process/lifecycle.ts'
import { type OnDemand, parseDaemonSwitch, readOnDemandState } from '../../daemon/process/on-demand.ts'
import { socketFile } from '../../daemon/process/paths.ts'
import type { Daemon } from '../../daemon/server.ts'
import { describe } from '../../engine/errors.ts'
import { readMode } from '../../engine/mode.ts'
import { arcHome } from '../../platform/home.ts'
import { countFailures } from '../../protocol/breaker-text.ts'
import type { StatusView } from '../../protocol/messages.ts'
import { checkAnchors } from '../../storage/anchor-check.ts'
import { checkGaps, describeGaps } from '../../storage/gap-check.ts'
import { openStores } from '../../storage/open-stores.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import { findInstalled } from '../agents.ts'
import { daemonBuild, ownBuild } from '../build-check.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { createLoginLink, requestLoginLink } from '../login-link.ts'
import { formatSpan, fromNow, print, printJson, report } from '../output.ts'
import { describeMode } from '../supervision-state.ts'

/** What `arc status --json` prints. */
interface Status extends StatusView {
  /** One-time link that opens the dashboard signed in. Null for a process that an agent started. */
  readonly loginUrl: string | null
  /** Why there is no link although the daemon runs. */
  readonly loginHint: string | null
  /** Who started the daemon. */
  readonly startedBy: 'hook' | 'person' | null
  /** What a hook does if the daemon is not running. */
  readonly onDemand: OnDemand
  /** The build of the daemon; null if it is not running. */
  readonly daemonBuild: string | null
  /** The build of this program. */
  readonly build: string
  /** Why the trace does not match its anchors; null if it does. */
  readonly recordMismatch: string | null
  /** What is missing from the trace; null if nothing is. */
  readonly recordGaps: string | null
}

/** Prints the status. Exit code 0 even if the daemon is stopped: hooks work without it. */
export async function status({ json }: { readonly json?: boolean }): Promise<number> {
  const found = await readStatus(arcHome())
  if (json === true) printJson(found)
  else printStatus(found)
  return 0
}

/** The daemon in this process; without `newLoginUrl` if the output is not private. */
type OwnDaemon = Pick<Daemon, 'url' | 'socket'> & Partial<Pick<Daemon, 'newLoginUrl'>>

/** The status of the daemon in this process, without a request that could time out. */
export function ownStatus({ url, socket, newLoginUrl }: OwnDaemon): Status {
  const home = arcHome()
  const link = newLoginUrl === undefined ? { url: null, hint: null } : createLoginLink(home, { newLoginUrl })
  const uptimeMs = Math.round(process.uptime() * 1_000)
  const login = { loginUrl: link.url, loginHint: link.hint }
  return {
    running: true,
    pid: process.pid,
    url,
    ...login,
    socket,
    uptimeMs,
    ...readSettings(home),
    startedBy: 'person',
    build: ownBuild(),
    daemonBuild: ownBuild(),
  }
}

/** Reads the status of a home's daemon and the settings in force here. */
export async function readStatus(home: string): Promise<Status> {
  const presence = await findDaemon(home)
  const isRunning = presence.is === 'running'
  const url = (isRunning ? presence.record?.url : undefined) ?? null
  const link = url === null ? { url: null, hint: null } : await requestLoginLink(home, url)
  return {
    running: isRunning,
    pid: isRunning ? presence.health.pid : null,
    url,
    loginUrl: link.url,
    loginHint: link.hint,
    socket: isRunning ? socketFile(home) : null,
    ...readSettings(home),
    uptimeMs: isRunning ? presence.health.uptimeMs : null,
    startedBy: isRunning ? (presence.record?.isOnDemand === true ? 'hook' : 'person') : null,
    build: ownBuild(),
    daemonBuild: isRunning ? daemonBuild(presence.health) : null,
  }
}

function readSettings(
  home: string,
): Pick<Status, 'profile' | 'enforcement' | 'breaker' | 'onDemand' | 'recordMismatch' | 'recordGaps'> {
  const { preview, close } = openDryRun({ cwd: context().cwd, report })
  try {
    const { state, failures, threshold, openedAt = null, halfOpenAt = null } = preview.breaker()
    const { profile, enforcement, daemon } = preview.config
    const onDemand = readOnDemand(home, daemon)
    const recordMismatch = findMismatch(home)
    const breaker = { state, failures, threshold, openedAt, halfOpenAt }
    return { profile, enforcement, breaker, onDemand, recordMismatch, recordGaps: findGaps(home) }
  } finally {
    close()
  }
}

function findGaps(home: string): string | null {
  try {
    return describeGaps(checkGaps(home)) ?? null
  } catch (error) {
    return `the trace cannot be read: ${describe(error)}`
  }
}

function findMismatch(home: string): string | null {
  try {
    return checkAnchors(home).mismatch?.message ?? null
  } catch (error) {
    report(`cannot check the anchors of the trace: ${describe(error)}`)
    return null
  }
}

/** Describes what hooks do while the daemon is not running. */
export function describeOnDemand(onDemand: OnDemand): string {
  switch (onDemand.is) {
    case 'ready':
      return 'the next hook starts the daemon in the background'
    case 'off':
      return 'hooks work without the daemon and do not start it (daemon.onDemand or ARC_DAEMON is off)'
    case 'stopped':
      return `stopped by arc stop ${fromNow(onDemand.at)}; hooks work without the daemon until arc serve`
    case 'waiting':
      return `a hook started the daemon ${onDemand.attempts === 1 ? 'just now' : `${onDemand.attempts} times`}; next attempt ${fromNow(onDemand.until)} at the earliest`
  }
}

/** Reads what a hook does in this home if the daemon is not running. */
export function readOnDemand(home: string, { onDemand }: Config['daemon']): OnDemand {
  if (!onDemand || !parseDaemonSwitch(context().env.ARC_DAEMON).canStart) return { is: 'off' }
  // A missing home has no state, and reading must not create it.
  if (!existsSync(home)) return { is: 'ready' }
  const stores = openStores(home, () => undefined)
  try {
    return readOnDemandState(stores.state, Date.now())
  } finally {
    stores.close()
  }
}

function printStatus(found: Status): void {
  const { running, pid, url, loginUrl, socket, profile, enforcement, breaker, uptimeMs, startedBy } = found
  const how = startedBy === 'hook' ? ', started by a hook' : ''
  if (running) print(`${colors.green('✓')} daemon running as process ${pid} for ${formatSpan(uptimeMs ?? 0)}${how}`)
  else print(`${colors.dim('○')} daemon not running; ${describeOnDemand(found.onDemand)}`)
  print(`  mode     ${enforcement}: ARC ${describeMode(readMode(enforcement, 'enforcement'))}`)
  print(`  agents   ${describeAgents()}`)
  print(`  profile  ${profile}`)
  print(`  breaker  ${breaker.state}, ${countFailures(breaker)}`)
  print(`  version  ${describeBuilds(found)}`)
  if (found.recordMismatch !== null) print(colors.red(`  trace    ${found.recordMismatch} (arc trace verify)`))
  if (found.recordGaps !== null) print(colors.red(`  trace    ${found.recordGaps} (arc doctor)`))
  if (url !== null) print(`  url      ${url}`)
  if (loginUrl !== null) print(`  open     ${loginUrl}  ${colors.dim('(valid once, for 5 minutes)')}`)
  else if (found.loginHint !== null) print(`  open     ${colors.dim(found.loginHint)}`)
  if (socket !== null) print(`  socket   ${socket}`)
}

function describeAgents(): string {
  const titles = [...new Set(findInstalled().map(({ host }) => host.title))]
  return titles.length === 0 ? 'none installed (arc install)' : titles.join(', ')
}

function describeBuilds({ build, daemonBuild: running }: Status): string {
  if (running === null || running === build) return build
  return colors.yellow(`${build}, but the daemon is ${running}: restart it with arc stop, then arc serve --background`)
}
