// `arc sample`: a real agent process in a real repository, through the pipeline that users run.

import { spawn } from 'node:child_process'
import { mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { afterEach, beforeEach, expect, it, vi } from 'vitest'
import { ARC, jsonLines, runArc } from '../../../test/run-arc.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'
import { buildFeedStep } from '../../daemon/live/feed-steps.ts'
import { readAfter } from '../../daemon/live/trace-scan.ts'
import { SqliteTraceStore } from '../../storage/sqlite/trace-store.ts'
import type { SampleEvent, SampleStep } from './sample/sample-events.ts'

let place: SupervisedHome

// A session is twenty processes: on a busy machine that takes a while.
vi.setConfig({ testTimeout: 120_000 })

beforeEach(() => {
  place = makeHome()
  mkdirSync(join(place.root, 'tmp'))
})
afterEach(() => place.remove())

// With a separate temporary folder, so that files left behind are found.
const envOf = () => ({ TMPDIR: join(place.root, 'tmp'), HOME: place.root })
const arc = (...args: string[]) => runArcInProcess(args, { home: place.home, env: envOf() })
const sampleHome = () => join(place.home, 'sample')
const inSample = (...args: string[]) => runArcInProcess(args, { home: sampleHome(), env: envOf() })
const leftBehind = () => readdirSync(join(place.root, 'tmp')).filter((name) => name.startsWith('arc-sample-'))

async function play(...args: string[]): Promise<SampleStep[]> {
  const { code, stdout, stderr } = await arc('sample', '--wait', '0', '--json', ...args)
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  return (jsonLines(stdout) as unknown as SampleEvent[]).filter((event) => event.kind === 'step')
}

const find = (steps: readonly SampleStep[], what: string) => steps.filter((step) => step.what.includes(what))

it('shows every kind of decision, an edit and a failing test that passes in the end', async () => {
  const steps = await play()
  expect(new Set(steps.map(({ outcome }) => outcome.decision))).toEqual(new Set(['pass', 'flag', 'ask', 'block']))
  expect(find(steps, 'test.sh').map(({ result }) => result)).toEqual(['# pass 0\n# fail 1', '# pass 1\n# fail 0'])
  expect(find(steps, 'git push --force')).toMatchObject([
    { outcome: { decision: 'block', hook: 'risk-detection' }, result: 'not run' },
  ])
  expect(find(steps, 'git commit')).toMatchObject([{ outcome: { decision: 'pass' } }])
  expect(find(steps, 'git branch -D')).toMatchObject([
    { outcome: { decision: 'ask' } },
    { outcome: { decision: 'block' }, result: 'not run: no answer in time' },
  ])
  expect(find(steps, 'Fix the failing test')).toMatchObject([{ result: expect.stringContaining('sk-….') }])
  expect(find(steps, 'cat .env')).toMatchObject([{ outcome: { decision: 'flag' }, result: 'API_KEY=sk-…' }, {}])
  expect(find(steps, 'ends its turn').map(({ outcome }) => outcome.control)).toEqual(['continue', 'proceed'])
  expect(find(steps, 'task for reviewer')).toMatchObject([{ result: 'done: No issues found' }])
  expect(find(steps, 'before it is my turn')).toMatchObject([{ outcome: { decision: 'block', hook: 'roundtable' } }])
  expect(leftBehind()).toEqual([])
  // The approval is gone with the step that waited for it.
  expect(jsonLines((await inSample('approvals', 'list', '--json')).stdout)).toEqual([[]])
})

it('says of each call that ran which step let it run, so that the page shows one row for both', async () => {
  const steps = await play()
  const trace = new SqliteTraceStore(join(sampleHome(), 'arc.db'))
  const gathered = readAfter(trace, 0, { limit: 1_000 }).steps.map((step) => buildFeedStep(step))
  trace.close()
  const after = gathered.filter(({ phase }) => phase === 'after')
  const before = new Set(gathered.filter(({ phase }) => phase === 'before').map(({ id }) => id))
  expect(after.length).toBeGreaterThan(5)
  expect(after.filter(({ action }) => !before.has(action))).toEqual([])
  const ran = find(steps, 'git commit').map(({ id }) => id)
  expect(after.filter(({ action }) => ran.includes(action))).toMatchObject([{ ranMs: expect.any(Number) }])
})

it('changes and stops nothing in log, and what it tries really happens', async () => {
  const steps = await play('--mode', 'log')
  expect(steps.some(({ outcome }) => outcome.blocked)).toBe(false)
  expect(find(steps, 'git branch -D')).toMatchObject([
    { outcome: { decision: 'flag' }, result: expect.stringContaining('Deleted branch experiment') },
  ])
  expect(find(steps, 'git branch -D')[0]?.evaluations).toContainEqual(
    expect.objectContaining({ hook: 'risk-detection', decision: 'ask', applied: false }),
  )
})

it("runs with its own configuration: the user's is neither used nor changed", async () => {
  const own = { enforcement: 'off', hooks: { 'risk-detection': { enabled: false } } }
  const file = place.write(PROFILE, own)
  place.write('home/config.json', '{ "profile": "default", "enforcment": 1 }')
  const before = readFileSync(file, 'utf8')
  const steps = await play()
  expect(find(steps, 'git push --force')).toMatchObject([{ outcome: { decision: 'block' } }])
  expect(readFileSync(file, 'utf8')).toBe(before)
  expect(readdirSync(place.root).sort()).toEqual(['home', 'project', 'tmp'])
  // The user's own record does not even begin.
  expect(readdirSync(place.home).sort()).toEqual(['config.json', 'profiles', 'sample'])
  expect(readdirSync(sampleHome()).filter((name) => !/^arc\.db|^anchors$|^unrecorded$/.test(name))).toEqual([])
  expect(readdirSync(join(place.home, 'profiles'))).toEqual(['default.json'])
})

it.each(['approve', 'deny'] as const)('a held step hears the answer of a person: %s', async (word) => {
  askNobody(sampleHome())
  const env = { ...process.env, ...envOf(), ARC_HOME: place.home }
  const child = spawn(process.execPath, [ARC, 'sample', '--json', '--wait', '60'], { env })
  const last: string[] = []
  for await (const line of createInterface({ input: child.stdout })) {
    const event = JSON.parse(line) as SampleEvent
    if (event.kind === 'hold') expect((await inSample('approvals', word, event.approval)).code).toBe(0)
    else if (event.what.includes('git branch -D')) last.push(`${event.outcome.decision} ${event.result ?? ''}`)
  }
  const result = word === 'approve' ? /^pass Deleted branch experiment/ : /^block not run: denied$/
  expect(last).toEqual(['ask ', expect.stringMatching(result)])
})

it('removes its folder also when it is interrupted, with its agent', async () => {
  const env = { ...process.env, ...envOf(), ARC_HOME: place.home }
  const child = spawn(process.execPath, [ARC, 'sample', '--json', '--wait', '600'], { env })
  const ended = new Promise((resolve) => child.on('exit', (code) => resolve(code)))
  for await (const line of createInterface({ input: child.stdout })) {
    if ((JSON.parse(line) as SampleEvent).kind === 'hold') child.kill('SIGTERM')
  }
  expect(await ended).toBe(130)
  expect(leftBehind()).toEqual([])
})

it('says what is missing where there is no git, and that a wait is a number', async () => {
  const { code, stderr } = await runArc(['sample'], { home: place.home, env: { ...envOf(), PATH: place.project } })
  expect(code).toBe(1)
  expect(stderr).toMatch(/^arc: The sample needs git/)
  expect(leftBehind()).toEqual([])
  expect(await arc('sample', '--wait', 'soon')).toMatchObject({ code: 2, stderr: expect.stringContaining('seconds') })
})

it('tells a person what to do next, in lines that fit', async () => {
  const { stdout } = await arc('sample', '--wait', '0')
  const lines = stdout.trimEnd().split('\n')
  expect(lines.filter((line) => line.length > 80)).toEqual([])
  const [, home, id = ''] = /ARC_HOME=(\S+) \S*arc why (\w+)/.exec(lines.at(-2) ?? '') ?? []
  expect(home).toBe('~/home/sample')
  expect((await inSample('why', id)).stdout).toContain('git push --force origin')
  expect(lines.at(-1)).toMatch(/^Supervise your own agents: {2}\S*arc install$/)
})
