// The state of `arc watch`: keys, new records, the filter and the selection.

import { describe, expect, it } from 'vitest'
import { readAllKeys, readKeys } from './keys.ts'
import {
  EMPTY_STATE,
  type FeedItem,
  filterItems,
  type HeldItem,
  MAX_ITEMS,
  type Reduced,
  reduce,
} from './watch-state.ts'

const SIZE = { columns: 80, rows: 10 }

const held = (id: string): HeldItem => ({
  id,
  command: `rm ${id}`,
  project: 'shop',
  agent: 'claude',
  expiresAt: 60_000,
})

function item(seq: number, more: Partial<FeedItem['row']> = {}): FeedItem {
  const texts = { agent: 'claude', project: 'shop', command: `echo ${seq}`, rule: '', id: `a${seq}` }
  return { id: `a${seq}`, seq, row: { time: '2025-11-17T10:00:00Z', decision: 'pass', ...texts, ...more } }
}

function start(items: readonly FeedItem[] = [], waiting: readonly HeldItem[] = []): Reduced {
  return reduce(EMPTY_STATE, { kind: 'read', mode: 'enforce', now: 0, held: waiting, items })
}

const press = (before: Reduced, ...keys: string[]): Reduced =>
  keys.reduce((reduced: Reduced, key) => reduce(reduced.state, { kind: 'key', key, size: SIZE }), before)

const readAgain = ({ state }: Reduced, items: readonly FeedItem[], waiting: readonly HeldItem[] = []): Reduced =>
  reduce(state, { kind: 'read', mode: 'enforce', now: 1, held: waiting, items })

describe('new records', () => {
  it('Q6 are shown newest first, an action once with its newest row, and at most a fixed number', () => {
    const changed = item(2, { decision: 'flag' })
    const { state } = readAgain(start([item(1), item(2)]), [changed, item(3)])
    expect(state.items).toEqual([item(3), changed, item(1)])
    const many = Array.from({ length: MAX_ITEMS + 10 }, (_, seq) => item(seq + 10))
    const full = readAgain({ state }, many).state.items
    expect([full.length, full[0]?.seq]).toEqual([MAX_ITEMS, MAX_ITEMS + 19])
  })

  it('Q6 replace the earlier ones after the database was replaced', () => {
    const { state } = start([item(7)])
    const reset = reduce(state, { kind: 'read', mode: 'log', now: 1, held: [], items: [item(1)], isReset: true })
    expect(reset.state.items).toEqual([item(1)])
  })

  it('Q6 ring the bell for a new held step only, and not for those at the start', () => {
    const first = start([], [held('h1')])
    expect(first.effect).toBeUndefined()
    expect(readAgain(first, [item(1)], [held('h1')]).effect).toBeUndefined()
    expect(readAgain(first, [], [held('h1'), held('h2')]).effect).toEqual({ kind: 'bell' })
    expect(readAgain(first, [], []).effect).toBeUndefined()
  })

  it('Q6 a read that failed is named until one succeeds', () => {
    const failed = reduce(start().state, { kind: 'problem', text: 'database is locked' })
    expect(press(failed, 'j').state.problem).toBe('database is locked')
    expect(readAgain(failed, []).state.problem).toBeUndefined()
  })

  it('Q6 keep the selected row selected, and the first row first', () => {
    const before = start([item(1), item(2)])
    expect(press(readAgain(press(before, 'down'), [item(3)]), 'enter').effect).toEqual({ kind: 'explain', id: 'a1' })
    expect(press(readAgain(before, [item(3)]), 'enter').effect).toEqual({ kind: 'explain', id: 'a3' })
  })
})

