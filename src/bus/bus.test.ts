import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { buildSubject, checkAgent, encodeWord, isUnder, readPattern, readSubject } from './subject.ts'

describe('subjects', () => {
  it('no name reaches into the subjects of another, whatever it holds', () => {
    const name = fc.string({
      unit: fc.constantFrom('a', 'b', '.', '*', '>', ' ', '%', '2', 'E', 'é', '😀', '\n'),
      minLength: 1,
    })
    fc.assert(
      fc.property(name, name, (one, other) => {
        const subject = readSubject(buildSubject('task', one, 'id', 'done'))
        expect(subject).toHaveLength(4)
        expect(isUnder(subject, readPattern(`${buildSubject('task', other)}.>`))).toBe(one === other)
      }),
      { numRuns: 1_000 },
    )
  })

  it.each(['codex.review', '*', '>', 'a.>', 'x%2Ey', '_INBOX.1'])('%j is one word', (name) => {
    expect(encodeWord(name)).toMatch(/^[\w%-]+$/)
    expect(decodeURIComponent(encodeWord(name))).toBe(name)
  })

  it('half a character is refused, since it would be taken for another', () => {
    expect(() => encodeWord('\ud800')).toThrow(/ARC_BUS_INVALID/)
    expect(() => encodeWord('')).toThrow(/ARC_BUS_INVALID/)
  })

  it.each(['', ' ', 'a\nb', 'a\u001b[2K', '\u202eevil', 'x'.repeat(201), '\ud800', 7, undefined])(
    '%j is no name of an agent',
    (name) => expect(() => checkAgent(name, 'to')).toThrow(/to must be the name of an agent/),
  )

  it('a pattern matches as an expression of the same meaning does', () => {
    const word = fc.constantFrom('a', 'b', 'cc')
    const subjects = fc.array(word, { minLength: 1, maxLength: 5 })
    const patterns = fc
      .tuple(fc.array(fc.oneof(word, fc.constant('*')), { maxLength: 5 }), fc.boolean())
      .map(([words, isOpen]) => (isOpen || words.length === 0 ? [...words, '>'] : words))
    fc.assert(
      fc.property(subjects, patterns, (subject, pattern) => {
        const parts = pattern.map((one) => (one === '*' ? '[^.]+' : one === '>' ? '.+' : one))
        const expected = new RegExp(`^${parts.join('\\.')}$`).test(subject.join('.'))
        expect(isUnder(subject, readPattern(pattern.join('.')))).toBe(expected)
      }),
    )
  })
})
