// Makes a checkout ready to run: installs and builds, each only when its result is missing or out of date.
// Runs on a fresh clone, so it must import nothing that has to be installed first. With --no-build it only installs.

import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { BUILD_STAMP, hashBuildInputs } from './build-inputs.mjs'
import { isAlive } from './is-alive.mjs'
import { runProgram, showProgress } from './progress.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const INSTALL_STAMP = join('node_modules', '.arc-setup')
const LOCK = join(ROOT, '.setup.lock')
// Well above what an install takes, even one that compiles a native module from source.
const LOCK_LIMIT_MS = 30 * 60_000

const TASKS = [
  { label: 'installing dependencies', isDone: isInstalled, run: install },
  { label: 'building', isDone: isBuilt, run: build },
].slice(0, process.argv.includes('--no-build') ? 1 : 2)

requireSupportedNode()
if (!TASKS.every((task) => task.isDone())) {
  takeLock()
  // Checked again inside the lock: another process may have done the work meanwhile.
  for (const task of TASKS) if (!task.isDone()) await runTask(task)
}

function requireSupportedNode() {
  const wanted = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')).engines.node
  const [major, minor] = versionParts(wanted)
  const [ownMajor, ownMinor] = versionParts(process.versions.node)
  if (ownMajor > major || (ownMajor === major && ownMinor >= minor)) return
  console.error(`Node ${major}.${minor} or newer is needed, this is ${process.versions.node} (${process.execPath}).`)
  process.exit(1)
}

function versionParts(text) {
  return text.match(/\d+/g).slice(0, 2).map(Number)
}

async function runTask({ label, run }) {
  const progress = showProgress(() => label)
  const { code, output } = await run()
  const seconds = (progress.stop() / 1000).toFixed(1)
  if (code === 0) {
    process.stderr.write(`${label}: ${seconds} s\n`)
    return
  }
  process.stderr.write(`${label} failed after ${seconds} s\n${output}`)
  process.exit(code)
}

function isInstalled() {
  return readIfThere(join(ROOT, INSTALL_STAMP)) === hashLockFile()
}

async function install() {
  const lockHash = hashLockFile()
  rmSync(join(ROOT, INSTALL_STAMP), { force: true })
  // The tools of the build are development dependencies, wanted even under NODE_ENV=production.
  const result = await runInRoot('npm', ['ci', '--include=dev', '--no-audit', '--no-fund'])
  if (result.code === 0) writeFileSync(join(ROOT, INSTALL_STAMP), lockHash)
  return result
}

function hashLockFile() {
  return createHash('sha256')
    .update(readFileSync(join(ROOT, 'package-lock.json')))
    .digest('hex')
}

function isBuilt() {
  return readIfThere(join(ROOT, BUILD_STAMP)) === hashBuildInputs(ROOT)
}

function build() {
  return runInRoot(process.execPath, [join(ROOT, 'scripts', 'build.mjs')])
}

function runInRoot(command, args) {
  // On Windows npm is a .cmd file, which only a shell can start.
  return runProgram(command, args, { cwd: ROOT, shell: process.platform === 'win32' && command === 'npm' })
}

function takeLock() {
  let isWaiting = false
  while (!tryLock()) {
    if (dropStaleLock()) continue
    if (!isWaiting) process.stderr.write('waiting for another setup to finish…\n')
    isWaiting = true
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 100)
  }
  process.on('exit', () => {
    if (lockOwner(LOCK) === process.pid) rmSync(LOCK, { recursive: true, force: true })
  })
}

// A directory that already names its owner is renamed into place: it succeeds for one process only, and there is
// no moment at which the lock exists without an owner.
function tryLock() {
  if (existsSync(LOCK)) return false
  const mine = `${LOCK}.${process.pid}`
  mkdirSync(mine, { recursive: true })
  writeFileSync(join(mine, 'owner'), String(process.pid))
  try {
    renameSync(mine, LOCK)
    return true
  } catch (error) {
    rmSync(mine, { recursive: true, force: true })
    // EPERM is how Windows says that the target exists.
    if (['ENOTEMPTY', 'EEXIST', 'EPERM'].includes(error.code)) return false
    throw error
  }
}

// Says whether it removed the lock of a process that ended without doing so.
function dropStaleLock() {
  if (!isStale(LOCK)) return false
  const taken = `${LOCK}.${process.pid}.stale`
  try {
    renameSync(LOCK, taken)
    // Another process may have put its live lock there between the look and the rename: give it back.
    if (!isStale(taken)) {
      renameSync(taken, LOCK)
      return false
    }
    rmSync(taken, { recursive: true, force: true })
    return true
  } catch (error) {
    if (error.code === 'ENOENT') return false
    throw error
  }
}

function isStale(lock) {
  const owner = lockOwner(lock)
  if (owner === undefined) return false
  const ageMs = Date.now() - (statSync(lock, { throwIfNoEntry: false })?.mtimeMs ?? Date.now())
  return ageMs > LOCK_LIMIT_MS || !isAlive(owner)
}

function lockOwner(lock) {
  const text = readIfThere(join(lock, 'owner'))
  return text === undefined ? undefined : Number(text)
}

function readIfThere(file) {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if (error.code === 'ENOENT') return undefined
    throw error
  }
}
