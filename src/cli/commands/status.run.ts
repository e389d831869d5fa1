// `arc status`: is a daemon running, and what is in force.

import { existsSync } from 'node:fs'
import type { Config } from '../../config/config.ts'
import { findDaemon } from '../../daemon/process/lifecycle.ts'
import { type OnDemand, parseDaemonSwitch, readOnDemandState } from '../../daemon/process/on-demand.ts'
import { socketFile } from '../../daemon/process/paths.ts'
import type { Daemon } from '../../daemon/server.ts'
import { describe } from '../../engine/errors.ts'
import { arcHome } from '../../platform/home.ts'
import type { StatusView } from '../../protocol/messages.ts'
import { checkAnchors } from '../../storage/anchor-check.ts'
import { openStores } from '../../storage/open-stores.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import colors from '../colors.ts'
import { askLoginLink, ownLoginLink } from '../login-link.ts'
import { fromNow, print, printJson, report, showSpan } from '../output.ts'

/** What `arc status --json` prints. */
interface Status extends StatusView {
  /** Opens the page signed in, once and within minutes. Null for a process that an agent started. */
  readonly loginUrl: string | null
  /** Why there is no link although a daemon runs. */
  readonly loginHint: string | null
  /** Who started the one that runs. */
  readonly startedBy: 'hook' | 'person' | null
  /** What a hook does that finds none. */
  readonly onDemand: OnDemand
  /** Why the record is not the one that its anchors tell of; null when it is. */
  readonly recordMismatch: string | null
}

/** Shows it. A daemon that does not run is no failure: hooks work without one. */
export async function status({ json }: { readonly json?: boolean }): Promise<number> {
  const found = await statusOf(arcHome())
  if (json === true) printJson(found)
  else printStatus(found)
  return 0
}

/** What a daemon knows of itself; without a link where its output is not private. */
type OwnDaemon = Pick<Daemon, 'url' | 'socket'> & Partial<Pick<Daemon, 'newLoginUrl'>>

/** The status of a daemon in this very process: nobody has to be asked, and so nobody can be too slow to answer. */
export function ownStatus({ url, socket, newLoginUrl }: OwnDaemon): Status {
  const home = arcHome()
  const link = newLoginUrl === undefined ? { url: null, hint: null } : ownLoginLink(home, { newLoginUrl })
  const uptimeMs = Math.round(process.uptime() * 1_000)
  const login = { loginUrl: link.url, loginHint: link.hint }
  return { running: true, pid: process.pid, url, ...login, socket, uptimeMs, ...inForce(home), startedBy: 'person' }
}

/** What is known of the daemon of a home, and of what is in force here. */
export async function statusOf(home: string): Promise<Status> {
  const presence = await findDaemon(home)
  const isRunning = presence.is === 'running'
  const url = (isRunning ? presence.record?.url : undefined) ?? null
  const link = url === null ? { url: null, hint: null } : await askLoginLink(home, url)
  return {
    running: isRunning,
    pid: isRunning ? presence.health.pid : null,
    url,
    loginUrl: link.url,
    loginHint: link.hint,
    socket: isRunning ? socketFile(home) : null,
    ...inForce(home),
    uptimeMs: isRunning ? presence.health.uptimeMs : null,
    startedBy: isRunning ? (presence.record?.isOnDemand === true ? 'hook' : 'person') : null,
  }
}

function inForce(home: string): Pick<Status, 'profile' | 'enforcement' | 'breaker' | 'onDemand' | 'recordMismatch'> {
  const { preview, close } = openDryRun({ cwd: process.cwd(), report })
  try {
    const { state, failures, threshold, openedAt = null, halfOpenAt = null } = preview.breaker()
    const { profile, enforcement, daemon } = preview.config
    const onDemand = onDemandIn(home, daemon)
    const recordMismatch = mismatchIn(home)
    const breaker = { state, failures, threshold, openedAt, halfOpenAt }
    return { profile, enforcement, breaker, onDemand, recordMismatch }
  } finally {
    close()
  }
}

function mismatchIn(home: string): string | null {
  try {
    return checkAnchors(home).mismatch?.message ?? null
  } catch (error) {
    report(`The anchors of the record cannot be compared: ${describe(error)}`)
    return null
  }
}

/** What happens without a daemon, in words. */
export function tellOnDemand(onDemand: OnDemand): string {
  switch (onDemand.is) {
    case 'ready':
      return 'the next hook starts it in the background'
    case 'off':
      return 'hooks judge by themselves and start none (daemon.onDemand or ARC_DAEMON says so)'
    case 'stopped':
      return `stopped by arc stop ${fromNow(onDemand.at)}; hooks judge by themselves until arc serve`
    case 'waiting':
      return `a hook started it ${onDemand.attempts === 1 ? 'just now' : `${onDemand.attempts} times`}; the next try is ${fromNow(onDemand.until)} at the earliest`
  }
}

/** What a hook does in this home, with this configuration, that finds no daemon. */
export function onDemandIn(home: string, { onDemand }: Config['daemon']): OnDemand {
  if (!onDemand || !parseDaemonSwitch(process.env.ARC_DAEMON).canStart) return { is: 'off' }
  // A home that is not there has no state to look into, and is not made by looking.
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
  if (running) print(`${colors.green('✓')} running as process ${pid} for ${showSpan(uptimeMs ?? 0)}${how}`)
  else print(`${colors.dim('○')} not running; ${tellOnDemand(found.onDemand)}`)
  print(`  profile  ${profile}, ${enforcement}`)
  print(`  breaker  ${breaker.state}, ${breaker.failures} of ${breaker.threshold} failures`)
  if (found.recordMismatch !== null) print(colors.red(`  record   ${found.recordMismatch} (arc trace verify)`))
  if (url !== null) print(`  page     ${url}`)
  if (loginUrl !== null) print(`  open     ${loginUrl}  ${colors.dim('(works once, for 5 minutes)')}`)
  else if (found.loginHint !== null) print(`  open     ${colors.dim(found.loginHint)}`)
  if (socket !== null) print(`  socket   ${socket}`)
}
