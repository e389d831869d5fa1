import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { computeWindow, scrollToRow } from './virtual-window.ts'

const input = fc.record({
  count: fc.integer({ min: 0, max: 100_000 }),
  rowHeight: fc.integer({ min: 1, max: 80 }),
  scrollTop: fc.integer({ min: -500, max: 9_000_000 }),
  viewHeight: fc.integer({ min: 0, max: 3_000 }),
  overscan: fc.integer({ min: 0, max: 20 }),
})

describe('windowOf', () => {
  it('draws every row that is seen, and few others', () => {
    fc.assert(
      fc.property(input, (given) => {
        const { start, end, offset, totalHeight } = computeWindow(given)
        const { count, rowHeight, viewHeight, overscan } = given
        expect(start).toBeGreaterThanOrEqual(0)
        expect(end).toBeLessThanOrEqual(count)
        expect(end - start).toBeLessThanOrEqual(Math.ceil(viewHeight / rowHeight) + 1 + 2 * overscan)
        expect(offset).toBe(start * rowHeight)
        const top = Math.min(Math.max(0, given.scrollTop), Math.max(0, totalHeight - viewHeight))
        if (count > 0) expect(offset).toBeLessThanOrEqual(top)
        expect(end * rowHeight).toBeGreaterThanOrEqual(Math.min(totalHeight, top + viewHeight))
      }),
    )
  })
})

describe('scrollToRow', () => {
  it('brings a row into view, and moves nothing when it is there', () => {
    fc.assert(
      fc.property(input, fc.nat(99_999), (given, wanted) => {
        fc.pre(given.count > 0 && given.viewHeight >= given.rowHeight)
        const index = wanted % given.count
        const top = scrollToRow(index, given)
        expect(index * given.rowHeight).toBeGreaterThanOrEqual(top)
        expect((index + 1) * given.rowHeight).toBeLessThanOrEqual(top + given.viewHeight)
        expect(scrollToRow(index, { ...given, scrollTop: top })).toBe(top)
      }),
    )
  })
})