describe('keys', () => {
  it('Q6 a and d answer the selected held step, or the only one', () => {
    const two = start([item(1)], [held('h1'), held('h2')])
    expect(press(two, 'a').effect).toEqual({ kind: 'approve', id: 'h1' })
    expect(press(two, 'j', 'd').effect).toEqual({ kind: 'deny', id: 'h2' })
    expect(press(two, 'G', 'a')).toMatchObject({ state: { notice: 'Select the held step to approve first.' } })
    expect(press(two, 'G', 'a').effect).toBeUndefined()
    expect(press(start([item(1)], [held('h1')]), 'end', 'd').effect).toEqual({ kind: 'deny', id: 'h1' })
    expect(press(start([item(1)]), 'a').state.notice).toBe('Nothing waits for approval.')
    expect(press(start([item(1)]), 'a', 'j').state.notice).toBeUndefined()
  })

  it('Q6 / filters by what a row shows; Enter keeps the filter, Escape restores the one before', () => {
    const before = start([item(1), item(2, { command: 'git push', wouldBe: 'block' }), item(3, { rule: 'git/x' })])
    const shown = (...keys: string[]) => filterItems(press(before, ...keys).state).map(({ seq }) => seq)
    expect(shown('/', ...'GIT')).toEqual([3, 2])
    expect(shown('/', ...'would block', 'enter')).toEqual([2])
    expect(shown('/', ...'gix', 'backspace', 'enter')).toEqual([3, 2])
    expect(shown('/', ...'git', 'ctrl-u')).toEqual([3, 2, 1])
    expect(shown('/', ...'git', 'enter', '/', ...'/x', 'escape')).toEqual([3, 2])
    expect(shown('/', ...'git', 'enter', 'escape')).toEqual([3, 2, 1])
    // Keys of the feed are text here.
    expect(press(before, '/', 'q')).toMatchObject({ state: { filter: 'q' } })
    expect(press(before, '/', 'q').effect).toBeUndefined()
    expect(press(before, '/', 'ctrl-c').effect).toEqual({ kind: 'quit', isInterrupted: true })
  })

  it('Q6 p hides what passed, but not what enforce would have stopped', () => {
    const before = start([item(1), item(2, { wouldBe: 'block' }), item(3, { decision: 'ask' })])
    expect(filterItems(press(before, 'p').state).map(({ seq }) => seq)).toEqual([3, 2])
    expect(filterItems(press(before, 'p', 'p').state)).toHaveLength(3)
  })

  it('Q6 a text over the feed scrolls within its lines, and closes', () => {
    const lines = Array.from({ length: 30 }, (_, at) => `line ${at}`)
    const opened = reduce(start([item(1)]).state, { kind: 'details', title: 'Why', lines })
    const top = (...keys: string[]) => press(opened, ...keys).state.details?.top
    expect([top(), top('k'), top('j', 'j'), top(' '), top('G'), top('G', 'down'), top('G', 'g')]).toEqual([
      0, 0, 2, 8, 22, 22, 0,
    ])
    for (const key of ['q', 'escape', 'enter']) expect(press(opened, key).state.details).toBeUndefined()
    expect(press(opened, 'q').effect).toBeUndefined()
    expect(press(opened, 'a').effect).toBeUndefined()
  })

  it('Q6 q quits, and keys without a meaning change nothing', () => {
    const before = start([item(1)])
    expect(press(before, 'q').effect).toEqual({ kind: 'quit', isInterrupted: false })
    expect(press(before, 'x', 'left', 'ö')).toEqual({ state: before.state })
  })
})

describe('the bytes of a terminal', () => {
  it('Q6 become keys, also when a sequence arrives in parts', () => {
    expect(readKeys('aj\u001b[A\u001bOB\r\u007f\u0003é')).toEqual({
      keys: ['a', 'j', 'up', 'down', 'enter', 'backspace', 'ctrl-c', 'é'],
      rest: '',
    })
    expect(readKeys('x\u001b')).toEqual({ keys: ['x'], rest: '\u001b' })
    expect(readKeys('\u001b[5')).toEqual({ keys: [], rest: '\u001b[5' })
    expect(readKeys('\u001b[5~')).toEqual({ keys: ['pageup'], rest: '' })
    expect(readAllKeys('\u001b')).toEqual(['escape'])
  })

  it('Q6 of unknown sequences and control characters are ignored', () => {
    expect(readKeys('\u001b[1;5C\u001b[200~\u0001\u0000q').keys).toEqual(['q'])
  })
})
