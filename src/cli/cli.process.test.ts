// The version, and commands that read the records of a sample session.

import { execFile } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, it } from 'vitest'
import { ARC, jsonLines as linesOf, runArc } from '../../test/run-arc.ts'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { makeTempFolder } from '../../test/temp-folder.ts'

const PACKAGE_FILE = new URL('../../package.json', import.meta.url)

const ROOT = makeTempFolder('arc-home-')
// The records of the sample are in a home of the sample.
const HOME = join(ROOT, 'sample')
const arc = (...args: string[]) => runArcInProcess(args, { home: HOME })

// So that there is something on record.
beforeAll(() => runArc(['sample', '--wait', '0'], { home: ROOT }), 120_000)

it('--version prints the version of the package', async () => {
  const { version } = JSON.parse(readFileSync(PACKAGE_FILE, 'utf8')) as { version: string }
  expect(await runArc(['--version'], { home: HOME })).toEqual({ code: 0, stdout: `${version}\n`, stderr: '' })
})

it('L1 logs prints what its filters say: component, action, hook, decision, limit; and says what to do when empty', async () => {
  const rows = async (...args: string[]) => linesOf((await arc('logs', '--json', '--limit', '500', ...args)).stdout)
  const all = await rows('--component', 'hooks')
  expect(all.length).toBeGreaterThan(8)
  expect(all[0]).toMatchObject({
    component: 'hooks',
    session: expect.stringMatching(/^sample-/),
    host: 'sample',
    profile: 'sample',
  })
  const blocks = await rows('--action', 'hook:block')
  expect(new Set(blocks.map(({ decision }) => decision))).toEqual(new Set(['block']))
  expect(new Set((await rows('--hook', 'mask-keys')).map(({ hook }) => hook))).toEqual(new Set(['mask-keys']))
  expect(await rows('--component', 'hooks', '--decision', 'ask')).not.toEqual([])
  expect(await rows('--component', 'launch', '--action', 'hook:block')).toEqual([])
  expect(linesOf((await arc('logs', '--json', '--limit', '2', '--component', 'hooks')).stdout)).toHaveLength(2)
  expect((await arc('logs', '--action', 'hook:block')).stdout).toMatch(
    /\d\d:\d\d(?::\d\d)? ✗ hook:block risk-detection +pre:tool shell git push --force origin HEAD:main\s+Overwrites commits/,
  )
  expect(blocks.find(({ hook }) => hook === 'risk-detection')).toMatchObject({
    command: 'git push --force origin HEAD:main',
    project: expect.stringMatching(/\/repository$/),
  })
  expect((await arc('logs', '--component', 'hooks', '--session', 'nobody')).stderr).toContain('arc sample')
  expect(await arc('logs', '--since', 'yesterdayish')).toMatchObject({ code: 2 })
})

it('L2 why shows the last decision whole, finds others by the beginning of their id, and says when there is none', async () => {
  const [row] = linesOf((await arc('logs', '--json', '--decision', 'ask', '--limit', '1')).stdout)
  const id = String(row?.id)
  const shown = await arc('why', id)
  expect(shown.code).toBe(0)
  expect(shown.stdout).toContain('git branch -D experiment')
  expect(shown.stdout).toContain('decided  by risk-detection: Deletes a branch')
  expect(shown.stdout).toContain('instead  git branch -d deletes merged branches only.')
  expect(JSON.parse((await arc('why', 'last', '--any', '--json')).stdout)).toMatchObject({
    found: 'step',
    record: { point: 'session:end' },
  })
  expect(await arc('why', 'no-such-id')).toMatchObject({ code: 1, stderr: 'arc: there is no record no-such-id\n' })
})

it('L2 why shows an edit as a difference, and says so where the record hides both sides', async () => {
  const rows = linesOf((await arc('logs', '--json', '--hook', 'mask-keys')).stdout).filter(({ applied }) => applied)
  const whyAt = async (at: string) => {
    const row = rows.find(({ point }) => point === at)
    return (await arc('why', String(row?.id).replace(/\.\d+$/, ''))).stdout
  }
  expect(await whyAt('pre:message')).toMatch(/changed\n +- prompt: ".*\[redacted\]\."\n +\+ prompt: ".*sk-…\."\n/)
  expect(await whyAt('post:tool')).toContain('changed result (redacted)')
})

it('trace verify and export show the chain whole', async () => {
  const { code, stdout } = await arc('trace', 'verify', '--json')
  expect(code).toBe(0)
  const { ok, records } = JSON.parse(stdout) as { ok: boolean; records: number }
  expect(ok).toBe(true)
  expect(linesOf((await arc('trace', 'export')).stdout)).toHaveLength(records)
})

it('a reader that closes the pipe early is no error', async () => {
  const temporary = makeTempFolder('arc-pipe-')
  const ran = await new Promise<string>((resolve) => {
    const line = `"${process.execPath}" "${ARC}" sample --wait 0 --json | head -n 1`
    execFile(
      'sh',
      ['-c', line],
      { env: { ...process.env, ARC_HOME: ROOT, TMPDIR: temporary } },
      (_error, _stdout, stderr) => resolve(stderr),
    )
  })
  expect(ran).toBe('')
  expect(readdirSync(temporary).filter((name) => name.startsWith('arc-sample-'))).toEqual([])
})
