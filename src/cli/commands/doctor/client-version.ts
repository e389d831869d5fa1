// Reads the installed version of an agent by running `--version`, with a short time limit. Without an answer the version is
// unknown, which is not an error.

import { spawn } from 'node:child_process'
import type { Host } from '../../../hosts/host.ts'
import { readVersion } from '../../../hosts/versions.ts'

const LIMIT_MS = 5_000
const MAX_TEXT = 10_000

/** Reads the version of a host's program. */
export function clientVersion({ program }: Pick<Host, 'program'>, limitMs = LIMIT_MS): Promise<string | undefined> {
  if (program === undefined) return Promise.resolve(undefined)
  return new Promise((resolve) => {
    // A separate process group: some programs are scripts that start the real one.
    const options = { detached: true, env: quietEnvironment() }
    const child = spawn(program, ['--version'], { ...options, stdio: ['ignore', 'pipe', 'ignore'] })
    let output = ''
    child.stdout.setEncoding('utf8').on('data', (text: string) => {
      output = `${output}${text}`.slice(0, MAX_TEXT)
    })
    const finish = (): void => {
      clearTimeout(timer)
      child.stdout.destroy()
      resolve(readVersion(output))
    }
    const timer = setTimeout(() => {
      endGroup(child.pid)
      finish()
    }, limitMs)
    // Not installed, or not executable.
    child.on('error', finish)
    child.on('close', finish)
  })
}

// The program must not look for updates.
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
