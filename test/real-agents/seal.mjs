// Runs run.mjs in new network, mount and process namespaces: only loopback exists, and nothing that an agent leaves running
// survives. The folder of the run appears outside the temporary directory, which ARC rightly takes for scratch.

import { spawn } from 'node:child_process'
import { existsSync, realpathSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'

const HERE = dirname(fileURLToPath(import.meta.url))
const MOUNTS = ['/srv', '/mnt', '/media']
const ENTER = 'ip link set lo up && mount --bind "$1" "$2" && cd "$2" && shift 2 && exec "$@"'

let running

/** Ends the run that is under way, and everything in it. */
export function endRun() {
  running?.kill('SIGKILL')
}

/** Runs one scenario with one agent; resolves with what it saw, or `{ error }`. */
export function runSealed({ host, scenarioName, folder, arc, cache }) {
  const inUse = [HERE, cache, arc, process.execPath].map((file) => realpathSync(file))
  const isFree = (mount) => existsSync(mount) && !inUse.some((file) => file.startsWith(`${mount}/`))
  const stage = MOUNTS.find(isFree) ?? folder
  const job = JSON.stringify({ host, scenarioName, arc, cache, stage })
  const asUser = process.getuid() === 0 ? [] : ['--map-root-user']
  const namespaces = ['--net', '--mount', '--pid', '--fork', '--mount-proc', '--kill-child', ...asUser]
  const inside = ['sh', '-c', ENTER, 'sh', folder, stage, process.execPath, join(HERE, 'run.mjs'), job]
  running = spawn('unshare', [...namespaces, ...inside], {
    stdio: ['ignore', 'pipe', 'inherit'],
    env: { PATH: '/usr/local/bin:/usr/bin:/bin:/usr/sbin:/sbin' },
  })
  let output = ''
  running.stdout.setEncoding('utf8').on('data', (text) => {
    output += text
  })
  return new Promise((resolve) => {
    running.on('error', (error) => resolve({ error: `unshare: ${error.message}` }))
    running.on('close', (code) =>
      resolve(
        output === ''
          ? { error: `the run broke off (exit ${code}); it needs unshare, mount, ip and the right to use namespaces` }
          : JSON.parse(output),
      ),
    )
  })
}
