// Tests run the same on every machine: no variable of the user reaches a test, and nothing is written into the user's
// folders.

import { mkdirSync, readdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'
import { runProgram } from './run-arc.ts'
import { makeTempFolder } from './temp-folder.ts'

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const VITEST = join(ROOT, 'node_modules/vitest/vitest.mjs')

it("K4 tests pass with a user's settings exported, and leave the user's folders untouched", async () => {
  const user = makeTempFolder('arc-user-')
  mkdirSync(join(user, 'profiles'))
  writeFileSync(join(user, 'profiles/default.json'), '{ "enforcement": "off" }')
  const before = readdirSync(user, { recursive: true })
  const folders = ['HOME', 'ARC_HOME', 'XDG_STATE_HOME', 'XDG_CONFIG_HOME', 'XDG_RUNTIME_DIR', 'CLAUDE_CONFIG_DIR']
  const env = {
    ...Object.fromEntries(folders.map((name) => [name, user])),
    ...{ ARC_PROFILE: 'none', ARC_DAEMON: 'ask', CLAUDECODE: '1', CI: '1', FORCE_COLOR: '3', GIT_DIR: user },
    ...{ NODE_ENV: 'production', npm_config_prefix: user, PATH: `${user}:${process.env.PATH}` },
  }
  // A file that compares its own environment, and a file that starts `arc`.
  const files = ['test/clean-environment.test.ts', 'src/daemon/hook-call/edited-steps.process.test.ts']
  const { code, stdout, stderr } = await runProgram(process.execPath, [VITEST, 'run', ...files], { cwd: ROOT, env })
  expect(code, `${stdout}${stderr}`).toBe(0)
  expect(stdout).toMatch(/Test Files.*2 passed/)
  expect(readdirSync(user, { recursive: true })).toEqual(before)
})
