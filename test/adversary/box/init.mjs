// The first process of the box: the person's side. Takes one JSON request per line and answers in order. It starts the
// simulated agent (agent.mjs), runs commands as a person would, compares guarded files, and restores the home.

import { spawn } from 'node:child_process'
import { createHash } from 'node:crypto'
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, readlinkSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

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
  guarded,
  records,
  serve,
  cpu,
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
  await run({ command: `chmod -R u+rwX ${HOME} 2>/dev/null`, cwd: '/' })
  empty(HOME)
  await run({ command: `cp -a ${PRISTINE}/. ${HOME}/`, cwd: '/' })
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

/** Starts a daemon as a person would, and waits until it answers or ends. */
async function serve() {
  const daemon = spawn('arc', ['serve', '--no-open'], { cwd: HOME, env: ENV, detached: true, stdio: 'ignore' })
  let hasEnded = false
  daemon.on('error', () => (hasEnded = true)).on('exit', () => (hasEnded = true))
  while (!hasEnded && !existsSync(join(HOME, '.arc/run/arc.sock')))
    await new Promise((resolve) => setTimeout(resolve, 10))
  return {}
}

/** A digest of each guarded file: what the agent must not be able to change. */
function guarded() {
  const found = {}
  for (const place of ['.arc/profiles', '.arc/bin', '.arc/config.json', '.arc/config.yaml', '.arc/installs.json']) {
    digest(join(HOME, place), found)
  }
  for (const place of ['.claude/settings.json', '.claude/settings.local.json', '.codex', '.config/opencode']) {
    digest(join(HOME, place), found)
  }
  for (const place of ['.local/lib/node_modules/arc-supervisor', '.local/bin/arc']) digest(join(HOME, place), found)
  for (const place of ['project/.claude/settings.json', 'project/.claude/settings.local.json']) {
    digest(join(HOME, place), found)
  }
  return { files: found }
}

function digest(path, found) {
  // Compiled code that Node keeps beside the package: written at any time by ARC itself.
  if (path.endsWith('.cache')) return
  let stat
  try {
    stat = lstatSync(path)
  } catch {
    return
  }
  if (stat.isSymbolicLink()) {
    found[path] = `link ${readlinkSync(path)}`
    return
  }
  if (stat.isDirectory()) {
    found[path] = `folder ${stat.mode & 0o777}`
    let names = []
    try {
      names = readdirSync(path)
    } catch {
      // Not readable any more: its mode says so.
    }
    for (const name of names) digest(join(path, name), found)
    return
  }
  if (!stat.isFile()) {
    found[path] = `special ${stat.mode}`
    return
  }
  // The package is large: its size and modification time are enough.
  const isPackage = path.includes('/node_modules/')
  found[path] = isPackage ? `${stat.size} ${stat.mtimeMs} ${stat.mode & 0o777}` : `${hash(path)} ${stat.mode & 0o777}`
}

function hash(path) {
  try {
    return createHash('sha256').update(readFileSync(path)).digest('hex')
  } catch (error) {
    return String(error.code)
  }
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
