// Runs every example as a user would, and compares what it prints.

import { execFile } from 'node:child_process'
import { readdirSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { expect, it } from 'vitest'

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url))
const run = promisify(execFile)

/** What each example prints: on stdout, and where it matters on stderr. */
const PRINTS: Readonly<Record<string, { readonly stdout: readonly string[]; readonly stderr?: readonly string[] }>> = {
  'hook-system/registration.mjs': { stdout: ['the handler runs', 'About to send: hello', 'the handler runs'] },
  'hook-system/abort.mjs': {
    stdout: [
      'shell rm: true Destructive command blocked by hook',
      'shell ls: false',
      'long prompt: true Prompt too large',
    ],
  },
  'hook-system/modify.mjs': { stdout: ['[Project: arc]', 'Explain the engine.', 'The key is [redacted].'] },
  'hook-system/errors.mjs': {
    stdout: ['the other hook still runs', 'log: flag false', 'skip: pass false', 'abort: block true must-work'],
    stderr: [
      'arc: hook anonymous#1 failed at pre:message: crash: Error: hook bug',
      'arc: hook must-work failed at pre:tool: crash: Error: the checker is broken',
    ],
  },
  'hook-system/enable-disable.mjs': { stdout: ['before: true', 'disabled: false false', 'enabled: true true'] },
  'supervision/circuit-breaker.mjs': {
    stdout: ['alert: circuit-breaker-tripped', 'open 3 enforce acts as log', 'closed 0 enforce acts as enforce'],
  },
  'supervision/retry.mjs': {
    stdout: ['log: 1 attempt', 'Retry 1: the answer does not show that the work is done', 'enforce: 2 attempts, Done.'],
  },
  'supervision/gate.mjs': {
    stdout: [
      'rm -rf build: blocked, /rm -rf/ is blocked by a rule of the gate',
      'npm publish: blocked, /npm publish/ is blocked by a rule of the gate',
      'npm test: goes ahead, nothing to object',
    ],
  },
  'collaboration/delegation.mjs': {
    stdout: [
      'assigned 1',
      'Done: LGTM — no issues found',
      'created → assigned → working → input-required → working → completed',
      'ARC_TASK_TRANSITION',
      'ARC_TASK_SELF',
      '0 0',
    ],
  },
  'hook-bus/custom-hook.mjs': { stdout: ['dangerous-tool: flag my-custom-hook', 'read: pass'] },
}

it('every example has its expected output here, and the other way round', () => {
  const files = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8' }).filter((file) => file.endsWith('.mjs'))
  expect(files.map((file) => file.replaceAll('\\', '/')).sort()).toEqual(Object.keys(PRINTS).sort())
})

it.each(Object.entries(PRINTS))('%s prints what it should', async (file, { stdout, stderr = [] }) => {
  const path = join(EXAMPLES, file)
  const printed = await run(process.execPath, [path], { cwd: dirname(path) })
  expect(linesOf(printed.stdout)).toEqual(stdout)
  expect(linesOf(printed.stderr)).toEqual(stderr)
})

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
