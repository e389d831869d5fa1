// The whole default pipeline on a step before a tool call, in a process that is warm, with its trace committed: beside
// the commit of one row in the same run. Compared with a commit that has reached the disk (synchronous = FULL, SQLite's
// own default); one with the settings of the trace (NORMAL) is shown for information.

import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import Database from 'libsql'
import { createSupervisor } from '../dist/index.js'

const ROUNDS = 15
// Enough for a checkpoint of the log to fall into each round.
const STEPS = 200
const WARM_UP = 1_000
const AT_MOST = 6

/** Measures everything and returns rows (ns per step, or per commit) and the limit. */
export async function benchPipeline() {
  const folder = mkdtempSync(join(tmpdir(), 'arc-bench-pipeline-'))
  const supervisor = await createSupervisor({ home: join(folder, 'home'), enforcement: 'enforce' })
  try {
    const commits = {
      commit: commitsInto(join(folder, 'full.db'), 'FULL'),
      'commit, NORMAL': commitsInto(join(folder, 'normal.db'), 'NORMAL'),
    }
    const times = await measure(supervisor, commits)
    const ratio = times.pipeline / times.commit
    const limit = { case: 'pre:tool, all hooks', of: 'pipeline', against: 'commit', atMost: AT_MOST, ratio }
    return { rows: [{ case: 'pre:tool, all hooks', times }], limits: [{ ...limit, ok: ratio <= AT_MOST }] }
  } finally {
    await supervisor.close()
    rmSync(folder, { recursive: true })
  }
}

// In turns, and the best of each counts: noise only ever adds time.
async function measure(supervisor, commits) {
  const best = { pipeline: Infinity }
  let at = 0
  const step = () => dispatchOne(supervisor, at++)
  for (let count = 0; count < WARM_UP; count++) step()
  for (let round = 0; round < ROUNDS; round++) {
    best.pipeline = Math.min(best.pipeline, timeOf(step))
    for (const [name, commit] of Object.entries(commits)) {
      best[name] = Math.min(best[name] ?? Infinity, timeOf(commit))
    }
    // Timers and what was put off have their turn outside of the measurement.
    await new Promise((resolve) => setImmediate(resolve))
  }
  return best
}

// Calls as agents make them: mostly reading, now and then a change, each other than the one before.
const CALLS = [
  (at) => ['Bash', { command: `git diff --stat src/part-${at}.ts`, description: 'What changed' }],
  (at) => ['Read', { file_path: `/srv/project/src/part-${at}.ts` }],
  (at) => ['Edit', { file_path: `/srv/project/src/a.ts`, old_string: `const a = ${at}`, new_string: 'const a = 0' }],
  (at) => ['Bash', { command: `npm test -- --run src/part-${at}.test.ts 2>&1 | tail -20` }],
]

function dispatchOne(supervisor, at) {
  const [tool, args] = CALLS[at % CALLS.length](at)
  const context = { session: `session-${Math.floor(at / 200)}`, turn: `turn-${Math.floor(at / 20)}`, host: 'claude' }
  const outcome = supervisor.dispatch('pre:tool', { tool, args }, { ...context, workspace: '/srv/project' })
  if (outcome instanceof Promise) throw new Error('the default pipeline must answer a tool call at once')
}

function commitsInto(file, synchronous) {
  const db = new Database(file)
  db.pragma('journal_mode = WAL')
  db.pragma(`synchronous = ${synchronous}`)
  db.exec('CREATE TABLE row (id INTEGER PRIMARY KEY, body TEXT NOT NULL)')
  const insert = db.prepare('INSERT INTO row (body) VALUES (?)')
  const body = JSON.stringify({ tool: 'Bash', args: { command: 'git diff --stat' }, decision: 'pass' })
  return () => insert.run(body)
}

function timeOf(run) {
  const start = process.hrtime.bigint()
  for (let at = 0; at < STEPS; at++) run()
  return Number(process.hrtime.bigint() - start) / STEPS
}
