// Which release of an agent is installed: its program is asked, for a short time only. One that is not there, says nothing
// or takes too long is no fault: then the release is not known.

import { spawn } from 'node:child_process'
import type { HostName } from '../../../hosts/host.ts'
import { CLIENT_PROGRAMS, readVersion } from '../../../hosts/versions.ts'

const LIMIT_MS = 5_000
const MAX_TEXT = 10_000

/** The release that `claude --version` and its like tell. */
export function clientVersion(host: HostName, limitMs = LIMIT_MS): Promise<string | undefined> {
  const program = CLIENT_PROGRAMS[host]
  if (program === undefined) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    // A group of its own: some are a script that starts the real one.
    const options = { detached: true, env: quietEnvironment() }
    const child = spawn(program, ['--version'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
    let said = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      said = `${said}${text}`.slice(0, MAX_TEXT)
    })
    const finish = (): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      resolve(readVersion(said))
    }
    const timer = setTimeout(() => {
      endGroup(child.pid)
      finish()
    }, limitMs)
    // Not there, or not to be run.
    child.on('error', finish)
    child.on('close', finish)
  })
}

// Asked for a number, it need not look for updates.
function quietEnvironment(): NodeJS.ProcessEnv {
  return { ...process.env, DISABLE_AUTOUPDATER: '1', NO_UPDATE_NOTIFIER: '1' }
}

function endGroup(pid: number | undefined): void {
  if (pid === undefined) return
  try {
    process.kill(-pid, 'SIGKILL')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'ESRCH') throw error
  }
}
