// What a person is shown is what would run: the real binary with colours on, and steps of a hostile agent.

import { spawn, spawnSync } from 'node:child_process'
import { readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { stripVTControlCharacters } from 'node:util'
import { beforeAll, describe, expect, it } from 'vitest'
import { ARC, type Ran, runArc } from '../../test/run-arc.ts'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { Approvals } from '../approvals/approvals.ts'
import { systemClock } from '../platform/engine-services.ts'
import { newId } from '../platform/ids.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { canonicalize } from '../trace/canonical.ts'
import { argumentLines } from './step-text.ts'

// A title for the window, a line cleared, reversed text, an invisible blank, C1, hidden text, and a separate line.
const HOSTILE = 'mcp__x__\u001b]0;owned\u0007\u001b[2K\u202egnihtyna\u200b\u009b31m\u001b[8mgone\u001b[31mred\n✓ pass'
const LINES = Array.from({ length: 300 }, (_, at) => (at === 149 ? 'rm -rf ~  # line 150' : `echo line ${at + 1}`))
const STEP = {
  point: 'pre:tool',
  tool: HOSTILE,
  args: {
    command: LINES.join('\n'),
    dangerouslyDisableSandbox: true,
    nested: { deep: [{ 'ke\u001b[2Jy': 'a\u202eb\u00a0c\u3164d' }] },
  },
  workspace: '/srv/\u001b[1mproject',
  session: 'session-\u0007',
  agent: 'agent-\u009b2J',
}

let home: string
let id: string

beforeAll(() => {
  home = makeTempFolder('arc-shown-')
  const state = new SqliteStateStore(join(home, 'arc.db'))
  const approvals = new Approvals({ state, clock: systemClock, newId, canonicalize })
  id = approvals.request(STEP, { reason: 'Held: \u001b[2J\nsecond line', hook: 'risk-detection' }).id
  state.close()
})

const colourful = { NO_COLOR: undefined, FORCE_COLOR: '1' }
const arc = (...args: string[]): Promise<Ran> => runArc(args, { home, env: colourful })

const ESCAPE = '\u001b'
const OWN_COLOURS = new RegExp(`${ESCAPE}\\[(?:1|2|22|31|32|33|34|35|36|39)m`, 'g')

// What a terminal would obey and is no colour of ours; the agent's own colour counts as well.
function foreignEscapes(text: string): readonly string[] {
  const others = text.replace('\u001b[31mred', 'a colour of the agent \u0007').replace(OWN_COLOURS, '')
  return others.match(/(?![\n\t])[\p{Cc}\p{Cf}]/gu) ?? []
}

describe('arc approvals list', () => {
  it('G9 shows every argument, line for line, with hidden characters as escapes', async () => {
    const { stdout } = await arc('approvals', 'list')
    expect(foreignEscapes(stdout)).toEqual([])
    const screen = stripVTControlCharacters(stdout)
    expect(screen).toContain('dangerouslyDisableSandbox: true')
    expect(screen).toContain('nested.deep[0].ke\\u{1b}[2Jy: a\\u{202e}b\\u{a0}c\\u{3164}d')
    expect(screen).toContain('mcp__x__\\u{1b}]0;owned\\u{7}\\u{1b}[2K\\u{202e}gnihtyna\\u{200b}\\u{9b}31m')
    for (const fact of ['workspace: /srv/\\u{1b}[1mproject', 'session: session-\\u{7}', 'agent: agent-\\u{9b}2J'])
      expect(screen).toContain(fact)
    // No line of the agent looks like a line of ARC.
    expect(screen.split('\n').filter((line) => line.startsWith('✓ pass'))).toEqual([])
  })

  it('G9 shows a long command from both ends, with the matched line marked and in view', async () => {
    const screen = stripVTControlCharacters((await arc('approvals', 'list')).stdout)
    const lines = screen.split('\n')
    expect(lines.some((line) => / {3}1 │ echo line 1$/.test(line))).toBe(true)
    expect(lines.some((line) => / 300 │ echo line 300$/.test(line))).toBe(true)
    const matched = lines.findIndex((line) => line.startsWith('  > 150 │ rm -rf ~'))
    expect(matched).toBeGreaterThan(0)
    expect(lines[matched + 1]).toMatch(/^ +\^~*$/)
    expect((lines[matched + 1] ?? '').indexOf('^')).toBe((lines[matched] ?? '').indexOf('~'))
    expect(screen).toContain(`135 lines hidden; show all: arc why ${id}`)
    expect(lines.length).toBeLessThan(60)
  })

  it('G9 the JSON has the step as it is', async () => {
    const { stdout } = await arc('approvals', 'list', '--json')
    expect(JSON.parse(stdout)).toMatchObject([{ id, step: STEP }])
    expect(stdout).toContain('\u202e')
    expect(stdout).toContain('\u009b')
    expect(stdout).not.toContain('\u001b')
  })
})

it('G9 arc why shows a held step whole', async () => {
  const { code, stdout } = await arc('why', id)
  expect(code).toBe(0)
  expect(foreignEscapes(stdout)).toEqual([])
  const screen = stripVTControlCharacters(stdout)
  for (const line of LINES) expect(screen).toContain(`│ ${line}`)
  expect(screen).toContain('  > 150 │ rm -rf ~')
  expect(screen).not.toContain('hidden')
})

describe('what a hostile call leaves on record', () => {
  beforeAll(async () => {
    const { tool, args, workspace } = STEP
    const call = { session_id: STEP.session, cwd: workspace, hook_event_name: 'PreToolUse', tool_name: tool }
    const input = JSON.stringify({ ...call, tool_use_id: 'c-\u001b[2J', tool_input: args, agent_id: STEP.agent })
    expect((await runArc(['hook', 'claude'], { home, input })).code).toBe(2)
  })

  it.each([
    [['logs']],
    [['logs', '--decision', 'block']],
    [['why', 'last']],
    [['hooks', 'list']],
    [['hooks', 'list', '--for', HOSTILE]],
    [['status']],
    [['doctor']],
    [['check', '--tool', HOSTILE, '--', 'rm -rf ~ \u001b]0;x\u0007']],
    [['check', '--explain', '--', 'rm -rf ~ \u001b]0;x\u0007\u202e\u200b']],
    [['approvals', 'approve', 'none-\u001b[2J']],
    [['why', 'none-\u001b[2J']],
    [['profile', 'show', 'none-\u001b[2J']],
    [['breaker', 'status']],
  ])('G9 %j writes no escape of the agent', async (args) => {
    const { stdout, stderr } = await arc(...args)
    expect(stdout + stderr).not.toBe('')
    expect(foreignEscapes(stdout + stderr)).toEqual([])
  })

  it('G9 arc why shows all arguments of the record, line for line', async () => {
    const screen = stripVTControlCharacters((await arc('why', 'last')).stdout)
    for (const line of LINES) expect(screen).toContain(`│ ${line}`)
    expect(screen).toContain('  > 150 │ rm -rf ~')
    expect(screen).toContain('dangerouslyDisableSandbox: true')
    expect(screen).toContain('workspace: /srv/\\u{1b}[1mproject')
  })
})

// The one of util-linux, which gives a program a terminal.
const MAKE_TERMINAL = 'script'
const hasTerminal =
  spawnSync(MAKE_TERMINAL, ['--version'], { encoding: 'utf8' }).stdout?.includes('util-linux') === true

it.skipIf(!hasTerminal)('G9 a real terminal gets our colours and nothing of the agent', async () => {
  const { NO_COLOR: _, FORCE_COLOR: __, CI: ___, ...others } = process.env
  const env = { ...others, TERM: 'xterm', ARC_HOME: home, ARC_PROFILE: '', ARC_DAEMON: 'off' }
  const child = spawn(MAKE_TERMINAL, ['-qec', `"${process.execPath}" "${ARC}" approvals list`, '/dev/null'], { env })
  let screen = ''
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => (screen += chunk))
  await new Promise((resolve) => child.on('close', resolve))
  expect(screen).toContain('\u001b[35m?\u001b[39m')
  expect(foreignEscapes(screen.replaceAll('\r\n', '\n'))).toEqual([])
})

