// Runs every example as a user would, and compares what it prints.

import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transform } from 'esbuild'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { onlyJson, type Ran, runArc, runProgram } from './run-arc.ts'
import { makeHome, PROFILE, type SupervisedHome } from './supervised-home.ts'

const EXAMPLES = fileURLToPath(new URL('../examples', import.meta.url))

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
    stdout: ['log: 1 attempt', 'Retry 1: The answer does not show that the work is done', 'enforce: 2 attempts, Done.'],
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
  'agents/plain-loop.mjs': {
    stdout: [
      'shell echo "never rm -rf / in a script": never rm -rf / in a script',
      'shell git reset --hard HEAD~3: block, Discards uncommitted changes. (git/reset-hard: destructive, tier 4) Instead: git stash keeps the changes. git diff shows them.',
      'shell git --version | cut -c 1-3: git',
      'Done: nothing was lost.',
      '5 steps recorded, chain intact',
    ],
  },
  'agents/vercel-ai.mjs': {
    stdout: [
      'git push --force → Overwrites commits that others have pushed. (git/push-force: destructive, tier 4)',
      'git push --force-with-lease → ran git push --force-with-lease',
      'Pushed.',
    ],
  },
  'agents/mcp-client.mjs': {
    stdout: ['read: todo: call …', 'delete: not sent, todo cannot be brought back; instead archive it'],
  },
  'hooks/hook-pack.ts': {
    stdout: [
      'infra/main.tf: block, people change this file',
      'src/main.ts: pass',
      'Explain all ',
      'make: flag',
      'without the pack: pass',
    ],
  },
  'hook-bus/custom-hook.mjs': { stdout: ['dangerous-tool: flag my-custom-hook', 'read: pass'] },
}

// Examples that no program runs directly: each has a test below.
const READ_BY_ARC = ['hooks/protect-main.sh', 'hooks/team.arma']

it('every example has its expected output here and a row in the README, and the other way round', () => {
  const all = readdirSync(EXAMPLES, { recursive: true, encoding: 'utf8', withFileTypes: true })
  const files = all.filter((entry) => entry.isFile()).map(({ parentPath, name }) => join(parentPath, name))
  const names = files.map((file) => relative(EXAMPLES, file).replaceAll('\\', '/')).filter((name) => /\//.test(name))
  expect(names.sort()).toEqual([...Object.keys(PRINTS), ...READ_BY_ARC].sort())
  const rows = [...readFileSync(join(EXAMPLES, 'README.md'), 'utf8').matchAll(/^\| `([^`]+)`/gm)].map(
    ([, name]) => name,
  )
  expect(rows.sort()).toEqual(names)
})

it('every example says on top what it shows', () => {
  for (const file of [...Object.keys(PRINTS), ...READ_BY_ARC]) {
    const text = readFileSync(join(EXAMPLES, file), 'utf8').replace(/^#!.*\n/, '')
    expect([file, text.slice(0, 2)]).toEqual([file, expect.stringMatching(/^(?:\/\/|# )/)])
  }
})

it.each(Object.entries(PRINTS))('%s prints what it should', async (file, { stdout, stderr = [] }) => {
  const path = join(EXAMPLES, file)
  const printed = await runExample(path)
  expect({ code: printed.code, stderr: linesOf(printed.stderr) }).toEqual({ code: 0, stderr })
  expect(linesOf(printed.stdout)).toEqual(stdout)
})

// Node 20 does not read TypeScript: its types are taken off first, as newer ones do.
async function runExample(path: string): Promise<Ran> {
  const options = { cwd: dirname(path) }
  if (!path.endsWith('.ts')) return runProgram(process.execPath, [path], options)
  const { code } = await transform(readFileSync(path, 'utf8'), { loader: 'ts', format: 'esm' })
  return runProgram(process.execPath, ['--input-type=module', '-'], { ...options, input: code })
}

describe('hooks/protect-main.sh', () => {
  let place: SupervisedHome

  beforeEach(() => {
    place = makeHome()
    place.write(PROFILE, {
      enforcement: 'enforce',
      commands: [
        { name: 'protect-main', event: 'pre:tool:shell', command: [join(EXAMPLES, 'hooks', 'protect-main.sh')] },
      ],
    })
  })
  afterEach(() => place.remove())

  const commitOn = async (branch: string, command = 'git commit -m x') => {
    await runProgram('git', ['init', '--quiet', `--initial-branch=${branch}`, place.project], {})
    const call = { hook_event_name: 'PreToolUse', tool_name: 'Bash', tool_input: { command }, tool_use_id: 'a' }
    const input = JSON.stringify({ ...call, session_id: 's', cwd: place.project })
    const env = { ARC_DAEMON: 'off' }
    return runArc(['hook', 'claude'], { home: place.home, cwd: place.project, input, env })
  }

  it('lets no agent commit on main, and says what to do instead', async () => {
    const { code, stderr } = await commitOn('main')
    expect(code).toBe(2)
    expect(stderr).toMatch(/Why: main takes no commits \[hook protect-main\]\nInstead: git switch -c my-branch/)
  })

  it('lets it commit elsewhere, and do anything else on main', async () => {
    expect(await commitOn('feature')).toMatchObject({ code: 0 })
    expect(await commitOn('main', 'git status')).toMatchObject({ code: 0 })
  })
})

describe('hooks/team.arma', () => {
  const SCRIPT = join(EXAMPLES, 'hooks', 'team.arma')
  let place: SupervisedHome

  beforeEach(() => {
    place = makeHome()
  })
  afterEach(() => place.remove())

  const decide = async (...args: string[]) => {
    const ran = await runArc(['script', 'run', SCRIPT, '--json', ...args], { home: place.home })
    const { outcome } = onlyJson<{ outcome: { decision: string; reason?: string } }>(ran)
    return `${outcome.decision} ${outcome.reason ?? ''}`.trim()
  }

  it('has no mistake, and decides as its lines say', async () => {
    const shell = (command: string) => decide('--tool', 'shell', '--data', JSON.stringify({ args: { command } }))
    expect(await shell('make deploy')).toBe('block deploys are for people')
    expect(await shell('make')).toBe('pass')
    expect(await decide('--tool', 'write_file', '--data', '{"args":{"path":"a.ts"}}')).toBe('flag a.ts is written')
    expect((await runArc(['script', 'check', SCRIPT], { home: place.home })).code).toBe(0)
  })
})

function linesOf(text: string): string[] {
  return text.split('\n').filter((line) => line !== '')
}
