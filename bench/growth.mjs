// `npm run bench -- --only growth [--records 10000,100000]`: what each operation costs as the trace grows, for each number
// of records. Operations are run as users run them: a daemon, its socket, the command line. Five million take a while.

import { spawn, spawnSync } from 'node:child_process'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'
import { build } from 'esbuild'
import { ARC, callAtRate, callInTurn, closeCalls, quantile, withHome } from './daemon.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DEFAULT_RECORDS = '10000,100000'
const EVALUATIONS = 4
const RECORDS_PER_CALL = EVALUATIONS + 1
const BATCH = 1_000
const CALLS = 500
const RATE = 50
const RATE_SECONDS = 8
const CUT_RECORDS = 20_000
const BYTES_RECORDS = 50_000
const STEP_MS = 1_000
const TICK_MS = 10
// What must not grow with the trace, and by which factor it may differ: the machine is shared.
const FLAT = ['hook cpu', 'start', 'logs', 'why']
const MAX_GROWTH = 3
const MAX_RETENTION = 2

/** Prints the table; `ok` is false when something that should be flat grew. */
export async function runGrowth({ option, isJson }) {
  const sizes = readSizes(option('records') ?? DEFAULT_RECORDS)
  const modules = await loadModules()
  const rows = []
  for (const records of sizes) {
    rows.push(await withHome(({ home, startDaemon }) => measure({ home, startDaemon, records, modules })))
    if (!isJson) printRow(rows.at(-1), rows.length === 1)
  }
  const grown = FLAT.filter((name) => rows.at(-1)[name] > rows[0][name] * MAX_GROWTH)
  const bytes = await measureBytes(modules.SqliteTraceStore)
  const slowed = rows.filter((row) => row['hook p99 in cut'] > row['hook p99 at rate'] * MAX_RETENTION)
  if (!isJson) {
    process.stdout.write(
      `\n${grown.length === 0 ? 'ok  ' : 'OVER'} flat: ${FLAT.join(', ')}: ${grown.join(', ') || 'all'}\n`,
    )
    process.stdout.write(`bytes of a call: ${bytes.passed} that passed, ${bytes.blocked} that was blocked\n`)
    process.stdout.write(`${slowed.length === 0 ? 'ok  ' : 'OVER'} hook p99 during a cut at most ${MAX_RETENTION}×\n`)
  }
  return { ok: grown.length === 0 && slowed.length === 0, rows, bytes }
}

function readSizes(list) {
  const sizes = list.split(',').map(Number)
  const isValid = sizes.every((size) => Number.isInteger(size) && size >= 1_000 && size % RECORDS_PER_CALL === 0)
  if (isValid) return sizes
  throw new Error(
    `--records takes numbers such as 10000,100000: multiples of ${RECORDS_PER_CALL} from 1000 on, not ${list}`,
  )
}

// What a call takes in a database of its kind only.
async function measureBytes(SqliteTraceStore) {
  const folder = mkdtempSync(join(tmpdir(), 'arc-bench-bytes-'))
  try {
    const passed = await fill(SqliteTraceStore, join(folder, 'passed.db'), BYTES_RECORDS)
    const blocked = await fill(SqliteTraceStore, join(folder, 'blocked.db'), BYTES_RECORDS, block)
    return { passed: passed['bytes/call'], blocked: blocked['bytes/call'] }
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

async function measure({ home, startDaemon, records, modules }) {
  // As after `arc init --confirm none`: a bench has no terminal.
  modules.markHomeUnattended(home, process.pid)
  const file = join(home, 'arc.db')
  const filled = await fill(modules.SqliteTraceStore, file, records)
  const startedAt = performance.now()
  const daemon = await startDaemon()
  const start = performance.now() - startedAt
  await callInTurn(daemon.socket, CALLS / 2)
  const usedBefore = processorMs(daemon.child.pid)
  const times = await callInTurn(daemon.socket, CALLS)
  const used = processorMs(daemon.child.pid) - usedBefore
  const quiet = await callAtRate(daemon.socket, RATE, RATE_SECONDS)
  const row = {
    records,
    'hook p50': quantile(times, 0.5) / 1e6,
    'hook p99': quantile(times, 0.99) / 1e6,
    // Of the daemon, for a call: other programs on the machine hardly change it.
    'hook cpu': used / CALLS,
    start,
    logs: timeOf(home, 'logs', '--limit', '50'),
    why: timeOf(home, 'why', stepId(3)),
    verify: timeOf(home, 'trace', 'verify', '--json'),
    'verify new': timeOf(home, 'trace', 'verify', '--since', 'last', '--json'),
    export: timeOf(home, 'trace', 'export'),
    'hook p99 at rate': quantile(quiet, 0.99) / 1e6,
    ...(await cutBeside(home, daemon, records)),
    ...filled,
  }
  closeCalls()
  return row
}

// What a process used so far; NaN where the system does not say.
function processorMs(pid) {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1].split(' ')
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS
  } catch {
    // Only Linux has it.
    return Number.NaN
  }
}

