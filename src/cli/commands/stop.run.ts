// `arc stop`: ends the daemon of this home, and keeps hooks from starting another.

import { existsSync } from 'node:fs'
import { endProcess, findDaemon, findDaemonProcess } from '../../daemon/process/lifecycle.ts'
import { recordStop } from '../../daemon/process/on-demand.ts'
import { arcHome } from '../../platform/home.ts'
import { openStores } from '../../storage/open-stores.ts'
import { type Confirmed, recordIn, requirePerson } from '../confirm.ts'
import { printJson, report, tell } from '../output.ts'

const WAIT_MS = 15_000
const STAYS = 'Hooks judge by themselves until arc serve.'

/** Asks it to stop and waits until it is gone. One that does not answer is ended all the same. */
export async function stop({ json }: { readonly json?: boolean }): Promise<number> {
  const home = arcHome()
  const confirmed = requirePerson('stop the daemon')
  // First: a hook that comes while it ends must not start the next.
  if (existsSync(home)) keepStopped(home, confirmed)
  const presence = await findDaemon(home)
  if (presence.is === 'absent') return finish({ stopped: false, pid: null }, `No daemon is running. ${STAYS}`, json)
  const found = findDaemonProcess(presence)
  const pid = presence.is === 'running' ? presence.health.pid : presence.record.pid
  if (found === undefined) {
    report(`process ${pid} is not the daemon that was started here, so it was not ended`)
    return 1
  }
  if (await endProcess(found, 'SIGTERM', WAIT_MS)) {
    return finish({ stopped: true, pid }, `Process ${pid} ended. ${STAYS}`, json)
  }
  if (presence.is === 'silent' && (await endProcess(found, 'SIGKILL', WAIT_MS))) {
    return finish({ stopped: true, pid }, `Process ${pid} did not answer and was killed. ${STAYS}`, json)
  }
  tell(`arc: process ${pid} is still there after ${WAIT_MS / 1_000} s`)
  return 1
}

function keepStopped(home: string, confirmed: Confirmed): void {
  const stores = openStores(home, report)
  try {
    recordStop(stores.state, Date.now())
    recordIn(stores.trace, { action: 'daemon:stop-asked', message: 'arc stop' }, confirmed)
  } finally {
    stores.close()
  }
}

function finish(
  result: { readonly stopped: boolean; readonly pid: number | null },
  text: string,
  json?: boolean,
): number {
  if (json === true) printJson(result)
  else tell(text)
  return 0
}
