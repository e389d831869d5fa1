// Runs the real binary, as a user does.

import { execFile } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { expect, it } from 'vitest'

const ARC = fileURLToPath(new URL('../../bin/arc', import.meta.url))
const PACKAGE_FILE = new URL('../../package.json', import.meta.url)

interface Ran {
  readonly code: number | string
  readonly stdout: string
  readonly stderr: string
}

function arc(...args: string[]): Promise<Ran> {
  return new Promise((resolve) => {
    execFile(process.execPath, [ARC, ...args], { env: { ...process.env, NO_COLOR: '1' } }, (error, stdout, stderr) => {
      resolve({ code: error?.code ?? 0, stdout, stderr })
    })
  })
}

it('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }
  expect(await arc('--version')).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

it.each([['--help'], ['sample', '--help']])('%s %s fits a screen and has an example', async (...args) => {
  const { code, stdout } = await arc(...args)
  expect(code).toBe(0)
  expect(stdout.split('\n').length).toBeLessThanOrEqual(24)
  expect(stdout).toContain('Example:\n  $ arc ')
})

it.each([
  [['smaple'], /unknown command 'smaple'[\s\S]*Did you mean sample\?/],
  [['sample', '--mode', 'strict'], /'strict' is invalid[\s\S]*off, log, advise, enforce/],
  [['sample', '--colour'], /unknown option '--colour'/],
])('%j is a usage error with exit code 2', async (args, message) => {
  const { code, stdout, stderr } = await arc(...args)
  expect(code).toBe(2)
  expect(stdout).toBe('')
  expect(stderr).toMatch(message)
})

it('the sample shows every kind of decision in enforce, and a failing hook', async () => {
  const { code, stdout } = await arc('sample')
  expect(code).toBe(0)
  expect(stdout).toMatch(/✗ block pre:tool {5}shell rm -rf build/)
  expect(stdout).toMatch(/✓ pass {2}pre:tool {5}shell echo "never use rm -rf in scripts"/)
  expect(stdout).toMatch(/\? ask {3}pre:tool {5}shell git push --force/)
  expect(stdout).toMatch(/style-checker.*failed \(crash\)/)
  expect(stdout).toContain('7 pass, 1 flag, 1 ask, 3 block.')
})

it('the sample changes and stops nothing in log, and says what it would have done', async () => {
  const { stdout } = await arc('sample', '--mode', 'log', '--json')
  const steps = stdout
    .trim()
    .split('\n')
    .map(
      (line) => JSON.parse(line) as { outcome: { blocked: boolean; decision: string }; result: string; what: string },
    )
  expect(steps.some(({ outcome }) => outcome.blocked)).toBe(false)
  const deleted = steps.find(({ what }) => what.includes('rm -rf build'))
  expect(deleted).toMatchObject({ outcome: { decision: 'flag' }, result: 'done' })
})

it('a reader that closes the pipe early is no error', async () => {
  const ran = await new Promise<string>((resolve) => {
    execFile('sh', ['-c', `"${process.execPath}" "${ARC}" sample --json | head -n 1`], (_error, _stdout, stderr) =>
      resolve(stderr),
    )
  })
  expect(ran).toBe('')
})
