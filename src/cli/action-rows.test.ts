// Actions as lines: what they show at each width, and that no line is wider than the terminal.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { MemoryTraceStore } from '../storage/memory/trace-store.ts'
import { stepEntry } from '../testing/step-entry.ts'
import { type ActionRow, ActionTable, nameDecision, shortenId } from './action-rows.ts'
import { displayWidth, fitColumns, fitLine, formatTime, forTerminal } from './output.ts'

const NOW = new Date(2026, 10, 18, 15, 0).getTime()
const at = (...date: [number, number, number, number?, number?, number?]): string => new Date(...date).toISOString()

const ROW: ActionRow = {
  ...{ time: at(2026, 10, 18, 10, 42, 7), decision: 'block', agent: 'claude', project: 'shop' },
  ...{ command: 'git push --force origin main', rule: 'git/push-force', id: '01M7PEQ65M' },
}
const ROWS: readonly ActionRow[] = [
  ROW,
  { ...ROW, decision: 'flag', wouldBe: 'block', command: 'rm -rf build', rule: 'filesystem/delete', id: '01M7PEQ6AK' },
  {
    ...ROW,
    time: at(2026, 10, 17, 9, 5),
    decision: 'ask',
    agent: 'codex',
    command: 'npm publish',
    rule: 'packages/publish',
  },
]

function show(columns: number, rows = ROWS): string[] {
  return new ActionTable({ columns: () => columns, now: () => NOW }).lines(rows).map(forTerminal)
}

describe('rows of actions', () => {
  it('Q3 show time, decision, agent, project, command, rule and id', () => {
    expect(show(120)).toEqual([
      '10:42:07     ✗ block        claude  shop  git push --force origin main                     git/push-force     01M7PEQ65M',
      '10:42:07     ✗ would block  claude  shop  rm -rf build                                     filesystem/delete  01M7PEQ6AK',
      '11-17 09:05  ? ask          codex   shop  npm publish                                      packages/publish   01M7PEQ65M',
    ])
  })

  it('Q3 give up columns in narrow terminals, the least important first', () => {
    const today = ROWS.slice(0, 2)
    expect(show(80, today)[1]).toBe('10:42 would block shop rm -rf build                 filesystem/delete 01M7PEQ6AK')
    expect(show(40, today)[0]).toBe('block       git push --force origin main')
    expect(show(10, today)).toEqual(['✗ git pus…', '✗ rm -rf …'])
    expect(show(1, today)).toEqual(['✗', '✗'])
  })

  it('Q3 keep their columns while rows arrive one after another', () => {
    const table = new ActionTable({ columns: () => 120, now: () => NOW })
    const lines = ROWS.flatMap((row) => table.lines([row]))
    expect(lines.map((line) => line.indexOf('01M7'))).toEqual([110, 110, 110])
  })

  it('Q3 are never wider than the terminal, and have no control characters of agents', () => {
    const text = fc.oneof(fc.string({ unit: 'grapheme', maxLength: 60 }), fc.string({ unit: 'binary', maxLength: 60 }))
    const decision = fc.constantFrom('pass', 'flag', 'ask', 'block')
    const row = fc.record({
      ...{ time: fc.date({ noInvalidDate: true }).map((date) => date.toISOString()), decision },
      ...{ wouldBe: fc.constantFrom(undefined, 'ask', 'block'), agent: text, project: text, command: text },
      ...{ rule: text, id: text },
    }) as fc.Arbitrary<ActionRow>
    fc.assert(
      fc.property(fc.array(row, { maxLength: 5 }), fc.integer({ min: 1, max: 220 }), (rows, columns) => {
        for (const line of show(columns, rows)) {
          expect(displayWidth(line)).toBeLessThanOrEqual(columns)
          expect(line).not.toMatch(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/u)
        }
      }),
      { numRuns: 50 },
    )
  })
})

it('Q3 a decision that only enforce applies has its own name', () => {
  expect(nameDecision({ decision: 'flag', wouldBe: 'block' })).toBe('would block')
  expect(nameDecision({ decision: 'flag', wouldBe: 'ask' })).toBe('would ask')
  // Held now, so it is stopped already.
  expect(nameDecision({ decision: 'ask', wouldBe: 'block' })).toBe('ask')
  expect(nameDecision({ decision: 'pass' })).toBe('pass')
})

it('Q3 a short id names one step', async () => {
  const store = new MemoryTraceStore()
  const [a, b] = ['01M7PEQ65M25FKEGJMS4RQ9DND', '01M7PEQ65M25FKEGJMS4RQ9DNE']
  await store.append(stepEntry({ id: a }))
  expect(shortenId(store, a)).toBe('01M7PEQ65M')
  await store.append(stepEntry({ id: b }))
  expect(shortenId(store, a)).toBe(a)
  expect(store.get(shortenId(store, b))).toMatchObject({ found: 'step', record: { id: b } })
  expect(shortenId(store, 'short')).toBe('short')
})

it('Q3 times are of this place, with the date if it is not today', () => {
  expect(formatTime(at(2026, 10, 18, 0, 0, 1), NOW)).toBe('00:00:01')
  expect(formatTime(at(2026, 10, 17, 23, 59), NOW)).toBe('11-17 23:59')
  expect(formatTime(at(2025, 0, 2, 3, 4), NOW)).toBe('2025-01-02')
})

it('Q3 a line is cut to its columns, wide characters included', () => {
  expect(fitColumns('日本語', 4)).toBe('日…')
  expect(fitColumns('abc', 3)).toBe('abc')
  expect(fitColumns('abc', 0)).toBe('')
  expect(fitLine(['abc', ['def', (text) => `<${text}>`], 'ghi'], 5)).toBe('abc<d…>')
})
