// The screens of `arc watch`: whole screens as fixtures, and what holds for every size and every text.

import { stripVTControlCharacters } from 'node:util'
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { displayWidth } from '../../output.ts'
import { renderWatch } from './render-watch.ts'
import { EMPTY_STATE, type FeedItem, type HeldItem, reduce, type WatchState } from './watch-state.ts'

const NOW = Date.UTC(2025, 10, 17, 12)
// Another year, so that the screen has a date and depends on no time zone.
const TIME = '2024-06-15T12:00:00Z'

const HELD: readonly HeldItem[] = [
  { id: 'h1', command: 'git branch -D experiment', project: 'shop', agent: 'claude', expiresAt: NOW + 581_000 },
  { id: 'h2', command: 'write_file: {"path":"/etc/hosts"}', project: '', agent: '', expiresAt: NOW - 5 },
]

function item(seq: number, decision: FeedItem['row']['decision'], command: string, more: object = {}): FeedItem {
  const texts = {
    agent: 'claude',
    project: 'shop',
    rule: decision === 'pass' ? '' : 'git/push-force',
    id: `01JB2Q${seq}`,
  }
  return { id: `a${seq}`, seq, row: { time: TIME, decision, command, ...texts, ...more } }
}

const ITEMS = [
  item(1, 'pass', 'npm test'),
  item(2, 'block', 'git push --force origin main'),
  item(3, 'pass', 'git push --force origin feature/with-a-very-long-name-that-does-not-fit', { wouldBe: 'block' }),
  item(4, 'flag', 'echo "\u001b[2J\u0007hello\r\nworld" 表計算', { agent: 'codex', project: 'site' }),
  item(5, 'ask', 'git branch -D experiment'),
]

const FEED = reduce(EMPTY_STATE, { kind: 'read', mode: 'enforce', now: NOW, held: HELD, items: ITEMS }).state

const SCREENS: readonly (readonly [string, WatchState, number, number])[] = [
  ['feed-80x24', FEED, 80, 24],
  ['feed-200x50', FEED, 200, 50],
  ['feed-40x12', FEED, 40, 12],
  ['feed-10x5', FEED, 10, 5],
  ['selected-80x12', { ...FEED, selected: 'a2', filter: 'push', hidesPassed: true }, 80, 12],
  ['typing-80x8', { ...FEED, filter: 'push', filterBefore: '' }, 80, 8],
  ['empty-80x6', { ...FEED, held: [], items: [], notice: 'Denied.' }, 80, 6],
  [
    'details-40x8',
    { ...FEED, details: { title: 'Why a4', lines: ['short', `long ${'x'.repeat(60)}`], top: 0 } },
    40,
    8,
  ],
]

it.each(SCREENS)('Q6 draws the screen %s', async (name, state, columns, rows) => {
  const screen = renderWatch(state, { columns, rows }).map((line) => stripVTControlCharacters(line))
  await expect(`${screen.join('\n')}\n`).toMatchFileSnapshot(`fixtures/${name}.txt`)
})

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 60 }),
  fc.string({ unit: 'grapheme', maxLength: 60 }),
  fc.constantFrom(
    '\u001b[2J',
    '\u001b]0;title\u0007',
    'a\tb\nc\rd',
    '\u009b31m',
    '\u202eabc',
    '表計算',
    '',
    '👩‍👩‍👧 x',
  ),
)
const row = fc.record({
  time: fc.constant(TIME),
  decision: fc.constantFrom('pass', 'flag', 'ask', 'block'),
  wouldBe: fc.constantFrom(undefined, 'ask', 'block'),
  ...{ agent: text, project: text, command: text, rule: text, id: text },
}) as fc.Arbitrary<FeedItem['row']>
const state: fc.Arbitrary<WatchState> = fc.record({
  mode: fc.constantFrom('log', 'enforce'),
  now: fc.constant(NOW),
  held: fc.array(fc.record({ id: text, command: text, project: text, agent: text, expiresAt: fc.nat(NOW * 2) }), {
    maxLength: 5,
  }),
  items: fc.array(row, { maxLength: 8 }).map((rows) => rows.map((one, at) => ({ id: `a${at}`, seq: at, row: one }))),
  selected: fc.constantFrom(undefined, 'a1', 'a7'),
  filter: fc.oneof(fc.constant(''), text),
  filterBefore: fc.option(text, { nil: undefined }),
  hidesPassed: fc.boolean(),
  details: fc.option(fc.record({ title: text, lines: fc.array(text), top: fc.nat(5) }), { nil: undefined }),
  notice: fc.option(text, { nil: undefined }),
  problem: fc.option(text, { nil: undefined }),
})

it('Q6 no line is wider than the terminal, and no control character of an agent reaches it', () => {
  fc.assert(
    fc.property(state, fc.integer({ min: 1, max: 220 }), fc.integer({ min: 1, max: 30 }), (shown, columns, rows) => {
      const lines = renderWatch(shown, { columns, rows })
      expect(lines.length).toBe(rows)
      for (const line of lines) {
        // The CLI's own colours are the only sequences.
        // biome-ignore lint/suspicious/noControlCharactersInRegex: this is what is tested
        const plain = line.replace(/\u001b\[\d{1,2}m/g, '')
        expect(plain).not.toMatch(/[\p{Cc}\p{Zl}\p{Zp}\u202e]/u)
        expect(displayWidth(plain)).toBeLessThanOrEqual(columns)
      }
    }),
    { numRuns: 200 },
  )
})

it('Q6 the selected row is visible in every size', () => {
  const items = Array.from({ length: 40 }, (_, at) => item(at, 'pass', `echo row-${at}`))
  const long = { ...FEED, held: [], items }
  for (const rows of [1, 2, 3, 5, 24]) {
    for (const at of [0, 1, 20, 39]) {
      const screen = renderWatch({ ...long, selected: `a${at}` }, { columns: 80, rows }).join('\n')
      expect([rows, at, screen.includes(`row-${at}`)]).toEqual([rows, at, true])
    }
  }
})
