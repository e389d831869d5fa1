// `arc logs`, `arc why` and `arc report` on the actions of two agents, one supervised in log and one in enforce.

import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { jsonLines, onlyJson } from '../../../test/json-output.ts'
import { runArcInProcess } from '../../../test/run-in-process.ts'
import { makeHome, type SupervisedHome } from '../../../test/supervised-home.ts'
import { makeTempFolder } from '../../../test/temp-folder.ts'
import type { Mode } from '../../engine/mode.ts'
import { createSupervisor } from '../../supervisor/create-supervisor.ts'

let place: SupervisedHome
const arc = (...args: string[]) => runArcInProcess(args, { home: place.home, cwd: place.project })

// Calls as an agent makes them: before the call, and after it unless it was stopped.
async function work(home: string, mode: Mode, host: string, workspace: string, commands: readonly string[]) {
  const supervisor = await createSupervisor({ home, enforcement: mode, askMs: 0, notify: () => undefined })
  const context = { session: `${host}-1`, host, workspace }
  for (const [at, command] of commands.entries()) {
    const data = { tool: 'Bash', args: { command } }
    const id = `${host}-call-${at}`
    const outcome = await supervisor.dispatch('pre:tool', data, { ...context, id })
    if (outcome.blocked) continue
    await supervisor.dispatch(
      'post:tool',
      { ...data, result: 'ok' },
      { ...context, metadata: { preStep: id, sinceMs: 7 } },
    )
  }
  await supervisor.dispatch('session:end', { reason: 'exit' }, context)
  await supervisor.close()
}

const PUSH = 'git push --force origin main'
const LONG = `echo ${'a'.repeat(300)} needle`

beforeAll(async () => {
  place = makeHome()
  await work(place.home, 'log', 'claude', '/work/shop', ['ls', PUSH, 'git status', LONG])
  await work(place.home, 'enforce', 'codex', '/work/api/server', ['ls', PUSH, 'git branch -D old'])
})
afterAll(() => place.remove())

describe('Q3 arc logs', () => {
  it('Q3 shows an action a line and hides those that passed', async () => {
    const { code, stdout } = await arc('logs')
    expect(code).toBe(0)
    const lines = stdout.trimEnd().split('\n')
    expect(lines).toHaveLength(3)
    expect(lines[0]).toMatch(
      /^\d\d:\d\d:\d\d +✗ would block +claude +shop +git push --force origin main +git\/push-force +claude-cal/,
    )
    expect(lines[1]).toMatch(/✗ block +codex +server +git push --force origin main/)
    expect(lines[2]).toMatch(/[?✗] \w+ +codex +server +git branch -D old/)
  })

  it('Q3 shows both events of a call as one action, with its outcome', async () => {
    const rows = jsonLines((await arc('logs', '--all', '--json')).stdout)
    const calls = rows.filter(({ tool }) => tool === 'Bash')
    expect(calls.map(({ command }) => command)).toEqual([
      'ls',
      PUSH,
      'git status',
      LONG,
      'ls',
      PUSH,
      'git branch -D old',
    ])
    expect(calls[0]).toMatchObject({ decision: 'pass', wouldBe: null, applied: false, outcome: { ok: true, ranMs: 7 } })
    const [flagged, blocked] = jsonLines((await arc('logs', '--json')).stdout)
    expect(flagged).toEqual({
      ...{ id: 'claude-call-1', time: expect.any(String), decision: 'flag', wouldBe: 'block', applied: false },
      ...{ host: 'claude', agent: null, session: 'claude-1', project: '/work/shop', tool: 'Bash', command: PUSH },
      ...{ rule: 'git/push-force', hook: 'risk-detection', reason: expect.stringContaining('Overwrites commits') },
      outcome: { ok: true, ranMs: 7 },
    })
    expect(blocked).toMatchObject({ id: 'codex-call-1', decision: 'block', wouldBe: null, applied: true })
    expect(blocked).not.toHaveProperty('outcome')
  })

  it.each([
    [['--would-block'], ['claude-call-1']],
    [['--decision', 'block', '--rule', 'git/push-force'], ['codex-call-1']],
    [['--rule', 'git', '--agent', 'CLAUDE'], ['claude-call-1']],
    [['--project', 'shop'], ['claude-call-1']],
    [
      ['--project', '/work/api'],
      ['codex-call-1', 'codex-call-2'],
    ],
    [['--text', 'BRANCH -D'], ['codex-call-2']],
    [['--all', '--text', 'needle'], ['claude-call-3']],
    [['--session', 'codex-1', '--limit', '1'], ['codex-call-2']],
    [['--since', '1h', '--decision', 'pass', '--agent', 'codex', '--text', 'ls'], ['codex-call-0']],
  ])('Q3 %j finds %j', async (filter, ids) => {
    const { stdout } = await arc('logs', '--json', ...filter)
    expect(jsonLines(stdout).map(({ id }) => id)).toEqual(ids)
  })

  it.each([
    [['--text', 'git status'], 0, /^The only matching action passed. Show it: arc logs --all\n$/],
    [['--project', '/work/shop', '--text', 'exit', '--decision', 'flag'], 0, /^The only matching action passed/],
    [['--session', 'none'], 0, /^No matching records/],
    [['--rule', 'git/push-forse'], 2, /no action with the rule "git\/push-forse"\. Did you mean "git\/push-force"\?/],
    [['--agent', 'cluade'], 2, /Did you mean "claude"\?/],
    [['--since', '2999-01-01'], 2, /--since must be in the past/],
    [['--since', 'soon'], 2, /--since must be like 30m, 2h, 7d or a date, not "soon"/],
    [['--limit', '0'], 2, /--limit must be a whole number above 0/],
    [['--component', 'hooks', '--would-block'], 2, /--would-block is for actions: use it without --component/],
  ])('Q3 %j says why nothing is shown', async (filter, code, message) => {
    const ran = await arc('logs', ...filter)
    expect({ code: ran.code, stdout: ran.stdout }).toEqual({ code, stdout: '' })
    expect(ran.stderr).toMatch(message)
  })

  it('L1 shows evaluations for a component, an action or a hook, with command and project', async () => {
    const rows = jsonLines((await arc('logs', '--component', 'hooks', '--action', 'hook:block', '--json')).stdout)
    expect(rows).toMatchObject([
      { hook: 'risk-detection', applied: false, mode: 'log', command: PUSH, project: '/work/shop', point: 'pre:tool' },
      { hook: 'risk-detection', applied: true, mode: 'enforce', command: PUSH, project: '/work/api/server' },
    ])
    expect(Object.keys(rows[0] ?? {})).toEqual(
      expect.arrayContaining(['id', 'seq', 'time', 'level', 'component', 'action', 'cause', 'reason', 'durationMs']),
    )
  })
})

