import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { markSpans } from './spans.ts'

const wild = fc.oneof(fc.integer({ min: -5, max: 40 }), fc.constantFrom(Number.NaN, Number.POSITIVE_INFINITY, 1.5))
const spans = fc.array(fc.record({ start: wild, end: wild }), { maxLength: 6 })

describe('markSpans', () => {
  it('gives the text back when put together, whatever the spans', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 30 }), spans, (text, given) => {
        const pieces = markSpans(text, given)
        expect(pieces.map((piece) => piece.text).join('')).toBe(text)
        expect(pieces.every((piece) => piece.text !== '')).toBe(true)
      }),
    )
  })

  it('marks exactly the characters within a span', () => {
    expect(markSpans('git push --force origin', [{ start: 9, end: 16 }])).toEqual([
      { text: 'git push ', isMarked: false },
      { text: '--force', isMarked: true },
      { text: ' origin', isMarked: false },
    ])
  })

  it('marks overlapping spans once', () => {
    const both = [
      { start: 2, end: 4 },
      { start: 0, end: 3 },
    ]
    expect(markSpans('abcdef', both)).toEqual([
      { text: 'abcd', isMarked: true },
      { text: 'ef', isMarked: false },
    ])
  })
})