// Removes a fixed number of records, at most half of them, while calls arrive at a steady rate.
async function cutBeside(home, daemon, records) {
  const count = Math.min(CUT_RECORDS, records / 2)
  const before = new Date(startTime(records) + (count / RECORDS_PER_CALL) * STEP_MS).toISOString()
  const env = environment(home)
  const startedAt = performance.now()
  const cut = spawn(process.execPath, [ARC, 'trace', 'cut', '--before', before], { env, stdio: 'ignore' })
  const ended = new Promise((resolve) => cut.once('exit', (code) => resolve({ code, at: performance.now() })))
  const times = await callAtRate(daemon.socket, RATE, RATE_SECONDS)
  const { code, at } = await ended
  if (code !== 0) throw new Error(`arc trace cut ended with ${code}`)
  return { 'hook p99 in cut': quantile(times, 0.99) / 1e6, 'removed/s': Math.round((count * 1_000) / (at - startedAt)) }
}

// `change` makes another call of each.
async function fill(SqliteTraceStore, file, records, change = (one) => one) {
  const store = new SqliteTraceStore(file)
  const steps = records / RECORDS_PER_CALL
  const start = startTime(records)
  for (let at = 0; at < steps; at += BATCH) {
    const entries = Array.from({ length: Math.min(BATCH, steps - at) }, (_, of) => change(entry(at + of, start)))
    await Promise.all(entries.map((one) => store.append(one)))
  }
  store.close()
  return { 'bytes/call': Math.round(statSync(file).size / steps) }
}

// The newest record is of now.
function startTime(records) {
  return Math.floor(Date.now() / 86_400_000) * 86_400_000 - (records / RECORDS_PER_CALL) * STEP_MS
}

function stepId(at) {
  return `01J${String(at).padStart(23, '0')}`
}

function entry(at, start) {
  const args = { command: `git diff --stat src/part-${at}.ts`, description: 'what changed since yesterday' }
  const data = { tool: 'Bash', args }
  const session = `3f1c9c0e-0000-4000-8000-${String(Math.floor(at / 400)).padStart(12, '0')}`
  const where = { host: 'claude', profile: 'default', workspace: '/srv/project' }
  const step = { id: stepId(at), point: 'pre:tool', session, turn: `turn-${at}`, data, metadata: {}, ...where }
  const hooks = ['source-classify', 'interagent-routing', 'risk-detection', 'attempt-tracker']
  const plain = { point: 'pre:tool', mode: 'enforce', decision: 'pass', applied: false, cause: 'policy' }
  const evaluations = hooks.map((hook, of) => ({ ...plain, hook, priority: of * 10, durationMs: 0.123 }))
  const outcome = { decision: 'pass', blocked: false, control: 'proceed', data, metadata: {} }
  return { step, evaluations, outcome, time: start + at * STEP_MS }
}

// The same call, blocked by the third hook.
function block({ step, evaluations, outcome, time }) {
  const [first, second, third, fourth] = evaluations
  const reason = 'Deletes all files below /srv/project without asking.'
  const why = { decision: 'block', reason, suggestion: 'Name the files to delete.' }
  const evidence = [{ rule: 'delete-recursive', span: 'rm -rf', reason: 'deletes a folder with its contents' }]
  const decider = { ...third, ...why, applied: true, metadata: { tier: 4, effect: 'delete', evidence } }
  return {
    step,
    evaluations: [first, second, decider, { ...fourth, skipped: 'after-block' }],
    outcome: { ...outcome, ...why, blocked: true, control: 'stop', hook: third.hook },
    time,
  }
}

function environment(home) {
  return { ...process.env, ARC_HOME: home, ARC_PROFILE: '', XDG_STATE_HOME: join(home, 'state') }
}

function arc(home, ...args) {
  const { status, stderr } = spawnSync(process.execPath, [ARC, ...args], {
    env: environment(home),
    stdio: ['ignore', 'ignore', 'pipe'],
    encoding: 'utf8',
  })
  if (status !== 0) throw new Error(`arc ${args.join(' ')} ended with ${status}: ${stderr}`)
}

function timeOf(home, ...args) {
  const startedAt = performance.now()
  arc(home, ...args)
  return performance.now() - startedAt
}

async function loadModules() {
  const folder = join(ROOT, 'node_modules', '.cache', 'arc-bench')
  mkdirSync(folder, { recursive: true })
  const outfile = join(folder, 'growth-store.mjs')
  const contents = "export * from './storage/sqlite/trace-store.ts'; export * from './guard/unattended-home.ts'"
  const stdin = { contents, resolveDir: join(ROOT, 'src') }
  await build({ stdin, outfile, bundle: true, platform: 'node', format: 'esm', packages: 'external' })
  return import(pathToFileURL(outfile).href)
}

function printRow(row, isFirst) {
  const names = Object.keys(row)
  if (isFirst) process.stdout.write(`${names.map((name) => name.padStart(16)).join('')}   (times in ms)\n`)
  const cells = names.map((name) =>
    Number.isInteger(row[name]) ? String(row[name]) : row[name].toFixed(row[name] < 10 ? 2 : 0),
  )
  process.stdout.write(`${cells.map((cell) => cell.padStart(16)).join('')}\n`)
}
