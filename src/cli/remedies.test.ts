// Every remedy against a wrong block that the guides name, applied to a block: afterwards the step is not blocked.

import { readFileSync } from 'node:fs'
import { afterEach, beforeEach, describe, expect, it } from 'vitest'
import { callClaude } from '../../test/claude-call.ts'
import { runArcInProcess } from '../../test/run-in-process.ts'
import { askNobody, makeHome, PROFILE, type SupervisedHome } from '../../test/supervised-home.ts'

let place: SupervisedHome

beforeEach(() => {
  place = makeHome()
  askNobody(place.home)
  place.write(PROFILE, { enforcement: 'enforce' })
})
afterEach(() => place.remove())

const FORCE = 'git push --force'
const call = (command = FORCE) => callClaude({ home: place.home, cwd: place.project, command })

async function arc(...args: string[]): Promise<void> {
  expect(await runArcInProcess(args, { home: place.home, cwd: place.project })).toMatchObject({ code: 0 })
}

// The last step must be blocked before the remedy, and have this reply after it.
async function fix(remedy: () => unknown, reply = /^none$/, command = FORCE): Promise<void> {
  expect(await call(command)).toBe('deny')
  await remedy()
  expect(await call(command)).toMatch(reply)
}

// Another hook may still ask.
const NOT_BLOCKED = /^(?:none|ask)$/

const gate = (rules: readonly object[]) =>
  place.write(PROFILE, { enforcement: 'enforce', hooks: { 'supervision-gate': { options: { rules } } } })

const allowRule = () => arc('allow', '--rule', 'git/push-force', '--in', '.', '--for', '7d', '--reason', 'agreed')
const allowAlways = () => arc('allow', 'last', '--always', '--reason', 'agreed')
const disable = () => arc('hooks', 'disable', 'risk-detection', '--for', '1d', '--reason', 'broken')
const setRisk = (settings: object) => () =>
  place.write(PROFILE, { enforcement: 'enforce', hooks: { 'risk-detection': settings } })

// By the cell of the remedy, without its link.
const REMEDIES: Readonly<Record<string, Readonly<Record<string, () => Promise<void>>>>> = {
  troubleshooting: {
    '`arc allow last`': () => fix(() => arc('allow', 'last')),
    '`arc allow last --always --reason …`': () => fix(allowAlways),
    '`arc allow --rule RULE --in DIR --for 7d --reason …`': () => fix(allowRule),
    'change the rule in your profile': async () => {
      gate([{ pattern: 'make coffee', action: 'BLOCK' }])
      await fix(() => gate([{ pattern: 'make coffee', action: 'FLAG' }]), /^none$/, 'make coffee')
    },
    '`arc hooks disable NAME --for 1d --reason …`': () => fix(disable, NOT_BLOCKED),
    '`arc allow last`, and report `check --explain`': () => fix(() => arc('allow', 'last')),
  },
  'log-to-enforce': {
    '`arc allow ID`': () => fix(() => arc('allow', 'last')),
    '`arc allow ID --always --reason …`': () => fix(allowAlways),
    '`arc allow --rule RULE --in DIR --for 7d --reason …`': () => fix(allowRule),
    '`"onTier4": "ask"` for `risk-detection`': () => fix(setRisk({ options: { onTier4: 'ask' } }), /^ask$/),
    '`"mode": "log"` for that hook; raise the others': () => fix(setRisk({ mode: 'log' }), NOT_BLOCKED),
    '`arc hooks disable NAME --for 7d --reason …`, and report the output of `arc check`': () =>
      fix(disable, NOT_BLOCKED),
  },
}

// The last cells of the rows of the table whose head begins so.
function readRemedies(guide: string, head: string): readonly string[] {
  const text = readFileSync(new URL(`../../docs/guides/${guide}.md`, import.meta.url), 'utf8')
  const lines = text.split('\n')
  const start = lines.findIndex((line) => line.startsWith(`| ${head}`))
  const rows = lines.slice(
    start + 2,
    lines.findIndex((line, index) => index > start && !line.startsWith('|')),
  )
  return rows.map((row) => row.split('|').at(-2)?.trim() ?? '')
}

describe.each([
  ['troubleshooting', 'the block is'],
  ['log-to-enforce', 'the block was'],
])('the remedies of %s', (guide, head) => {
  const remedies = REMEDIES[guide] ?? {}

  it('Q2 are all tried here', () => {
    expect(readRemedies(guide, head)).toEqual(Object.keys(remedies))
  })

  it.each(Object.keys(remedies))('Q2 %s', async (remedy) => {
    await remedies[remedy]?.()
  })
})
