import fc from 'fast-check'
import { expect, it } from 'vitest'
import { displayWidth } from '../../output.ts'
import { underline } from './underline.ts'

const part = (text: string, of: string) => ({ start: text.indexOf(of), end: text.indexOf(of) + of.length })

it.each([
  ['git push --force', '--force', 'git push --force', '         ^~~~~~~'],
  ['echo 日本 && rm x', 'rm', 'echo 日本 && rm x', '             ^~'],
  ['a\tb\u001b[31m --x', '--x', 'a·b·[31m --x', '         ^~~'],
  ['x', 'x', 'x', '^'],
])('%j: the marks are below %j', (text, of, line, marks) => {
  expect(underline(text, part(text, of), 80)).toEqual({ number: 1, line, marks })
})

it('shows the one line of several that the part begins in, and clips a long one around the part', () => {
  const script = 'set -e\ncd build\nrm -rf /\necho done'
  expect(underline(script, part(script, 'rm -rf /'), 80)).toEqual({ number: 3, line: 'rm -rf /', marks: '^~~~~~~~' })
  const long = `echo ${'a'.repeat(500)} && rm -rf / && echo ${'b'.repeat(500)}`
  const { line = '', marks = '' } = underline(long, part(long, 'rm -rf /'), 60) ?? {}
  expect(line).toMatch(/^…a+ && rm -rf \/ && echo b+…$/)
  expect(line.slice(marks.indexOf('^'), marks.length)).toBe('rm -rf /')
})

it('never shows more columns than there are nor anything that a terminal obeys, and refuses parts that are none', () => {
  const anything = fc.string({ unit: 'binary', maxLength: 200 })
  fc.assert(
    fc.property(anything, fc.nat(220), fc.nat(220), fc.integer({ min: 10, max: 120 }), (text, start, end, columns) => {
      const shown = underline(text, { start, end }, columns)
      expect(shown === undefined).toBe(start >= end || end > text.length)
      if (shown === undefined) return
      expect(displayWidth(shown.line)).toBeLessThanOrEqual(columns + 1)
      expect(shown.line).not.toMatch(/[\p{Cc}\p{Bidi_Control}]/u)
      expect(shown.marks).toMatch(/^ *\^~*$/)
    }),
  )
})