describe('the lines of arguments', () => {
  it('G9 a long line is shown from both ends and around the match, with the number of omitted characters', () => {
    const line = `${'a'.repeat(5_000)} rm -rf ~ ${'b'.repeat(5_000)}`
    const span = { start: 5_001, end: 5_009 }
    const evidence = [{ rule: 'x', effect: 'destructive', tier: 5, span, matched: 'rm -rf ~', reason: 'x' }] as const
    const [shown = '', marks = ''] = argumentLines({ command: line }, { evidence, more: 'arc why 1' })
    expect(shown.length).toBeLessThan(1_200)
    expect(shown).toContain('a rm -rf ~ b')
    expect(shown.match(/\d+ characters hidden/g)).toHaveLength(2)
    expect(marks.indexOf('^')).toBe(shown.indexOf('rm -rf ~'))
    const [whole] = argumentLines({ command: line })
    expect(whole).toContain(line)
  })

  it('G9 omitted text is marked with how to see it, and a matched argument is always in view', () => {
    const args = Object.fromEntries(Array.from({ length: 200 }, (_, at) => [`a${at}`, at === 180 ? 'rm -rf ~' : 'x']))
    const span = { start: 0, end: 8 }
    const evidence = [{ rule: 'x', effect: 'destructive', tier: 5, span, matched: 'rm -rf ~', reason: 'x' }] as const
    const lines = argumentLines(args, { evidence, more: 'arc why 1' })
    expect(lines.join('\n')).toContain('a180: rm -rf ~')
    expect(lines.at(-1)).toContain('139 more arguments hidden; show all: arc why 1')
    expect(argumentLines(args)).toHaveLength(200)
  })

  it.each([
    [undefined, ['  arguments: undefined']],
    [{}, ['  arguments: {}']],
    ['text', ['  arguments: text']],
    [{ a: null, b: [], c: [1, 'x'] }, ['  a: null', '  b: []', '  c[0]: 1', '  c[1]: x']],
    [{ a: 'x\r\ny' }, ['  a: (2 lines)', '    1 │ x\\u{d}', '    2 │ y']],
  ])('G9 %j', (args, lines) => {
    expect(argumentLines(args)).toEqual(lines)
  })
})

it('G9 whatever prints through output.ts takes its colours from colors.ts', () => {
  const folder = fileURLToPath(new URL('.', import.meta.url))
  const files = readdirSync(folder, { recursive: true }).map(String)
  const wrong = files.filter((name) => {
    if (!name.endsWith('.ts') || name.endsWith('.test.ts') || name === 'colors.ts') return false
    const source = readFileSync(join(folder, name), 'utf8')
    return /output\.ts'/.test(source) && source.includes("'picocolors'")
  })
  expect(wrong).toEqual([])
})
