// `arc serve` during a run.

import { spawn } from 'node:child_process'
import { openSync } from 'node:fs'
import http from 'node:http'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'

const LIMIT_MS = 15_000

/** Starts a daemon; `stop()` ends it and returns complaints. */
export async function startDaemon(arc, { stage, project, env }) {
  const log = openSync(join(stage, 'daemon.log'), 'w')
  const child = spawn(arc, ['serve', '--no-open'], { cwd: project, env, stdio: ['ignore', log, log] })
  let failure = ''
  child.on('error', (error) => {
    failure = error.message
  })
  const socketPath = join(env.ARC_HOME, 'run/arc.sock')
  const health = await until(async () => (failure === '' ? await readHealth(socketPath) : {}))
  if (health?.pid === undefined) throw new Error(`arc serve: ${failure || 'no /health on its socket'}`)
  return { stop: () => stopDaemon(socketPath, health.pid) }
}

async function stopDaemon(socketPath, pid) {
  if ((await readHealth(socketPath)) === undefined) return ['the daemon died during the run']
  process.kill(pid, 'SIGTERM')
  const isGone = await until(async () => (await readHealth(socketPath)) === undefined)
  return isGone ? [] : ['the daemon still answers after SIGTERM']
}

function readHealth(socketPath) {
  return new Promise((resolve) => {
    const request = http.get({ socketPath, path: '/health', timeout: 1_000 }, async (response) => {
      const chunks = await response.toArray().catch(() => [])
      try {
        resolve(JSON.parse(Buffer.concat(chunks).toString()))
      } catch {
        // It ended in the middle of its answer.
        resolve(undefined)
      }
    })
    request.on('timeout', () => request.destroy())
    request.on('error', () => resolve(undefined))
  })
}

async function until(probe) {
  for (const end = performance.now() + LIMIT_MS; performance.now() < end; await sleep(50)) {
    const found = await probe()
    if (found) return found
  }
  return undefined
}
