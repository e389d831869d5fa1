// How a text from outside becomes an answer: a verdict is found anywhere in it, and nothing broken reads as consent.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { Failure } from '../../engine/degradation.ts'
import { readAnswerText, shown } from './handler.ts'

const BLOCK = '{"decision":"block","metadata":{"a":{"b":"}"}}}'

describe('an answer', () => {
  it.each([
    ['nothing', ''],
    ['blanks', ' \n\t\r\n'],
    ['a byte order mark', '\ufeff'],
    ['plain text', 'all is well'],
    ['the word of a decision', 'block'],
    ['text with brackets', 'checked {3} of {n} files [ok]'],
    ['a list in log style', '[info] done\n[info] bye'],
    ['a number', '42'],
  ])('H2 of %s is a pass', (_what, text) => {
    expect(readAnswerText(text)).toBeUndefined()
  })

  it('H2 of null is a pass', () => {
    expect(readAnswerText('null')).toBeNull()
  })

  it.each([
    ['alone', BLOCK],
    ['over several lines', JSON.stringify(JSON.parse(BLOCK), null, 2)],
    ['with Windows line ends', `hello\r\n${BLOCK}\r\n`],
    ['after a byte order mark', `\ufeff${BLOCK}`],
    ['after noise', `Welcome!\n\n${BLOCK}\n`],
    ['after noise on the same line', `loading… ${BLOCK}`],
    ['after colours', `\u001b[0m${BLOCK}`],
    ['before noise', `${BLOCK}\nbye`],
    ['between noise, over several lines', `hi\n${JSON.stringify(JSON.parse(BLOCK), null, 2)}\nbye {now}`],
    ['after noise that looks like JSON', `{not json}\n${BLOCK}`],
    ['after another document', `{"decision":"pass"}\n${BLOCK}`],
    ['after another document on the same line', `{"decision":"pass"} ${BLOCK}`],
    ['after JSON logs', `{"level":"info"}\n{"level":"warn"}\n${BLOCK}`],
  ])('H2 with a verdict %s is that verdict', (_where, text) => {
    expect(readAnswerText(text)).toEqual(JSON.parse(BLOCK))
  })

  it.each([
    ['a list', '[{"decision":"block"}]'],
    ['a text', '"block"'],
    ['true', 'true'],
    ['false', 'false'],
  ])('H2 of %s as JSON is left to the engine', (_what, text) => {
    expect(readAnswerText(text)).toEqual(JSON.parse(text))
  })

  it.each([
    ['that breaks off', BLOCK.slice(0, -1)],
    ['that breaks off after a whole inner object', '{"decision":"block","metadata":{}'],
    ['that breaks off over several lines', '{\n  "decision": "block",\n  "metadata": {}\n'],
    ['that breaks off after noise', 'hello\n{"decision":'],
    ['that breaks off after noise on the same line', 'loading… {"decision":"blo'],
    ['that breaks off after a whole document', '{"decision":"pass"}\n{"decision":"blo'],
    ['of one bracket', '{'],
    ['with a trailing comma', '{"decision":"block",}'],
    ['with single quotes', "{'decision':'block'}"],
    ['that is broken around another', '{broken {"decision":"pass"} }'],
    ['with a comment', '{"decision":"block" /* why */}'],
  ])('H2 of JSON %s is a failure, not consent', (_what, text) => {
    const answer = readAnswerText(text)
    expect(answer).toBeInstanceOf(Failure)
    expect(answer).toMatchObject({ kind: 'invalid-output' })
  })

  it('H2 cut anywhere is never read as another verdict', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: BLOCK.length - 1 }), (length) => {
        expect(readAnswerText(BLOCK.slice(0, length))).toBeInstanceOf(Failure)
      }),
    )
  })

  it('H2 is found between any texts without brackets', () => {
    const noise = fc.string({ unit: 'binary' }).map((text) => text.replace(/[{}]/g, ''))
    fc.assert(
      fc.property(noise, fc.dictionary(fc.string(), fc.string(), { minKeys: 1 }), noise, (before, verdict, after) => {
        const text = `${before}\n${JSON.stringify(verdict)}\n${after}`
        expect(readAnswerText(text)).toEqual(JSON.parse(JSON.stringify(verdict)))
      }),
    )
  })

  it.each([
    ['open brackets', '{'.repeat(1_000_000)],
    ['open keys', '{"a":'.repeat(200_000)],
    ['lines that each start an object', '{\n'.repeat(500_000)],
    ['broken objects within each other', '{"a" '.repeat(200_000) + '}'.repeat(200_000)],
    ['blanks after brackets', `{${' '.repeat(1000)}`.repeat(1000)],
    ['quotes', '{"'.repeat(500_000)],
    ['small documents', '{"a":1}\n'.repeat(125_000)],
  ])('H2 of a megabyte of %s is read in linear time', (_what, text) => {
    expect(() => readAnswerText(text)).not.toThrow()
  })
})

describe('a text in a reason', () => {
  it('H2 is trimmed and cut', () => {
    expect(shown('  a\n')).toBe('a')
    expect(shown('x'.repeat(5_000))).toHaveLength(2_000)
  })
})
