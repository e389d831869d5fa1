// `arc stop`: ends the daemon of this home.

import { setTimeout as sleep } from 'node:timers/promises'
import { isAlive } from '../../daemon/firings.ts'
import { findDaemon } from '../../daemon/lifecycle.ts'
import { arcHome } from '../../runtime/home.ts'
import { printJson, tell } from '../output.ts'

const WAIT_MS = 15_000
const LOOK_MS = 25

/** Asks it to stop and waits until it is gone. One that does not answer is ended all the same. */
export async function stop({ json }: { readonly json?: boolean }): Promise<number> {
  const presence = await findDaemon(arcHome())
  if (presence.is === 'absent') return finish({ stopped: false, pid: null }, 'No daemon is running.', json)
  const pid = presence.is === 'running' ? presence.health.pid : presence.note.pid
  if (await isEnded(pid, 'SIGTERM')) return finish({ stopped: true, pid }, `Process ${pid} ended.`, json)
  if (presence.is === 'silent' && (await isEnded(pid, 'SIGKILL'))) {
    return finish({ stopped: true, pid }, `Process ${pid} did not answer and was killed.`, json)
  }
  tell(`arc: process ${pid} is still there after ${WAIT_MS / 1_000} s`)
  return 1
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

async function isEnded(pid: number, signal: 'SIGTERM' | 'SIGKILL'): Promise<boolean> {
  try {
    process.kill(pid, signal)
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
    throw error
  }
  for (const until = Date.now() + WAIT_MS; Date.now() < until; await sleep(LOOK_MS)) {
    if (!isAlive(pid)) return true
  }
  return false
}
