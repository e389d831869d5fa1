// Builds dist: the library (index.js), the CLI (cli/main.cjs, hook.cjs, commands.cjs), the page (dashboard) and the types.
// Everything is built in a temporary folder and moved at the end, so dist is never half new.

import { execFile } from 'node:child_process'
import { existsSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import esbuild from 'esbuild'
import * as vite from 'vite'
import { BUILD_STAMP, hashBuildInputs } from './build-inputs.mjs'
import { isAlive } from './is-alive.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const DIST = join(ROOT, 'dist')
const PACKAGE = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8'))
const STAGE = join(ROOT, `dist.tmp-${process.pid}`)

const LIBRARY_ENTRIES = {
  index: 'src/index.ts',
  bus: 'src/bus.ts',
  compat: 'src/compat.ts',
  config: 'src/config.ts',
  hosts: 'src/hosts.ts',
  risk: 'src/risk.ts',
  tasks: 'src/tasks.ts',
  trace: 'src/trace.ts',
  testing: 'src/testing/index.ts',
}
// Bundles of the CLI that are loaded with a code cache.
const CACHED_ENTRIES = { hook: 'src/cli/hook/main.ts', commands: 'src/cli/commands.ts' }
const MAIN_ENTRY = 'src/cli/main.ts'
// The thread that verifies a long trace.
const WORKER_ENTRY = 'src/storage/sqlite/verify-worker.ts'

const URL_BANNER = 'const arcUrl = require("node:url").pathToFileURL(__filename).href;'
// A cached bundle is a function, which is given what a CommonJS module has.
const FUNCTION_BANNER = `(function (exports, require, module, __filename, __dirname) { ${URL_BANNER}`

const SHARED = {
  absWorkingDir: ROOT,
  bundle: true,
  format: 'esm',
  platform: 'node',
  target: 'node20.19',
  logLevel: 'silent',
}

const CLI = {
  format: 'cjs',
  minify: true,
  external: optionalPackages(),
  // The module form of a package, where it has one: jsonc-parser's other form cannot be bundled.
  mainFields: ['module', 'main'],
  define: { ARC_VERSION: JSON.stringify(PACKAGE.version), 'import.meta.url': 'arcUrl' },
  banner: { js: URL_BANNER },
}

// Played through the bundle of the hook, so that the functions that it needs are compiled.
const SAMPLE_CALL = {
  ...{ session_id: 'build', cwd: ROOT, hook_event_name: 'PreToolUse', tool_use_id: 'build' },
  ...{ tool_name: 'Bash', tool_input: { command: 'git reset --hard && ls "$HOME" | head' } },
}

await main()

async function main() {
  const startedAt = performance.now()
  requireEntries()
  removeLeftovers()
  // Taken before the build: a file edited while it runs must make the result out of date.
  const inputs = hashBuildInputs(ROOT)
  const results = await Promise.allSettled([buildLibrary(), buildCli(), buildDashboard(), buildTypes()])
  const failures = results.filter((result) => result.status === 'rejected')
  if (failures.length > 0) {
    rmSync(STAGE, { recursive: true, force: true })
    for (const { reason } of failures) console.error(reason.message)
    process.exit(1)
  }
  writeFileSync(join(STAGE, basename(BUILD_STAMP)), inputs)
  // Each build has its own name: a daemon is replaced when another build is installed.
  const build = `${PACKAGE.version}+${inputs.slice(0, 12)}`
  writeFileSync(join(STAGE, 'build.json'), `${JSON.stringify({ version: PACKAGE.version, build })}\n`)
  moveIntoPlace()
  console.log(`built dist in ${((performance.now() - startedAt) / 1000).toFixed(1)} s`)
}

function requireEntries() {
  const entries = [...Object.values(LIBRARY_ENTRIES), ...Object.values(CACHED_ENTRIES), MAIN_ENTRY, WORKER_ENTRY]
  const missing = entries.filter((entry) => !existsSync(join(ROOT, entry)))
  if (missing.length === 0) return
  console.error(`cannot build: ${missing.join(' and ')} not found`)
  process.exit(1)
}

function buildLibrary() {
  return bundle('the library', {
    entryPoints: LIBRARY_ENTRIES,
    outdir: STAGE,
    chunkNames: 'chunks/[name]-[hash]',
    // Shared code stays shared: a Failure made by one entry must be known to the other.
    splitting: true,
    packages: 'external',
    sourcemap: true,
  })
}

// One file for the hook, for which hosts wait on every call, and one for all other commands: both with compiled code.
async function buildCli() {
  const folder = join(STAGE, 'cli')
  const single = (entry, outfile) => bundle(entry, { ...CLI, entryPoints: [entry], outfile: join(folder, outfile) })
  const cached = Object.entries(CACHED_ENTRIES).map(([name, entry]) => buildCached(entry, join(folder, `${name}.cjs`)))
  await Promise.all([single(MAIN_ENTRY, 'main.cjs'), single(WORKER_ENTRY, 'verify-worker.cjs'), ...cached])
}

async function buildCached(entry, outfile) {
  const banner = { js: FUNCTION_BANNER }
  const output = { outfile, banner, footer: { js: '})' }, legalComments: 'external' }
  await bundle(entry, { ...CLI, ...output, entryPoints: [entry] })
  const home = mkdtempSync(join(tmpdir(), 'arc-build-'))
  try {
    await playThrough(outfile, home)
  } finally {
    rmSync(home, { recursive: true, force: true })
  }
}

async function buildDashboard() {
  // Tests build as well, with another NODE_ENV; the result must be the same.
  process.env.NODE_ENV = 'production'
  const build = { outDir: join(STAGE, 'dashboard') }
  await vite.build({ configFile: join(ROOT, 'dashboard', 'vite.config.ts'), build }).catch((failure) => {
    throw new Error(`building the dashboard failed\n${failure.message}`)
  })
}

function playThrough(file, home) {
  const args = [join(ROOT, 'scripts', 'cache-code.mjs'), file]
  const env = { ...process.env, HOME: home, ARC_HOME: join(home, '.arc'), ARC_PROFILE: '', ARC_DAEMON: 'off' }
  return new Promise((resolve) => {
    const child = execFile(process.execPath, args, { cwd: ROOT, env, timeout: 60_000 }, (failure) => {
      // It works without, only more slowly.
      if (failure) console.error(`the code of ${basename(file)} is not cached: ${failure.message}`)
      resolve()
    })
    child.stdin.end(JSON.stringify(SAMPLE_CALL))
  })
}

function optionalPackages() {
  return Object.keys({ ...PACKAGE.optionalDependencies, ...PACKAGE.peerDependencies })
}

async function bundle(name, options) {
  const { errors, warnings } = await esbuild.build({ ...SHARED, ...options }).catch((failure) => failure)
  const messages = [
    ...(await esbuild.formatMessages(errors, { kind: 'error' })),
    ...(await esbuild.formatMessages(warnings, { kind: 'warning' })),
  ].join('')
  if (errors.length > 0) throw new Error(`bundling ${name} failed\n${messages}`)
  if (messages) console.error(messages)
}

async function buildTypes() {
  const tsc = join(ROOT, 'node_modules', 'typescript', 'bin', 'tsc')
  const args = [tsc, '-p', join(ROOT, 'tsconfig.build.json'), '--outDir', join(STAGE, 'types')]
  await promisify(execFile)(process.execPath, args, { cwd: ROOT, maxBuffer: 1 << 26 }).catch((failure) => {
    throw new Error(`emitting the types failed\n${failure.stdout}${failure.stderr}`)
  })
}

// Another build may do the same at this moment; the second build finds dist again and moves it aside too.
function moveIntoPlace() {
  const old = join(ROOT, `dist.old-${process.pid}`)
  for (let attempt = 1; ; attempt += 1) {
    if (existsSync(DIST)) moveAside(old)
    try {
      renameSync(STAGE, DIST)
      break
    } catch (error) {
      if (attempt === 5) throw error
    } finally {
      rmSync(old, { recursive: true, force: true })
    }
  }
}

function moveAside(old) {
  try {
    renameSync(DIST, old)
  } catch (error) {
    if (error.code !== 'ENOENT') throw error
  }
}

// What a killed build left behind; folders of builds that still run are not ours to remove.
function removeLeftovers() {
  for (const name of readdirSync(ROOT)) {
    const pid = Number(/^dist\.(?:tmp|old)-(\d+)$/.exec(name)?.[1])
    if (pid && !isAlive(pid)) rmSync(join(ROOT, name), { recursive: true, force: true })
  }
}
