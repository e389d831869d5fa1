// Runs every check that of the sources, one line each, and shows the output of those that fail.
// All of them run even after a failure, so that one run shows every failure.

import { spawnSync } from 'node:child_process'
import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { parseArgs } from 'node:util'

const ROOT = fileURLToPath(new URL('..', import.meta.url))

const CHECKS = [
  { name: 'format and lint', command: ['biome', 'ci', '--colors=off', '.'] },
  { name: 'types', command: ['tsc', '--noEmit'] },
  { name: 'types of the page', command: ['tsc', '--noEmit', '-p', 'dashboard'] },
  { name: 'types of the browser tests', command: ['tsc', '--noEmit', '-p', 'test/browser'] },
  { name: 'source rules', command: ['node', 'scripts/check/source-rules.mjs'] },
  { name: 'words', command: ['node', 'scripts/check/words.mjs'] },
  { name: 'dead code', command: ['knip'] },
  { name: 'docs in step', command: ['node', 'scripts/docs.mjs', '--check'], needs: 'scripts/docs.mjs' },
  { name: 'budget', command: ['node', 'scripts/check/budget.mjs', '--no-timing'] },
]
const TESTS = { name: 'tests', command: ['vitest', 'run'], isStreamed: true }

const { values } = parseArgs({ options: { 'with-tests': { type: 'boolean', default: false } } })
const checks = (values['with-tests'] ? [...CHECKS, TESTS] : CHECKS).filter(isApplicable)
const failed = checks.filter((check) => !runCheck(check))
if (failed.length > 0) {
  console.error(`\nfailed: ${failed.map((check) => check.name).join(', ')}`)
  process.exitCode = 1
}

function isApplicable(check) {
  return !check.needs || existsSync(join(ROOT, check.needs))
}

function runCheck({ name, command, isStreamed = false }) {
  const [tool, ...args] = command
  const startedAt = performance.now()
  const result = spawnSync(toolPath(tool), args, {
    cwd: ROOT,
    encoding: 'utf8',
    maxBuffer: 1 << 28,
    stdio: isStreamed ? 'inherit' : 'pipe',
    // The launchers in node_modules/.bin are .cmd files on Windows, which only a shell can start.
    shell: process.platform === 'win32' && tool !== 'node',
  })
  const isOk = result.status === 0
  const seconds = ((performance.now() - startedAt) / 1000).toFixed(1)
  console.log(`${isOk ? 'ok    ' : 'failed'}  ${name.padEnd(18)} ${seconds.padStart(5)} s`)
  if (!isOk) console.error(`${result.stdout ?? ''}${result.stderr ?? ''}${result.error?.message ?? ''}`.trimEnd())
  return isOk
}

function toolPath(tool) {
  return tool === 'node' ? process.execPath : join(ROOT, 'node_modules', '.bin', tool)
}
