import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { clipText, splitPieces, toPlainText } from './visible-text.ts'

describe('piecesOf', () => {
  it.each([
    ['a direction override', 'rm \u202e/tmp', 'U+202E'],
    ['an isolate', 'a\u2066b', 'U+2066'],
    ['a zero-width space', 'r\u200bm', 'U+200B'],
    ['an escape', '\u001b[2K', 'U+001B'],
    ['a return that would overwrite the line', 'evil\rgood', 'U+000D'],
    ['a tag character', 'a\u{e0041}', 'U+E0041'],
    ['a line separator', 'a\u2028b', 'U+2028'],
    ['half of a pair', 'a\ud800b', 'U+D800'],
    ['a filler', 'a\u3164b', 'U+3164'],
  ])('shows %s', (_, text, name) => {
    expect(splitPieces(text).find(({ isHidden }) => isHidden)?.text).toBe(name)
  })

  it('leaves nothing that reorders, hides or erases, whatever comes', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        expect(toPlainText(text)).not.toMatch(/[\p{Cc}\p{Cs}\u200b-\u200f\u202a-\u202e\u2066-\u2069\u061c\ufeff]/u)
      }),
    )
  })

  it('leaves words of other languages as they are', () => {
    const text = 'löschen 削除 حذف 🙂 del_all()'
    expect(splitPieces(text)).toEqual([{ text, isHidden: false }])
  })

  it('keeps the lines of a block, and shows them as signs in one line', () => {
    expect(splitPieces('a\r\n\tb')).toEqual([{ text: 'a\n\tb', isHidden: false }])
    expect(toPlainText('a\r\n\tb')).toBe('a ⏎  b')
  })
})

describe('clipText', () => {
  it('never leaves half of a character', () => {
    expect(clipText('ab🙂cd', 4)).toBe('ab…')
    expect(clipText('abcd', 4)).toBe('abcd')
  })
})
