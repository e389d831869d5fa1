// `arc stop`: stops the daemon of this home, and keeps hooks from starting another.

import { existsSync } from 'node:fs'
import { endProcess, findDaemon, findDaemonProcess } from '../../daemon/process/lifecycle.ts'
import { recordStop } from '../../daemon/process/on-demand.ts'
import { arcHome } from '../../platform/home.ts'
import { openStores } from '../../storage/open-stores.ts'
import { appendChange, type Confirmed, requirePerson } from '../confirm.ts'
import { info, printJson, report } from '../output.ts'
import { whileWaiting } from '../progress-line.ts'

const WAIT_MS = 15_000
const NOTE = 'Hooks still work without the daemon, only slower. Start it again with `arc serve`.'

/** Stops the daemon and waits for its end. A daemon that does not answer is killed. */
export async function stop({ json }: { readonly json?: boolean }): Promise<number> {
  const home = arcHome()
  const confirmed = requirePerson('stop the daemon')
  // Noted first: a hook that is called meanwhile must not start a new daemon.
  if (existsSync(home)) noteStop(home, confirmed)
  const presence = await findDaemon(home)
  if (presence.is === 'absent') return finish({ stopped: false, pid: null }, `The daemon is not running. ${NOTE}`, json)
  const found = findDaemonProcess(presence)
  const pid = presence.is === 'running' ? presence.health.pid : presence.record.pid
  if (found === undefined) {
    report(`process ${pid} is not the daemon of this home, so it was not stopped`)
    return 1
  }
  const end = (signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean> =>
    whileWaiting(`waiting for process ${pid} to end`, endProcess(found, signal, WAIT_MS), { isJson: json })
  if (await end('SIGTERM')) {
    return finish({ stopped: true, pid }, `Stopped process ${pid}. ${NOTE}`, json)
  }
  if (presence.is === 'silent' && (await end('SIGKILL'))) {
    return finish({ stopped: true, pid }, `Process ${pid} did not answer and was killed. ${NOTE}`, json)
  }
  info(`arc: process ${pid} still runs after ${WAIT_MS / 1_000} s`)
  return 1
}

function noteStop(home: string, confirmed: Confirmed): void {
  const stores = openStores(home, report)
  try {
    recordStop(stores.state, Date.now())
    appendChange(stores.trace, { action: 'daemon:stop-asked', message: 'arc stop' }, confirmed)
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
  else info(text)
  return 0
}
