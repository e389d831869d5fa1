// Runs every check that decides whether the code is fit, one line each, and shows the output of checks that fail.
// All of them run even after a failure, so that one run shows everything there is to fix. With --with-tests the tests follow,
// and checks that passed are not repeated before anything changed.

import { spawnSync } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'
import { hashChecked, hasPassed, notePassed } from './check/unchanged.mjs'
import { runProgram, showProgress } from './progress.mjs'
import { installTestTools } from './test-tools.mjs'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

// The longest first: they run side by side.
const CHECKS = [
  { name: 'types and source rules', command: ['node', 'scripts/check/source-rules.mjs', 'tsconfig.json'] },
  { name: 'dead code', command: ['knip', '--cache', '--cache-location', join(ROOT, 'node_modules/.cache/arc/knip')] },
  { name: 'types of the package', command: ['node', 'scripts/check/package.mjs'] },
  { name: 'types of the page', command: ['node', 'scripts/check/source-rules.mjs', 'dashboard/tsconfig.json'] },
  {
    name: 'types of the browser tests',
    command: ['node', 'scripts/check/source-rules.mjs', 'test/browser/tsconfig.json'],
  },
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '.'] },
  { name: 'words', command: ['node', 'scripts/check/words.mjs'] },
  { name: 'docs in step', command: ['node', 'scripts/docs.mjs', '--check'] },
  { name: 'budget', command: ['node', 'scripts/check/budget.mjs', '--no-timing'] },
]

const { values } = parseArgs({ options: { 'with-tests': { type: 'boolean', default: false } } })
const beganAt = performance.now()
const hash = hashChecked(ROOT)
const isUnchanged = values['with-tests'] && hasPassed(ROOT, hash)
if (isUnchanged) console.log('ok      all checks: nothing has changed since they passed')
const [failed, installed] = await Promise.all([
  isUnchanged ? [] : runChecks(),
  values['with-tests'] ? installTestTools() : undefined,
])
if (installed !== undefined) console.log(installed)
if (failed.length === 0) notePassed(ROOT, hash)
if (values['with-tests'] && !runTests()) failed.push('tests')
console.log(`\n${values['with-tests'] ? 'checks and tests' : 'checks'}: ${secondsSince(beganAt)} s`)
if (failed.length > 0) {
  console.error(`failed: ${failed.join(', ')}`)
  process.exitCode = 1
}

async function runChecks() {
  const waiting = [...CHECKS]
  const running = []
  const failures = []
  const work = async () => {
    for (let check = waiting.shift(); check; check = waiting.shift()) {
      running.push(check.name)
      const startedAt = performance.now()
      const { code, output } = await start(check.command)
      running.splice(running.indexOf(check.name), 1)
      const seconds = secondsSince(startedAt)
      progress.clear()
      console.log(`${code === 0 ? 'ok    ' : 'failed'}  ${check.name.padEnd(26)} ${seconds.padStart(5)} s`)
      if (code === 0) continue
      failures.push(check.name)
      console.error(output.trimEnd())
    }
  }
  const working = Array.from({ length: Math.min(availableParallelism(), 4) }, work)
  const progress = showProgress(() => `checking ${running.join(', ')}`)
  await Promise.all(working)
  progress.stop()
  return failures
}

function secondsSince(startedAt) {
  return ((performance.now() - startedAt) / 1000).toFixed(1)
}

function start([tool, ...args]) {
  return runProgram(toolPath(tool), args, { cwd: ROOT, shell: needsShell(tool) })
}

function runTests() {
  const reporters = ['--reporter=default', '--reporter=./test/slowest-files.ts']
  const { status } = spawnSync(toolPath('vitest'), ['run', ...reporters], {
    cwd: ROOT,
    stdio: 'inherit',
    shell: needsShell('vitest'),
  })
  return status === 0
}

// The launchers in node_modules/.bin are .cmd files on Windows, which only a shell can start.
function needsShell(tool) {
  return process.platform === 'win32' && tool !== 'node'
}

function toolPath(tool) {
  return tool === 'node' ? process.execPath : join(ROOT, 'node_modules', '.bin', tool)
}
