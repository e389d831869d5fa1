import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { type DiffLine, diffLines, foldSame } from './line-diff.ts'

const text = fc
  .array(fc.constantFrom('a', 'b', 'c', '', 'the same'), { maxLength: 30 })
  .map((lines) => lines.join('\n'))

describe('diffLines', () => {
  it('holds both texts whole, whatever they are', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        const lines = diffLines(before, after)
        expect(textOf(lines, 'removed')).toBe(before)
        expect(textOf(lines, 'added')).toBe(after)
      }),
    )
  })

  it('says that nothing changed only when nothing did', () => {
    fc.assert(
      fc.property(text, text, (before, after) => {
        expect(diffLines(before, after).every(({ kind }) => kind === 'same')).toBe(before === after)
      }),
    )
  })

  it('finds the shortest edit', () => {
    expect(diffLines('a\nb\nc', 'a\nc\nd').map(({ kind, text: line }) => `${kind} ${line}`)).toEqual([
      'same a',
      'removed b',
      'same c',
      'added d',
    ])
  })

  it('answers at once for texts that have nothing in common', () => {
    const before = Array.from({ length: 4_000 }, (_, index) => `old ${index}`).join('\n')
    const after = Array.from({ length: 4_000 }, (_, index) => `new ${index}`).join('\n')
    const lines = diffLines(before, after)
    expect(lines.filter(({ kind }) => kind === 'removed')).toHaveLength(4_000)
    expect(lines.filter(({ kind }) => kind === 'added')).toHaveLength(4_000)
  })
})

describe('foldSame', () => {
  it('omits lines far from a change, and counts them', () => {
    const before = Array.from({ length: 20 }, (_, index) => `line ${index}`)
    const after = before.with(10, 'changed')
    const folded = foldSame(diffLines(before.join('\n'), after.join('\n')), 1)
    expect(folded).toEqual([
      { kind: 'gap', count: 9 },
      { kind: 'same', text: 'line 9' },
      { kind: 'removed', text: 'line 10' },
      { kind: 'added', text: 'changed' },
      { kind: 'same', text: 'line 11' },
      { kind: 'gap', count: 8 },
    ])
  })
})

// An empty text has no line, one empty line is a different text: both join to nothing.
function textOf(lines: readonly DiffLine[], side: 'removed' | 'added'): string {
  return lines
    .filter(({ kind }) => kind === 'same' || kind === side)
    .map(({ text: line }) => line)
    .join('\n')
}
