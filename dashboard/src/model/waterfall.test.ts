import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import type { Action } from '../../../src/protocol/views.ts'
import { layOutWaterfall } from './waterfall.ts'

function actionAt(startMs: number, ranMs: number | undefined): Action {
  return {
    ...{ id: `${startMs}`, seq: startMs, time: new Date(startMs).toISOString(), point: 'pre:tool', preview: '' },
    ...{ decision: 'pass', blocked: false, durationMs: 1, steps: [] },
    ...(ranMs !== undefined && { ranMs }),
  }
}

const actions = fc.array(
  fc.tuple(fc.nat(1e9), fc.option(fc.nat(1e5), { nil: undefined })).map(([start, ranMs]) => actionAt(start, ranMs)),
  { maxLength: 30 },
)

describe('a waterfall', () => {
  it('draws every bar within its width, whatever happened when', () => {
    fc.assert(
      fc.property(actions, (given) => {
        const { bars, pauses } = layOutWaterfall(given)
        expect(bars).toHaveLength(given.length)
        for (const { left, width } of bars) {
          expect(left).toBeGreaterThanOrEqual(0)
          expect(width).toBeGreaterThan(0)
          expect(left + width).toBeLessThanOrEqual(1 + 1e-9)
        }
        for (const { left, ms } of pauses) expect([left > 0, left < 1, ms > 0]).toEqual([true, true, true])
      }),
    )
  })

  it('keeps what came later to the right', () => {
    fc.assert(
      fc.property(actions, (given) => {
        const inOrder = given.toSorted((a, b) => a.seq - b.seq)
        const lefts = layOutWaterfall(inOrder).bars.map(({ left }) => left)
        lefts.forEach((left, index) => {
          expect(left).toBeGreaterThanOrEqual((lefts[index - 1] ?? 0) - 1e-9)
        })
      }),
    )
  })

  it('draws a long pause short, and says how long it was', () => {
    const { bars, pauses } = layOutWaterfall([actionAt(0, 10_000), actionAt(8 * 3_600_000, 10_000)])
    expect(pauses).toHaveLength(1)
    expect(pauses[0]?.ms).toBe(8 * 3_600_000 - 10_000)
    expect(bars[0]?.width).toBeGreaterThan(0.4)
    expect(bars[1]?.left).toBeGreaterThan(0.5)
  })
})
