// A daemon in a temporary home, and functions that call it, for the benches that measure it.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

export const ARC = fileURLToPath(new URL('../bin/arc', import.meta.url))

/** Runs a bench in a home with the launcher that users get; ends the daemon and removes everything after it. */
export async function withHome(work, profile = { enforcement: 'enforce' }) {
  const home = mkdtempSync(join(tmpdir(), 'arc-bench-hook-'))
  let daemon
  try {
    mkdirSync(join(home, 'profiles'), { recursive: true })
    writeFileSync(join(home, 'profiles/default.json'), JSON.stringify(profile))
    const start = async (nodeArgs = [], env = {}) => {
      daemon = await startDaemon(home, nodeArgs, env)
      return daemon
    }
    return await work({ home, launcher: installLauncher(home), startDaemon: start })
  } finally {
    await stop(daemon?.child)
    rmSync(home, { recursive: true, force: true })
  }
}

// As a user gets it: `arc install` writes the launcher beside the line.
function installLauncher(home) {
  const env = { ...process.env, ARC_HOME: home, HOME: home, CLAUDE_CONFIG_DIR: home }
  const { status, stderr } = spawnSync(process.execPath, [ARC, 'install', 'claude'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`arc install claude ended with ${status}: ${stderr}`)
  return join(home, 'bin/arc')
}

async function startDaemon(home, nodeArgs, given) {
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '', ...given }
  const stdio = ['ignore', 'pipe', 'ignore']
  const child = spawn(process.execPath, [...nodeArgs, ARC, 'serve', '--no-open', '--port', '0'], { env, stdio })
  const told = await new Promise((resolve, reject) => {
    let text = ''
    child.stdout.on('data', (part) => {
      text += part
      if (text.includes('socket')) resolve(text)
    })
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
  const [, port] = /http:\/\/127\.0\.0\.1:(\d+)/.exec(told)
  return {
    child,
    socket: { socketPath: join(home, 'run/arc.sock') },
    // The format of Claude's own HTTP hooks.
    http: {
      ...{ host: '127.0.0.1', port },
      headers: {
        authorization: `Bearer ${readFileSync(join(home, 'run/token'), 'utf8').trim()}`,
        accept: 'application/vnd.arc.host',
      },
    },
    residentMb: () => residentMb(child.pid),
  }
}

/** The memory of a process, in MB; undefined where the system does not tell. */
function residentMb(pid) {
  try {
    return Number(/VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1]) / 1024
  } catch {
    // Only Linux has it.
    return undefined
  }
}

function stop(child) {
  if (child === undefined || child.exitCode !== null) return undefined
  return new Promise((resolve) => {
    child.removeAllListeners('exit').on('exit', resolve)
    child.kill('SIGTERM')
  })
}

let agent = new Agent({ keepAlive: true })

/** Lets go of every connection. */
export function closeCalls() {
  agent.destroy()
  agent = new Agent({ keepAlive: true })
}

/** One call after the other; how long each took, in ns. `door`: the socket of a daemon, or its port. */
export async function callInTurn(door, count) {
  const times = []
  for (let call = 0; call < count; call++) times.push(await timed(() => sendWell(door)))
  return times
}

/** Starts calls at a fixed rate, whether or not the previous call has ended: a slow answer must not delay the next call. */
export async function callAtRate(door, rate, seconds) {
  const pending = []
  const startedAt = performance.now()
  for (let at = 0; at < rate * seconds; at++) {
    const dueMs = startedAt + (at * 1_000) / rate - performance.now()
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    pending.push(timed(() => send(door, nextCall())))
  }
  return Promise.all(pending)
}

/** The maximum rate over a number of connections; answers are counted by status. */
export async function callTogether(door, { calls, connections }) {
  const startedAt = performance.now()
  const statuses = {}
  let left = calls
  const worker = async () => {
    while (left-- > 0) {
      const status = await send(door, nextCall())
      statuses[status] = (statuses[status] ?? 0) + 1
    }
  }
  await Promise.all(Array.from({ length: connections }, worker))
  return { perSecond: (calls * 1_000) / (performance.now() - startedAt), statuses }
}

async function sendWell(door) {
  const status = await send(door, nextCall())
  if (status !== 200) throw new Error(`the daemon answered with ${status}`)
}

async function timed(work) {
  const startedAt = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - startedAt)
}

/** Sends one event of Claude; resolves with the status, 0 for a connection that was refused, as a hook would see it. */
export function sendCall(door, event, payload) {
  return send(door, JSON.stringify({ hook_event_name: event, ...payload }), event)
}

function send({ headers: own, ...where }, body, event = 'PreToolUse') {
  const headers = { ...own, 'content-length': Buffer.byteLength(body) }
  const options = { ...where, path: `/v1/hook/claude/${event}`, method: 'POST', agent, headers }
  return new Promise((resolve) => {
    const asked = request(options, (response) => {
      response.resume().on('end', () => resolve(response.statusCode))
    })
    asked.on('error', () => resolve(0))
    asked.end(body)
  })
}

let calls = 0

/** A payload that no other has: the same call again would be known for a double. */
export function nextCall() {
  const call = { session_id: 'bench', cwd: tmpdir(), hook_event_name: 'PreToolUse', tool_use_id: `call-${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command: 'git status --short' } })
}

export function quantile(values, at) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}
