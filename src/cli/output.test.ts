import { expect, it, vi } from 'vitest'
import {
  alignColumns,
  displayWidth,
  fromNow,
  oneLine,
  readSince,
  readSpan,
  report,
  shortPath,
  terminalColumns,
  wrap,
} from './output.ts'

it('columns line up, also with colours, wide characters and combined ones', () => {
  const rows = [
    ['\u001b[31mred\u001b[39m', '1', 'x'],
    ['日本', '20', 'y'],
    ['e\u0301', '300', 'z'],
    ['👩‍💻', '4', ''],
  ]
  const lines = alignColumns(rows, { right: [1] })
  expect(lines.map((line) => displayWidth(line.slice(0, line.search(/[xyz]/) + 1)))).toEqual([12, 12, 12, 0])
  expect(lines[1]).toBe('日本   20  y')
  expect(lines[3]).toBe('👩‍💻      4')
})

it('the head is the first line, and rows may have different lengths', () => {
  expect(alignColumns([['a'], ['b', 'c']], { head: ['name', 'what'] }).map((line) => displayWidth(line))).toEqual([
    10, 1, 7,
  ])
})

it('one line has nothing that a terminal would obey, and is cut with a mark', () => {
  expect(oneLine('a\n\tb\u001b[2Jc\u202ed')).toBe('a ⏎ b\\u{1b}[2Jc\\u{202e}d')
  expect(oneLine('ab\u{1f600}c', 4)).toBe('ab…')
  expect(oneLine('x'.repeat(100), 10)).toBe(`${'x'.repeat(9)}…`)
})

it('neither has what is reported, which may quote what somebody else chose', () => {
  const write = vi.spyOn(process.stderr, 'write').mockReturnValue(true)
  report('no profile \u001b[2K\r\u202ex\nsecond line')
  const [[said]] = write.mock.calls as [[string]]
  write.mockRestore()
  expect(said).toBe('arc: no profile \\u{1b}[2K\\u{d}\\u{202e}x\nsecond line\n')
})

it('times are shown beside now, before and after it', () => {
  const now = Date.parse('2026-01-02T00:00:00Z')
  expect(fromNow('2026-01-01T23:55:00Z', now)).toBe('5m ago')
  expect(fromNow(now + 7_200_000, now)).toBe('in 2h')
  expect(fromNow(now, now)).toBe('0s ago')
})

it('spans are read, and nonsense is not', () => {
  expect([readSpan('90s'), readSpan('30m'), readSpan('2h'), readSpan('7d')]).toEqual([9e4, 18e5, 72e5, 6048e5])
  expect([readSpan('m'), readSpan('-1m'), readSpan('1.5h'), readSpan('1 h'), readSpan('')]).toEqual(
    Array(5).fill(undefined),
  )
  expect(readSince('2h', 7_200_001)).toBe(1)
  expect(readSince('soon')).toBeUndefined()
})

it('what is empty at the end of a row takes no room, coloured or not', () => {
  const lines = alignColumns([
    ['a', 'bb', '\u001b[2m\u001b[22m'],
    ['aaa', 'b', 'c'],
  ])
  expect(lines).toEqual(['a    bb', 'aaa  b   c'])
})

it('breaks a text at blanks, wide characters counted as two, and keeps a word that is too long', () => {
  expect(wrap('one two three', 7)).toEqual(['one two', 'three'])
  expect(wrap('日本 日本', 7)).toEqual(['日本', '日本'])
  expect(wrap('a/very/long/path x', 6)).toEqual(['a/very/long/path', 'x'])
  for (const line of wrap('the quick brown fox jumps over the lazy dog', 12))
    expect(displayWidth(line)).toBeLessThanOrEqual(12)
})

it('takes the columns of the terminal, within reason', () => {
  expect([{}, { columns: 100 }, { columns: 3 }, { columns: 900 }].map((one) => terminalColumns(one))).toEqual([
    80, 100, 40, 120,
  ])
})

it('shortens a path only from a folder that it lies in', () => {
  expect(shortPath('/home/me/.arc/profiles/x.json:3', ['/home/me/.arc', '/srv'])).toBe('profiles/x.json:3')
  expect(shortPath('/srv/a/b', ['/srv', '/srv/a'])).toBe('b')
  expect(shortPath('/etc/x', ['/srv'])).toBe('/etc/x')
  expect(shortPath('built-in', ['/srv'])).toBe('built-in')
})
