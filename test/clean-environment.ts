// The environment of the tests: the same on every machine. Nothing of the user's environment reaches a test or a process that a
// test starts, except the switches of the tests themselves.

import { mkdirSync } from 'node:fs'
import { dirname, join } from 'node:path'

// Set by vitest for its workers, and by people who run the tests with other input.
const PASSED_ON = /^(?:VITEST.*|ARC_BIN|ARC_ADVERSARY.*|CHROME_PATH|FUZZ_CASES|FUZZ_SEED)$/

const SYSTEM_PATH = '/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin'

/** Replaces this process's environment, which workers inherit. The home folder and all others are below `folder`. */
export function cleanEnvironment(folder: string): void {
  const home = join(folder, 'home')
  mkdirSync(home, { mode: 0o755 })
  const environment = buildEnvironment(process.env, { folder, home, node: process.execPath })
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
}

/** Where the tests run. */
export interface TestFolders {
  readonly folder: string
  readonly home: string
  /** The Node that runs the tests: found first in the PATH. */
  readonly node: string
}

/** The environment that tests get instead of the user's. */
export function buildEnvironment(user: NodeJS.ProcessEnv, { folder, home, node }: TestFolders): NodeJS.ProcessEnv {
  const passed = Object.entries(user).filter(([name]) => PASSED_ON.test(name))
  return {
    ...Object.fromEntries(passed),
    HOME: home,
    LANG: 'C.UTF-8',
    NODE_ENV: 'test',
    PATH: `${dirname(node)}:${SYSTEM_PATH}`,
    SHELL: '/bin/sh',
    // Also marks the processes of this run.
    TMPDIR: folder,
    TZ: 'UTC',
    XDG_STATE_HOME: join(folder, 'state'),
  }
}
