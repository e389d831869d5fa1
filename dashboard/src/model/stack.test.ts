import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { fillBuckets, stackBuckets, sumBuckets } from './stack.ts'

const count = fc.nat(1_000)
const bucket = fc.record({ at: fc.nat(1e6), pass: count, flag: count, ask: count, block: count, error: count })

describe('a stack of counts', () => {
  it('reaches the whole at its top, and never falls towards it', () => {
    fc.assert(
      fc.property(fc.array(bucket, { maxLength: 20 }), (buckets) => {
        const [times, ...levels] = stackBuckets(buckets)
        expect(times).toEqual(buckets.map(({ at }) => at / 1_000))
        buckets.forEach(({ pass, flag, ask, block }, index) => {
          const pile = levels.map((level) => level[index] ?? Number.NaN)
          expect(pile[0]).toBe(pass + flag + ask + block)
          expect(pile.at(-1)).toBe(pass)
          expect(pile.toSorted((a, b) => b - a)).toEqual(pile)
        })
        const [top = []] = levels
        const { pass, flag, ask, block } = sumBuckets(buckets)
        expect(top.reduce((sum, height) => sum + height, 0)).toBe(pass + flag + ask + block)
      }),
    )
  })

  it('has a place for every span of time, empty ones included', () => {
    const known = { at: 7_200_000, pass: 1, flag: 0, ask: 0, block: 2, error: 0 }
    const filled = fillBuckets([known], { stepMs: 3_600_000, count: 3, until: 11_000_000 })
    expect(filled.map(({ at, block }) => [at, block])).toEqual([
      [3_600_000, 0],
      [7_200_000, 2],
      [10_800_000, 0],
    ])
  })
})
