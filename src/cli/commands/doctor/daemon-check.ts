// Checks the daemon of a home.

import { lastLogLine } from '../../../daemon/process/background.ts'
import { type DaemonPresence, findDaemon } from '../../../daemon/process/lifecycle.ts'
import type { OnDemand } from '../../../daemon/process/on-demand.ts'
import { logFile } from '../../../daemon/process/paths.ts'
import type { Check } from '../../../hosts/check.ts'
import { openDryRun } from '../../../supervisor/dry-run.ts'
import { daemonBuild, isOtherBuild, ownBuild } from '../../build-check.ts'
import { context } from '../../context.ts'
import { describeOnDemand, readOnDemand } from '../status.run.ts'

const name = 'daemon'

/** Checks the daemon. A stopped daemon passes the check: hooks work without it. */
export async function daemonCheck(home: string): Promise<Check> {
  const presence = await findDaemon(home)
  if (presence.is === 'running') return runningCheck(presence)
  if (presence.is === 'absent') return absentCheck(home)
  const detail = `process ${presence.record.pid} has the pid file but does not answer`
  return { name, ok: false, detail, fix: 'arc stop, then arc serve' }
}

function runningCheck({ health, record }: Extract<DaemonPresence, { readonly is: 'running' }>): Check {
  const { pid } = health
  const how = record?.isOnDemand === true ? ', started by a hook; it ends when idle' : ''
  if (!isOtherBuild(health)) return { name, ok: true, detail: `running as process ${pid}, ${ownBuild()}${how}` }
  const build = daemonBuild(health)
  const detail = `process ${pid} is version ${build}, but this is ${ownBuild()}: hooks are answered by ${build}`
  return { name, ok: false, detail, fix: 'arc stop, then arc serve --background' }
}

function absentCheck(home: string): Check {
  const onDemand = nextStart(home)
  const detail = `not running; ${describeOnDemand(onDemand)}`
  if (onDemand.is !== 'waiting' || onDemand.attempts < 2) return { name, ok: true, detail }
  const logLine = lastLogLine(home)
  const fix = `Read ${logFile(home)}, or start it in the foreground: arc serve`
  return { name, ok: false, detail: `${detail}; last log line: ${logLine ?? 'none'}`, fix }
}

function nextStart(home: string): OnDemand {
  const { preview, close } = openDryRun({ cwd: context().cwd, report: () => undefined })
  try {
    return readOnDemand(home, preview.config.daemon)
  } finally {
    close()
  }
}
