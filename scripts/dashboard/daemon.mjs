// A daemon in its own process and a temporary home, for scripts that use the dashboard.

import { execFileSync, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ARC = fileURLToPath(new URL('../../bin/arc', import.meta.url))

/** Starts a daemon with a profile, and gives what is needed to call and to end it. */
export async function startArc(profile) {
  const home = mkdtempSync(join(tmpdir(), 'arc-page-'))
  mkdirSync(join(home, 'profiles'), { recursive: true })
  // No confirmation: scripts have no terminal.
  execFileSync(process.execPath, [ARC, 'init', '--confirm', 'none'], {
    env: { ...process.env, ARC_HOME: home },
    stdio: 'ignore',
  })
  writeFileSync(join(home, 'profiles/default.json'), JSON.stringify(profile, null, 2))
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '', NO_COLOR: '1' }
  const args = [ARC, 'serve', '--no-open', '--port', '0', '--json']
  const child = spawn(process.execPath, args, { env, stdio: ['ignore', 'pipe', 'inherit'] })
  const status = await firstLine(child)
  const agent = new Agent({ keepAlive: true, maxSockets: 4 })
  return {
    ...{ home, env, arc: ARC, pid: child.pid, url: status.url },
    newLoginUrl: () => JSON.parse(execFileSync(process.execPath, [ARC, 'status', '--json'], { env })).loginUrl,
    post: (path, body) => post({ socketPath: status.socket, agent, path }, body),
    async stop() {
      const closed = new Promise((resolve) => child.once('close', resolve))
      child.kill('SIGTERM')
      await closed
      agent.destroy()
      rmSync(home, { recursive: true, force: true })
    },
  }
}

function firstLine(child) {
  let out = ''
  return new Promise((resolve, reject) => {
    child.stdout.setEncoding('utf8').on('data', (part) => {
      out += part
      if (out.includes('\n')) resolve(JSON.parse(out.slice(0, out.indexOf('\n'))))
    })
    child.once('close', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
}

function post(where, body) {
  return new Promise((resolve, reject) => {
    const asked = request({ ...where, method: 'POST' }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => {
        text += part
      })
      response.on('end', () => resolve(JSON.parse(text)))
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}
