// `arc status`: is a daemon running, and what is in force.

import { readFileSync } from 'node:fs'
import colors from 'picocolors'
import { findDaemon } from '../../daemon/lifecycle.ts'
import { socketFile, tokenFile } from '../../daemon/places.ts'
import type { Daemon } from '../../daemon/server.ts'
import type { StatusView } from '../../protocol/messages.ts'
import { arcHome } from '../../runtime/home.ts'
import { openPreview } from '../../runtime/preview.ts'
import { print, printJson, showSpan, tell } from '../output.ts'

/** What `arc status --json` prints. */
interface Status extends StatusView {
  readonly loginUrl: string | null
}

/** Shows it. A daemon that does not run is no failure: hooks work without one. */
export async function status({ json }: { readonly json?: boolean }): Promise<number> {
  const found = await statusOf(arcHome())
  if (json === true) printJson(found)
  else printStatus(found)
  return 0
}

/** The status of a daemon in this very process: nobody has to be asked, and so nobody can be too slow to answer. */
export function ownStatus({ url, loginUrl, socket }: Pick<Daemon, 'url' | 'loginUrl' | 'socket'>): Status {
  const uptimeMs = Math.round(process.uptime() * 1_000)
  return { running: true, pid: process.pid, url, loginUrl, socket, ...inForce(), uptimeMs }
}

/** What is known of the daemon of a home, and of what is in force here. */
export async function statusOf(home: string): Promise<Status> {
  const presence = await findDaemon(home)
  const isRunning = presence.is === 'running'
  const url = (isRunning ? presence.note?.url : undefined) ?? null
  const token = isRunning ? tokenOf(home) : undefined
  return {
    running: isRunning,
    pid: isRunning ? presence.health.pid : null,
    url,
    loginUrl: url === null || token === undefined ? null : `${url}/login?token=${token}`,
    socket: isRunning ? socketFile(home) : null,
    ...inForce(),
    uptimeMs: isRunning ? presence.health.uptimeMs : null,
  }
}

function inForce(): Pick<StatusView, 'profile' | 'enforcement' | 'breaker'> {
  const { preview, close } = openPreview({ cwd: process.cwd(), report: (message) => tell(`arc: ${message}`) })
  try {
    const { state, failures, threshold, openedAt = null, halfOpenAt = null } = preview.breaker()
    const { profile, enforcement } = preview.config
    return { profile, enforcement, breaker: { state, failures, threshold, openedAt, halfOpenAt } }
  } finally {
    close()
  }
}

function tokenOf(home: string): string | undefined {
  try {
    return readFileSync(tokenFile(home), 'utf8').trim()
  } catch {
    // It is not ours to read: then there is no link.
    return undefined
  }
}

function printStatus(found: Status): void {
  const { running, pid, url, loginUrl, socket, profile, enforcement, breaker, uptimeMs } = found
  if (running) print(`${colors.green('✓')} running as process ${pid} for ${showSpan(uptimeMs ?? 0)}`)
  else print(`${colors.dim('○')} not running; hooks judge by themselves (arc serve starts it)`)
  print(`  profile  ${profile}, ${enforcement}`)
  print(`  breaker  ${breaker.state}, ${breaker.failures} of ${breaker.threshold} failures`)
  if (url !== null) print(`  page     ${url}`)
  if (loginUrl !== null) print(`  open     ${loginUrl}`)
  if (socket !== null) print(`  socket   ${socket}`)
}
