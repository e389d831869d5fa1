// What can only be seen from outside: whether a process that ran commands ends, and what remains in it.

import { spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildSync } from 'esbuild'
import { beforeAll, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../../../test/temp-folder.ts'
import { isGroupAlive } from './terminate.ts'

const FIXTURES = fileURLToPath(new URL('fixtures', import.meta.url))

let folder: string
let bundle: string
beforeAll(() => {
  folder = makeTempFolder('arc-process-')
  bundle = join(folder, 'arc.mjs')
  const contents = `export { commandHandler } from './command.ts'\nexport { createEngine } from '../../../platform/hook-engine.ts'`
  buildSync({
    stdin: { contents, resolveDir: fileURLToPath(new URL('.', import.meta.url)) },
    outfile: bundle,
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node20',
  })
})

/** Runs a fixture as a separate process, to its end. */
function run(name: string, { prefix = '', args = [] as readonly string[] } = {}) {
  const command = `${prefix} exec "$0" "$@"`
  const all = ['-c', command, process.execPath, join(FIXTURES, name), bundle, ...args]
  const { stdout, stderr, status } = spawnSync('sh', all, { encoding: 'utf8', timeout: 100_000 })
  expect({ stderr, status }).toEqual({ stderr: '', status: 0 })
  return { result: JSON.parse(stdout) }
}

describe('a process', () => {
  it('H4 with 50 commands at once is left with no child, no descriptor and no timer', () => {
    const { decisions, before, after } = run('many.mjs').result
    expect(decisions).toHaveLength(50)
    const expected = Array.from({ length: 50 }, (_, index) => (index % 7 === 6 ? 'pass' : 'flag'))
    expect(decisions).toEqual(expected)
    expect(after.children).toEqual([])
    expect(after.resources.filter((kind: string) => kind === 'Timeout')).toEqual([])
    expect(after).toEqual(before)
  })

  it('D7 is not kept alive by an idle helper, nor by limits of a minute', () => {
    // It has to end within the time limit of `run`, which is shorter than its own.
    const { result } = run('idle.mjs', { args: [join(FIXTURES, 'helper.mjs')] })
    expect(result).toMatchObject({ tool: 'one' })
  })

  it('H4 takes its helper with it', async () => {
    const { result } = run('idle.mjs', { args: [join(FIXTURES, 'helper.mjs')] })
    await expect.poll(() => isGroupAlive(result.pid), { timeout: 60_000 }).toBe(false)
  })

  it('D6 out of file descriptors has a hook that could not start, and continues when there are some', () => {
    const { result } = run('no-descriptors.mjs', { prefix: 'ulimit -n 60;' })
    expect(result).toEqual([
      { cause: 'failure:start', reason: expect.stringContaining('too many open files') },
      { cause: 'failure:start', reason: expect.stringContaining('too many open files') },
      { cause: 'policy' },
      { cause: 'policy' },
    ])
  })
})
