// The workspace of the sample agent: a git repository with a remote, and a configuration of ARC, in one temporary folder.
// The user's configuration of git, ARC and agents is neither read nor changed.

import { execFile } from 'node:child_process'
import { rmSync } from 'node:fs'
import { mkdir, mkdtemp, realpath, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { ArcError, describe } from '../../../engine/errors.ts'
import { context } from '../../context.ts'

/** The folders of a session. */
export interface SampleWorkspace {
  /** The repository of the agent. */
  readonly repository: string
  /** The home with the configuration of the session. */
  readonly configHome: string
  /** Removes the folders; safe to call twice. */
  remove(): Promise<void>
  /** Removes the folders synchronously, when the process exits. */
  removeNow(): void
}

/** The profile of the session. */
export const SAMPLE_PROFILE = 'sample'

const FILES = {
  'package.json': '{ "name": "sample", "type": "module" }\n',
  'sum.js': 'export const sum = (a, b) => a - b\n',
  'sum.test.js': [
    "import assert from 'node:assert'",
    "import { test } from 'node:test'",
    "import { sum } from './sum.js'",
    '',
    "test('sum adds', () => assert.equal(sum(2, 3), 5))",
    '',
  ].join('\n'),
  'test.sh': 'node --test --test-reporter=tap >test.log\ngrep -e "^# pass" -e "^# fail" test.log\n',
  '.env': 'API_KEY=sk-live-0000111122223333\n',
  '.gitignore': '.env\ntest.log\n',
}

// A shell hook as a user would write it: a turn may end only after the tests have passed.
const TESTS_FIRST = `grep -qs '^# pass 1' test.log || { echo 'The tests have not passed since the edit.' >&2; exit 2; }`

const PROFILE = {
  commands: [{ name: 'tests-first', event: 'pre:turn:end', command: TESTS_FIRST, priority: 60 }],
  hooks: {
    'subagent-inject': { options: { rules: ['Change nothing: read, and say what you find.'] } },
  },
}

/** Creates the folders. Fails without git. */
export async function makeWorkspace(): Promise<SampleWorkspace> {
  const root = await realpath(await mkdtemp(join(tmpdir(), 'arc-sample-')))
  // Child processes of the agent may still write for a moment.
  const options = { recursive: true, force: true, maxRetries: 10, retryDelay: 50 }
  const remove = (): Promise<void> => rm(root, options)
  const removeNow = (): void => rmSync(root, options)
  try {
    const repository = join(root, 'repository')
    const configHome = join(root, 'arc')
    await writeFiles(repository, FILES)
    await writeFiles(join(configHome, 'profiles'), { [`${SAMPLE_PROFILE}.json`]: `${JSON.stringify(PROFILE)}\n` })
    await makeRepository(repository, join(root, 'remote.git'))
    return { repository, configHome, remove, removeNow }
  } catch (error) {
    await remove()
    if ((error as NodeJS.ErrnoException).code !== 'ENOENT') throw error
    throw new ArcError('ARC_SAMPLE_FAILED', `The sample needs git, but git cannot be started: ${describe(error)}.`)
  }
}

/** An environment in which git reads only the repository's own configuration. */
export function gitEnvironment(): NodeJS.ProcessEnv {
  const inherited = Object.entries(context().env).filter(([name]) => !name.startsWith('GIT_'))
  const person = { NAME: 'Sample', EMAIL: 'sample@example.com' }
  const people = Object.entries(person).flatMap(([key, value]) => [
    [`GIT_AUTHOR_${key}`, value],
    [`GIT_COMMITTER_${key}`, value],
  ])
  const none = { GIT_CONFIG_GLOBAL: '/dev/null', GIT_CONFIG_NOSYSTEM: '1', GIT_TERMINAL_PROMPT: '0' }
  return { ...Object.fromEntries([...inherited, ...people]), ...none }
}

async function makeRepository(repository: string, remote: string): Promise<void> {
  const git = (...args: string[]) => run('git', args, { cwd: repository, env: gitEnvironment() })
  await git('init', '--quiet', '--initial-branch=main')
  await git('init', '--quiet', '--bare', '--initial-branch=main', remote)
  await git('remote', 'add', 'origin', remote)
  await git('add', '.')
  await git('commit', '--quiet', '-m', 'a first try')
  await git('push', '--quiet', '--set-upstream', 'origin', 'main')
  await git('branch', 'experiment')
  await git('switch', '--quiet', '--create', 'fix-sum')
}

async function writeFiles(folder: string, files: Readonly<Record<string, string>>): Promise<void> {
  await mkdir(folder, { recursive: true })
  await Promise.all(Object.entries(files).map(([name, text]) => writeFile(join(folder, name), text)))
}

const run = promisify(execFile)
