// The first process of the box: the person's side. Takes one JSON request per line and answers in order. It starts the
// simulated agent (agent.mjs), runs commands as a person would, compares guarded files, and restores the home.

import { spawn } from 'node:child_process'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { request as send } from 'node:http'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { guardedDigests, restore } from './home.mjs'

const IS_BOX = process.pid === 1
const HOME = process.env.BOX_HOME ?? '/home/agent'
const PRISTINE = process.env.BOX_PRISTINE ?? '/var/pristine'
const AGENT = join(dirname(fileURLToPath(import.meta.url)), 'agent.mjs')
const OUTPUT_LIMIT = 1_000_000

const ENV = {
  HOME,
  USER: 'agent',
  LOGNAME: 'agent',
  SHELL: '/bin/sh',
  LANG: 'C.UTF-8',
  TERM: 'xterm',
  NO_COLOR: '1',
  TMPDIR: process.env.BOX_TMPDIR ?? '/tmp',
  PATH: `${HOME}/.local/bin:${dirname(process.execPath)}:/usr/local/bin:/usr/bin:/bin`,
  // Without a namespace nothing may be left running.
  ...(!IS_BOX && { ARC_DAEMON: 'off' }),
}

const OPERATIONS = {
  run,
  reset,
  save,
  guarded: () => ({ files: guardedDigests(HOME) }),
  records,
  serve,
  cpu,
  approvals,
  agent: askAgent,
  restart: restartAgent,
  alive: () => ({ isBox: IS_BOX, home: HOME, node: process.execPath }),
}

let agent = startAgent()
// The suite has ended, in whatever way: so does the box.
process.stdin.on('end', () => process.exit(0))

for await (const line of createInterface({ input: process.stdin })) {
  const { id, op, ...request } = JSON.parse(line)
  let answer
  try {
    answer = await OPERATIONS[op](request)
  } catch (error) {
    answer = { error: String(error?.stack ?? error) }
  }
  process.stdout.write(`${JSON.stringify({ id, ...answer })}\n`)
}
process.exit(0)

/** Runs a shell command as the person: no descendant of the agent. */
function run({ command, input = '', cwd = HOME, env = {}, timeoutMs = 30_000 }) {
  return new Promise((resolve) => {
    const child = spawn('/bin/sh', ['-c', command], {
      cwd: existsSync(cwd) ? cwd : '/',
      env: { ...ENV, ...env },
      detached: true,
    })
    const timer = setTimeout(() => killGroup(child.pid), timeoutMs)
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (text) => (stdout += stdout.length < OUTPUT_LIMIT * 64 ? text : ''))
    child.stderr.setEncoding('utf8').on('data', (text) => (stderr += stderr.length < OUTPUT_LIMIT ? text : ''))
    child.stdin.on('error', () => undefined)
    child.on('error', (error) => resolve({ code: 127, stdout, stderr: String(error) }))
    // Not `close`: a background process may hold the pipes.
    child.on('exit', (code, signal) => {
      clearTimeout(timer)
      setTimeout(() => resolve({ code, signal, stdout, stderr }), 5)
    })
    child.stdin.end(input)
  })
}

function killGroup(pid) {
  try {
    process.kill(-pid, 'SIGKILL')
  } catch {
    // Already ended.
  }
}

/** Forgets whatever runs and whatever was changed: the home as it was saved, a new agent. */
async function reset() {
  agent.child.removeAllListeners('exit')
  agent.child.kill('SIGKILL')
  if (IS_BOX) {
    // In its own process namespace this reaches the box only, and never this process.
    for (let tries = 0; tries < 20; tries++) {
      try {
        process.kill(-1, 'SIGKILL')
      } catch {
        break
      }
      await new Promise((resolve) => setTimeout(resolve, 10))
    }
    for (const folder of ['/tmp', '/var/tmp', '/dev/shm']) empty(folder)
  }
  mkdirSync(HOME, { recursive: true })
  try {
    restore(PRISTINE, HOME)
  } catch (error) {
    if (error.code !== 'EACCES' && error.code !== 'EPERM') throw error
    await run({ command: `chmod -R u+rwX ${HOME}`, cwd: '/' })
    restore(PRISTINE, HOME)
  }
  agent = startAgent()
  return {}
}

function empty(folder) {
  mkdirSync(folder, { recursive: true })
  for (const name of readdirSync(folder)) rmSync(join(folder, name), { recursive: true, force: true, maxRetries: 5 })
}

