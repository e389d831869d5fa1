// Does the daemon of a home run, and what happens where it does not?

import { lastLogLine } from '../../../daemon/process/background.ts'
import { type DaemonPresence, findDaemon } from '../../../daemon/process/lifecycle.ts'
import type { OnDemand } from '../../../daemon/process/on-demand.ts'
import { logFile } from '../../../daemon/process/paths.ts'
import type { Check } from '../../../hosts/diagnose.ts'
import { openDryRun } from '../../../supervisor/dry-run.ts'
import { VERSION } from '../../version.ts'
import { onDemandIn, tellOnDemand } from '../status.run.ts'

const name = 'daemon'

/** The check of the daemon. One that does not run is no fault: hooks work without it. */
export async function daemonCheck(home: string): Promise<Check> {
  const presence = await findDaemon(home)
  if (presence.is === 'running') return runningCheck(presence)
  if (presence.is === 'absent') return absentCheck(home)
  const detail = `process ${presence.record.pid} holds its place and does not answer`
  return { name, ok: false, detail, fix: 'arc stop, then arc serve' }
}

function runningCheck({ health, record }: Extract<DaemonPresence, { readonly is: 'running' }>): Check {
  const { pid, version } = health
  const how = record?.isOnDemand === true ? ', started by a hook; it ends when nobody needs it' : ''
  if (version === VERSION) return { name, ok: true, detail: `runs as process ${pid}${how}` }
  const detail = `process ${pid} is version ${version}, and this is ${VERSION}: hooks are judged by the other`
  return { name, ok: false, detail, fix: 'arc stop, then arc serve --background' }
}

function absentCheck(home: string): Check {
  const onDemand = nextStart(home)
  const detail = `does not run; ${tellOnDemand(onDemand)}`
  if (onDemand.is !== 'waiting' || onDemand.attempts < 2) return { name, ok: true, detail }
  const said = lastLogLine(home)
  const fix = `Look into ${logFile(home)}, or start it where you can see it: arc serve`
  return { name, ok: false, detail: `${detail}; it said: ${said ?? 'nothing'}`, fix }
}

function nextStart(home: string): OnDemand {
  const { preview, close } = openDryRun({ cwd: process.cwd(), report: () => undefined })
  try {
    return onDemandIn(home, preview.config.daemon)
  } finally {
    close()
  }
}
