// Faults of the database: locked, swapped, cut, removed or changed by another program.

import { spawn } from 'node:child_process'
import {
  closeSync,
  copyFileSync,
  existsSync,
  fstatSync,
  openSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  writeSync,
} from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { Caller } from '../calls.mjs'

const CLIENT = fileURLToPath(new URL('database-client.mjs', import.meta.url))
const SUFFIXES = ['', '-wal', '-shm']
const LOCK_MS = 5_000
const PAGE_BYTES = 8_192

export const DATABASE_FAULTS = {
  'lock-immediate': { forMs: LOCK_MS, start: (stage) => runClient(stage, 'lock', 'IMMEDIATE'), stop: endClient },
  'lock-exclusive': { forMs: LOCK_MS, start: (stage) => runClient(stage, 'lock', 'EXCLUSIVE'), stop: endClient },
  'database-moved': {
    ...{ forMs: 3_000, verify: 'either' },
    start: (stage) => moveAway(stage),
    stop: moveBack,
  },
  'database-replaced': {
    ...{ forMs: 3_000, verify: 'either' },
    start: async (stage) => {
      const other = await makeOtherDatabase(stage)
      const folder = moveAway(stage)
      copyFileSync(other, stage.database)
      return folder
    },
    stop: moveBack,
  },
  'database-removed': { forMs: 3_000, destroys: true, verify: 'notices', start: (stage) => remove(stage, SUFFIXES) },
  'database-truncated': {
    ...{ forMs: 3_000, destroys: true, verify: 'notices' },
    start: ({ database }) => truncateSync(database, Math.floor(statSync(database).size / 2)),
  },
  'database-overwritten': {
    ...{ forMs: 3_000, destroys: true, verify: 'notices' },
    start: ({ database }) => overwrite(database),
  },
  // Only the file itself: its log and the index of the log stay.
  'database-unlinked': { forMs: 3_000, destroys: true, verify: 'notices', start: (stage) => remove(stage, ['']) },
  'shm-removed': { forMs: 3_000, destroys: true, verify: 'either', start: (stage) => remove(stage, ['-shm']) },
  'logs-removed': { forMs: 3_000, destroys: true, verify: 'either', start: (stage) => remove(stage, ['-wal', '-shm']) },
  'wal-removed': { forMs: 3_000, destroys: true, verify: 'either', start: (stage) => remove(stage, ['-wal']) },
  'newer-schema': {
    forMs: 3_000,
    start: (stage) => setSchema(stage, 9999),
    stop: (stage, before) => setSchema(stage, before),
  },
}

// Another program with the database open.
function runClient(stage, ...args) {
  const child = spawn(process.execPath, [CLIENT, stage.database, ...args], { env: stage.env, stdio: 'pipe' })
  child.stderr.on('data', (text) => stage.log(`database client: ${text}`))
  child.ended = new Promise((resolve) => child.on('exit', resolve))
  child.ready = Promise.race([new Promise((resolve) => child.stdout.once('data', resolve)), child.ended])
  return child
}

async function endClient(_stage, child) {
  child.stdin.on('error', () => undefined)
  child.stdin.end()
  await child.ended
}

// Returns the number that it had.
async function setSchema(stage, number) {
  const child = runClient(stage, 'schema', String(number))
  const before = await child.ready
  await child.ended
  return Number(before)
}

// A whole database with records, of another home.
async function makeOtherDatabase(stage) {
  const home = join(stage.root, 'other-home')
  const caller = new Caller({ name: 'other', cwd: stage.projects[0] })
  const env = { ARC_HOME: home, ARC_DAEMON: 'off' }
  await stage.arc(['hook', 'claude'], { input: caller.next().payload, env })
  return join(home, 'arc.db')
}

function moveAway(stage) {
  const folder = stage.makeAside()
  moveFiles(stage.database, join(folder, 'arc.db'))
  return folder
}

function moveFiles(from, to) {
  for (const suffix of SUFFIXES) if (existsSync(from + suffix)) renameSync(from + suffix, to + suffix)
}

// The database that was made at its path meanwhile is set aside, for the comparison.
function moveBack(stage, folder) {
  stage.setAside.push({ folder: moveAway(stage), until: Date.now() })
  moveFiles(join(folder, 'arc.db'), stage.database)
}

// In place, from the second page on.
function overwrite(database) {
  const file = openSync(database, 'r+')
  try {
    writeSync(
      file,
      Buffer.alloc(Math.max(PAGE_BYTES, fstatSync(file).size - PAGE_BYTES), 'x'),
      0,
      undefined,
      PAGE_BYTES,
    )
  } finally {
    closeSync(file)
  }
}

function remove({ database }, suffixes) {
  for (const suffix of suffixes) rmSync(database + suffix, { force: true })
}
