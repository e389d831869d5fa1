import { describe, expect, it } from 'vitest'
import { waitBefore } from './backoff.ts'
import { formatAgo, formatCount, formatDuration, formatPeriod, formatRate, formatShare, plural } from './format.ts'

describe('formats', () => {
  it.each([
    [0, '0'],
    [9_999, '9999'],
    [12_345, '12.3k'],
    [999_999, '1000k'],
    [4_500_000, '4.5M'],
    [Number.NaN, '–'],
  ])('count %d as %s', (count, text) => expect(formatCount(count)).toBe(text))

  it.each([
    [0.036, '0.04 ms'],
    [5.255, '5.3 ms'],
    [25.44, '25 ms'],
    [1_400, '1.4 s'],
    [125_000, '2 m 5 s'],
    [undefined, '–'],
  ])('duration %d as %s', (ms, text) => expect(formatDuration(ms)).toBe(text))

  it.each([
    [59_400, '59 s'],
    [59_600, '1 m'],
    [3_599_600, '1 h'],
    [90_000_000, '1 d 1 h'],
    [-5, '0 s'],
  ])('span %d as %s', (ms, text) => expect(formatPeriod(ms)).toBe(text))

  it.each([
    [0, 'just now'],
    [-9_000, 'just now'],
    [59_999, '59 s ago'],
    [3_600_000, '1 h ago'],
    [172_800_000, '2 d ago'],
  ])('age %d as %s', (ms, text) => expect(formatAgo(1_000_000_000 - ms, 1_000_000_000)).toBe(text))

  it.each([
    [1, 1, '100 %'],
    [9_999, 10_000, '99.9 %'],
    [99_999, 100_000, '99.9 %'],
    [1, 100_000, '0.1 %'],
    [0, 10, '0 %'],
    [0, 0, '–'],
  ])('share %d of %d as %s', (part, whole, text) => expect(formatShare(part, whole)).toBe(text))

  it('tells rates in the unit that fits', () => {
    expect(formatRate(0)).toBe('0 / min')
    expect(formatRate(3.25)).toBe('3.3 / min')
    expect(formatRate(60_000)).toBe('1000 / s')
    expect([plural(1, 'hook'), plural(11, 'hook')]).toEqual(['1 hook', '11 hooks'])
  })
})

describe('the wait before the next attempt', () => {
  it('doubles up to a cap, and never exceeds it', () => {
    expect([0, 1, 2, 3].map((attempt) => waitBefore(attempt, 1))).toEqual([250, 500, 1_000, 2_000])
    expect(waitBefore(1_000, 1)).toBe(10_000)
    expect(waitBefore(1_000, 0)).toBe(5_000)
  })
})