describe('Q3 arc why', () => {
  it('Q3 explains the last decision that was not a pass', async () => {
    const { stdout } = await arc('why')
    expect(stdout).toContain('git branch -D old')
    expect((await arc('why', 'last')).stdout).toBe(stdout)
    expect((await arc('why', '--any')).stdout).toMatch(/^✓ pass {2}session:end/)
  })

  it('Q3 says that a block of log mode would block, and what to type next', async () => {
    const { stdout } = await arc('why', 'claude-call-1')
    expect(stdout).toMatch(/^✗ would block \(log mode\) {2}pre:tool Bash {2}claude-call-1\n/)
    expect(stdout).toMatch(/decided {2}by risk-detection: Overwrites commits/)
    expect(stdout).toMatch(/next +to allow it also in enforce: arc allow claude-call-1\n$/)
    expect((await arc('why', 'codex-call-1')).stdout).toMatch(/next +to allow it: arc allow codex-call-1\n$/)
  })

  it('Q3 names the answer to a held step', async () => {
    const [{ id }] = onlyJson<[{ id: string }]>(await arc('approvals', 'list', '--json'))
    expect((await arc('why')).stdout).toMatch(new RegExp(`next +it waits for your answer: arc approve ${id}`))
  })

  it('Q3 names the candidates of an id that is not unique, and says when all passed', async () => {
    expect(await arc('why', 'claude-call')).toMatchObject({
      code: 1,
      stderr: expect.stringMatching(/^arc: claude-call is not a unique prefix: claude-call-0, claude-call-1/),
    })
    const home = makeTempFolder('arc-home-')
    expect((await runArcInProcess(['why'], { home })).stderr).toContain('there are no records yet')
    await work(home, 'log', 'claude', '/work/shop', ['ls'])
    expect((await runArcInProcess(['why'], { home })).stderr).toBe(
      'arc: every decision so far was a pass; to show the last: arc why --any\n',
    )
    expect((await runArcInProcess(['logs'], { home })).stderr).toMatch(/^All 2 matching actions passed/)
  })
})

describe('Q3 arc report', () => {
  it('Q3 counts what was stopped, held, and would have been in enforce, with examples and next commands', async () => {
    const found = onlyJson(await arc('report', '--json'))
    expect(found).toMatchObject({ actions: 9, stopped: 1, held: 1, wouldStop: 1, mode: 'log' })
    expect(found.rules).toMatchObject([
      {
        ...{ rule: 'git/push-force', count: 2, stopped: 1, held: 0, wouldStop: 1 },
        projects: ['/work/api/server', '/work/shop'],
        examples: [{ id: 'codex-call-1', command: PUSH, project: '/work/api/server' }],
      },
      { rule: expect.stringMatching(/^git\//), count: 1, held: 1 },
    ])
    expect(found.hooks).toContainEqual({ name: 'risk-detection', runs: 7, errors: 0, p95Ms: expect.any(Number) })
    expect(found.next).toEqual([
      'arc logs --would-block --since 7d',
      expect.stringMatching(/^arc why codex-call/),
      'arc mode enforce',
    ])
  })

  it('Q3 fits one screen', async () => {
    const { stdout } = await arc('report')
    const lines = stdout.trimEnd().split('\n')
    expect(lines.length).toBeLessThan(24)
    expect(lines.filter((line) => line.length > 80)).toEqual([])
    expect(lines[0]).toMatch(/^Since \S+ \S+ in mode log: 9 actions, 1 blocked, 1 held, 1 more in enforce$/)
    expect(stdout).toMatch(/ {2}git\/push-force +█{12} +2 +git push --force origin main\n/)
    expect(stdout).toMatch(/\n {2}\d{4}-\d\d-\d\d +9 +1 +1 +1 +█{12}\n/)
    expect(stdout).toContain('\n  arc mode enforce')
  })

  it('Q3 is Markdown for the team', async () => {
    const { stdout } = await arc('report', '--markdown', '--since', '1d')
    expect(stdout).toMatch(/^# ARC report since \d{4}-\d\d-\d\d\n/)
    expect(stdout).toContain('| `git/push-force` | 2 | 1 | 0 | 1 | server, shop | `git push --force origin main` |')
  })

  it('Q3 says what to do without actions, and what is wrong with its options', async () => {
    const home = makeTempFolder('arc-home-')
    const ran = await runArcInProcess(['report'], { home })
    expect(ran).toMatchObject({ code: 0, stdout: expect.stringMatching(/no actions\n\n {2}arc install/) })
    expect(await arc('report', '--since', '2999-01-01')).toMatchObject({ code: 2, stdout: '' })
    expect(await arc('report', '--json', '--markdown')).toMatchObject({ code: 2, stdout: '' })
  })
})
