// `arc check` with the built-in hooks, through the real binary.

import { readdirSync } from 'node:fs'
import { afterEach, beforeEach, expect, it } from 'vitest'
import { jsonLines, onlyJson, type Ran } from '../../../test/json-output.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { LAYER, makeHome, PROFILE, type SupervisedHome } from '../../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
})
afterEach(() => place.remove())

const arc = (...args: string[]): Promise<Ran> => runArcInProcess(args, { home: place.home, cwd: place.project })
const feed = (input: string, ...args: string[]) =>
  runArcInProcess(args, { home: place.home, cwd: place.project, input })

const CASES = [
  ['ls -la', 0, { decision: 'pass', effect: 'read-only', tier: 1, rule: null, span: null, alternative: null }],
  ['rm /srv/app/notes.txt', 0, { decision: 'flag', effect: 'destructive', tier: 3, hook: 'risk-detection' }],
  ['git push --force', 2, { decision: 'block', effect: 'destructive', tier: 4, rule: 'git/push-force' }],
  ['rm -rf /', 2, { decision: 'block', effect: 'destructive', tier: 5, rule: 'filesystem/delete-everything' }],
  ['echo "rm -rf /"', 0, { decision: 'pass', effect: 'read-only', rule: null }],
] as const

it.each(CASES)('B10 %j: effect, tier, rule and exit code %d', async (command, code, expected) => {
  const ran = await arc('check', '--json', '--', command)
  expect([ran.code, ran.stderr]).toEqual([code, ''])
  expect(onlyJson(ran)).toMatchObject(expected)
})