/** Another agent process in the same account, with or without the variable that names an agent. */
function restartAgent({ isMarked }) {
  agent.child.removeAllListeners('exit')
  agent.child.kill('SIGKILL')
  agent = startAgent(isMarked)
  return {}
}

/** The processor time of all processes of the box, in seconds: ended ones count for their parent, or stay in the table. */
function cpu() {
  if (!IS_BOX) return { seconds: 0 }
  let ticks = 0
  for (const name of readdirSync('/proc')) {
    if (!/^\d+$/.test(name)) continue
    try {
      const fields = readFileSync(`/proc/${name}/stat`, 'utf8')
        .replace(/^.*\) /s, '')
        .split(' ')
      for (const at of [11, 12, 13, 14]) ticks += Number(fields[at])
    } catch {
      // Ended meanwhile.
    }
  }
  return { seconds: ticks / 100 }
}

/** Keeps the home as it is now: what `reset` goes back to. */
function save() {
  rmSync(PRISTINE, { recursive: true, force: true })
  mkdirSync(PRISTINE, { recursive: true })
  cpSync(HOME, PRISTINE, {
    recursive: true,
    verbatimSymlinks: true,
    filter: (path) => lstatSync(path).isSocket() === false,
  })
  return {}
}

/** How many steps and unreadable payloads the record has, by session. Read with the library that is installed. */
async function records() {
  const library = join(PRISTINE, '.local/lib/node_modules/arc-supervisor/dist/trace.js')
  const { SqliteTraceStore } = await import(library)
  const counts = {}
  const store = new SqliteTraceStore(join(HOME, '.arc/arc.db'))
  try {
    for await (const line of store.export()) {
      const { record } = JSON.parse(line)
      if (record?.kind !== 'step' && record?.action !== 'payload:unreadable') continue
      counts[record.session] = (counts[record.session] ?? 0) + 1
    }
  } finally {
    await store.close()
  }
  return { counts }
}

/** The approvals that the daemon has; none where it does not answer. */
function approvals() {
  const socketPath = join(HOME, '.arc/run/arc.sock')
  return new Promise((resolve) => {
    const asked = send({ socketPath, path: '/v1/approvals?all=true', agent: false, timeout: 10_000 }, (response) => {
      let text = ''
      response.setEncoding('utf8').on('data', (part) => (text += part))
      response.on('close', () => resolve({ all: text.startsWith('[') ? JSON.parse(text) : [] }))
    })
    asked.on('timeout', () => asked.destroy())
    asked.on('error', () => resolve({ all: [] }))
    asked.end()
  })
}

/** Starts a daemon as a person would, and waits until it answers or ends. */
async function serve() {
  const daemon = spawn('arc', ['serve', '--no-open'], { cwd: HOME, env: ENV, detached: true, stdio: 'ignore' })
  let hasEnded = false
  daemon.on('error', () => (hasEnded = true)).on('exit', () => (hasEnded = true))
  while (!hasEnded && !existsSync(join(HOME, '.arc/run/arc.sock')))
    await new Promise((resolve) => setTimeout(resolve, 10))
  return {}
}

/** The agent: a child whose descendants are everything the agent does. It is started again when it was killed. */
function startAgent(isMarked = true) {
  if (!existsSync(HOME)) mkdirSync(HOME, { recursive: true })
  const child = spawn(process.execPath, [AGENT], {
    cwd: '/',
    env: { ...ENV, ...(isMarked && { CLAUDECODE: '1' }) },
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const started = { child, waiting: undefined }
  let text = ''
  child.stdin.on('error', () => undefined)
  child.stdout.setEncoding('utf8').on('data', (data) => {
    text += data
    const end = text.indexOf('\n')
    if (end < 0) return
    const line = text.slice(0, end)
    text = text.slice(end + 1)
    started.waiting?.(JSON.parse(line))
  })
  child.on('exit', () => {
    if (agent === started) agent = startAgent(isMarked)
    started.waiting?.({ code: 137, stdout: '', stderr: 'the agent was killed', wasKilled: true })
  })
  return started
}

function askAgent(request) {
  return new Promise((resolve) => {
    const current = agent
    current.waiting = (answer) => {
      current.waiting = undefined
      resolve(answer)
    }
    current.child.stdin.write(`${JSON.stringify(request)}\n`)
  })
}
