// What a host waits for: from starting the hook to its answer, with a daemon and without, beside a bare node; and the
// daemon itself over one connection, one call after the other and at a steady rate.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Agent, request } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'

const ARC = fileURLToPath(new URL('../bin/arc', import.meta.url))
const RUNS = 20
const CALLS = 500
const RATE = 200
const RATE_SECONDS = 5
const AT_MOST = { with: 0.5, without: 2.5 }

/** Measures everything and returns rows (ns) and judged limits. */
export async function benchHook() {
  const home = mkdtempSync(join(tmpdir(), 'arc-bench-hook-'))
  let daemon
  try {
    mkdirSync(join(home, 'profiles'), { recursive: true })
    writeFileSync(join(home, 'profiles/default.json'), '{ "enforcement": "enforce" }')
    const launcher = installLauncher(home)
    const without = measure({ 'node -e 0': ['node', '-e', '0'], 'arc hook': ['node', ARC, 'hook', 'claude'] }, home)
    daemon = await startDaemon(home)
    const withIt = measure({ 'node -e 0': ['node', '-e', '0'], 'sh + curl': [launcher, 'hook', 'claude'] }, home)
    const served = await benchDaemon(join(home, 'run/arc.sock'))
    return {
      rows: [
        { case: 'no daemon', times: without },
        { case: 'daemon', times: withIt },
        { case: 'one connection', times: served },
      ],
      limits: [
        limit('without a daemon', without, 'arc hook', AT_MOST.without),
        limit('with a daemon', withIt, 'sh + curl', AT_MOST.with),
      ],
    }
  } finally {
    await stop(daemon)
    rmSync(home, { recursive: true, force: true })
  }
}

function limit(name, times, of, atMost) {
  const ratio = times[of] / times['node -e 0']
  return { case: name, of, against: 'node -e 0', atMost, ratio, ok: ratio <= atMost }
}

// As a user gets it: `arc install` writes the launcher beside the line.
function installLauncher(home) {
  const env = { ...process.env, ARC_HOME: home, HOME: home, CLAUDE_CONFIG_DIR: home }
  const { status, stderr } = spawnSync(process.execPath, [ARC, 'install', 'claude'], { env, encoding: 'utf8' })
  if (status !== 0) throw new Error(`arc install claude ended with ${status}: ${stderr}`)
  return join(home, 'bin/arc')
}

// In turn, so that whatever else the machine does falls on all alike.
function measure(lines, home) {
  const samples = Object.fromEntries(Object.keys(lines).map((name) => [name, []]))
  for (let run = -2; run < RUNS; run++) {
    for (const [name, [program, ...args]] of Object.entries(lines)) {
      const startedAt = process.hrtime.bigint()
      const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '' }
      const { status, stderr } = spawnSync(program, args, { input: nextCall(), env, encoding: 'utf8' })
      if (status !== 0) throw new Error(`${name} ended with ${status}: ${stderr}`)
      if (run >= 0) samples[name].push(Number(process.hrtime.bigint() - startedAt))
    }
  }
  return Object.fromEntries(Object.entries(samples).map(([name, all]) => [name, quantile(all, 0.5)]))
}

async function benchDaemon(socketPath) {
  const agent = new Agent({ keepAlive: true })
  const call = () => timed(() => send(socketPath, agent, nextCall()))
  for (let run = 0; run < 50; run++) await call()
  const times = []
  for (let run = 0; run < CALLS; run++) times.push(await call())
  const paced = await atRate(() => timed(() => send(socketPath, agent, nextCall())))
  agent.destroy()
  const total = times.reduce((sum, time) => sum + time, 0)
  return {
    'keep-alive median': quantile(times, 0.5),
    'per call in a row': total / times.length,
    [`p99 at ${RATE}/s`]: quantile(paced, 0.99),
  }
}

// Begun by the clock, whether or not the last has ended: a slow answer must not slow down the questions.
async function atRate(call) {
  const pending = []
  const startedAt = performance.now()
  for (let at = 0; at < RATE * RATE_SECONDS; at++) {
    const dueMs = startedAt + (at * 1_000) / RATE - performance.now()
    if (dueMs > 0) await new Promise((resolve) => setTimeout(resolve, dueMs))
    pending.push(call())
  }
  return Promise.all(pending)
}

async function timed(work) {
  const startedAt = process.hrtime.bigint()
  await work()
  return Number(process.hrtime.bigint() - startedAt)
}

function send(socketPath, agent, body) {
  const options = { socketPath, path: '/v1/hook/claude/-', method: 'POST', agent }
  return new Promise((resolve, reject) => {
    const asked = request({ ...options, headers: { 'content-length': Buffer.byteLength(body) } }, (response) => {
      response.resume().on('end', resolve)
    })
    asked.on('error', reject)
    asked.end(body)
  })
}

let calls = 0

// Each one its own: the same call again would be known for a double.
function nextCall() {
  const call = { session_id: 'bench', cwd: tmpdir(), hook_event_name: 'PreToolUse', tool_use_id: `call-${++calls}` }
  return JSON.stringify({ ...call, tool_name: 'Bash', tool_input: { command: 'git status --short' } })
}

async function startDaemon(home) {
  const env = { ...process.env, ARC_HOME: home, ARC_PROFILE: '' }
  const child = spawn(process.execPath, [ARC, 'serve', '--no-open', '--port', '0'], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  await new Promise((resolve, reject) => {
    child.stdout.on('data', (text) => String(text).includes('running') && resolve())
    child.on('exit', (code) => reject(new Error(`arc serve ended with ${code}`)))
  })
  return child
}

function stop(child) {
  if (child === undefined) return undefined
  return new Promise((resolve) => {
    child.removeAllListeners('exit').on('exit', resolve)
    child.kill('SIGTERM')
  })
}

function quantile(values, at) {
  const sorted = values.toSorted((a, b) => a - b)
  return sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * at))]
}