it.each([
  [['check', 'git', 'push', '--force'], 2, /^✗ block {2}git push --force\n/],
  [['check', 'git', 'log', '--json', '--', 'notes.md'], 0, /^✓ pass {2}git log --json -- notes\.md\n/],
  [['check', '--tool', 'Bash', 'git', 'push', '--force'], 2, /^✗ block {2}git push --force\n/],
  [['check', 'git push --force', '--json'], 2, /^\{"decision":"block"/],
  [['check', 'git push --force', '--tool', 'Bash', '--json'], 2, /^\{"decision":"block"/],
  [['check', '--', 'git push --force'], 2, /^✗ block {2}git push --force\n/],
  [['test', 'git', 'push', '--force'], 2, /^✗ block {2}git push --force\n/],
] as const)('Q6 %j: what follows the first word of the command belongs to it', async (args, code, text) => {
  expect(await arc(...args)).toMatchObject({ code, stdout: expect.stringMatching(text), stderr: '' })
})

it('B10 names the matched part, why, the safer way and every hook that spoke, in order', async () => {
  const command = 'cd repo && git push --force origin topic'
  const answer = onlyJson<{
    span: { start: number; end: number }
    reason: string
    alternative: string
    evaluations: { hook: string; priority: number; mode: string }[]
  }>(await arc('check', '--json', '--', command))
  expect(command.slice(answer.span.start, answer.span.end)).toBe('--force')
  expect(answer.reason).toContain('git/push-force')
  expect(answer.alternative).toContain('--force-with-lease')
  const priorities = answer.evaluations.map(({ priority }) => priority)
  expect(priorities).toEqual([...priorities].sort((a, b) => a - b))
  expect(new Set(answer.evaluations.map(({ mode }) => mode))).toEqual(new Set(['enforce']))
})

it('L2 shows a person each fact once, with the matched part underlined', async () => {
  const { code, stdout, stderr } = await arc('check', '--', 'git push --force')
  expect([code, stderr]).toEqual([2, ''])
  expect(stdout).toMatch(/^✗ block {2}git push --force\n {18}\^~~~~~~\n {2}why /)
  for (const once of ['Overwrites commits', '--force-with-lease', 'git/push-force', 'tier 4']) {
    expect([once, stdout.split(once).length - 1]).toEqual([once, 1])
  }
  for (const line of stdout.split('\n')) expect(line.length).toBeLessThanOrEqual(80)
})

it('L2 explains on request which commands were found, and marks the right line of several', async () => {
  const { stdout } = await arc('check', '--explain', '--', 'sudo bash -c "git push --force"')
  expect(stdout).toContain('git push --force   (via sudo > bash -c)')
  const script = await arc('check', '--', 'set -e\ncd build\nrm -rf /usr\n')
  expect(script.stdout).toMatch(/line 3 +rm -rf \/usr\n +\^~~~\n/)
})

it('words that the shell took apart are put together again, hidden characters are shown, tools have other names', async () => {
  expect((await arc('check', '--', 'git', 'push', '--force')).code).toBe(2)
  expect((await arc('check', '--', 'echo', 'a; rm -rf /')).code).toBe(0)
  const hidden = await arc('check', '--', 'echo \u001b[2J\u202e x')
  expect(hidden.stdout).not.toContain('\u001b')
  expect(hidden.stdout).not.toContain('\u202e')
  for (const tool of ['Bash', 'run_shell_command', 'shell']) {
    expect((await arc('check', '--tool', tool, '--', 'rm -rf /')).code).toBe(2)
  }
  expect((await arc('check', '--tool', 'Write', '--', '/etc/passwd')).code).not.toBe(0)
  expect((await arc('check', '--tool', 'Write', '--', '{"file_path":"/etc/passwd","content":"x"}')).code).not.toBe(0)
})

it('nothing is created and the profile of $ARC_PROFILE counts', async () => {
  await arc('check', '--', 'rm -rf /')
  expect(readdirSync(place.root)).toEqual(['project'])
  place.write(PROFILE, {})
  place.write('home/profiles/loose.json', { hooks: { 'risk-detection': { enabled: false } }, risk: { floor: false } })
  const loose = { home: place.home, cwd: place.project, env: { ARC_PROFILE: 'loose' } }
  const answer = onlyJson<{ evaluations: { hook: string; skipped?: string }[] }>(
    await runArcInProcess(['check', '--json', '--', 'git push --force'], loose),
  )
  expect(answer.evaluations.find(({ hook }) => hook === 'risk-detection')).toMatchObject({ skipped: 'disabled' })
})

it('--jsonl gives exactly the answers of one by one, in order, in the place of each, with bad lines between', async () => {
  place.write(PROFILE, {})
  place.write(LAYER, { hooks: { 'risk-detection': { timeout: 4_000 } } })
  const asked = CASES.map(([command], id) => JSON.stringify({ id, command, cwd: id % 2 === 0 ? place.project : '/' }))
  const bad = ['[]', '{"id":"a"}', '{"id":"b","command":"ls","cwd":7}', '{', '"x"', 'null']
  const ran = await feed([...bad, ...asked, ''].join('\r\n'), 'check', '--jsonl')
  expect(ran.code).toBe(1)
  const rows = jsonLines(ran.stdout)
  expect(rows.slice(0, bad.length).map(({ id, error }) => [id, typeof error])).toEqual([
    [null, 'string'],
    ['a', 'string'],
    ['b', 'string'],
    [null, 'string'],
    [null, 'string'],
    [null, 'string'],
  ])
  expect(rows.slice(bad.length).map(({ id, decision, tier }) => [id, decision, tier])).toEqual(
    await Promise.all(
      CASES.map(async ([command], id) => {
        const { decision, tier } = onlyJson(await arc('check', '--json', '--', command))
        return [id, decision, tier]
      }),
    ),
  )
  expect(await feed('', 'check', '--jsonl')).toMatchObject({ code: 0, stdout: '' })
})

it('--jsonl: 5 000 lines of commands, each answered as the first of its kind', async () => {
  const lines = Array.from({ length: 5_000 }, (_, id) => ({ id, command: CASES[id % CASES.length]?.[0] ?? '' }))
  const ran = await feed(lines.map((line) => JSON.stringify(line)).join('\n'), 'check', '--jsonl')
  expect(ran.code).toBe(0)
  const rows = jsonLines(ran.stdout)
  expect(rows.map(({ id }) => id)).toEqual(lines.map(({ id }) => id))
  const wrong = rows.filter(({ decision }, at) => decision !== CASES[at % CASES.length]?.[2].decision)
  expect(wrong).toEqual([])
})
