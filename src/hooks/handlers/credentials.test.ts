// Secrets of requests: how they get into headers, and that no text keeps them.

import fc from 'fast-check'
import { describe, expect, it, vi } from 'vitest'
import { createRedactor, fillFromEnvironment, hideInVerdict } from './credentials.ts'

const URL_WITHOUT_QUERY = new URL('http://127.0.0.1/')
const secretText = fc.string({ minLength: 6, maxLength: 40 }).filter((text) => text.trim() === text)

describe('hiding secrets', () => {
  it('H5 credentials never remain in a text, whatever their characters and the text around them', () => {
    fc.assert(
      fc.property(secretText, fc.string(), fc.string(), (secret, before, after) => {
        const redact = createRedactor([`Bearer ${secret}`, secret], URL_WITHOUT_QUERY)
        fc.pre(!'[redacted]'.includes(secret))
        for (const text of [secret, JSON.stringify({ secret }), encodeURIComponent(secret)]) {
          const shown = redact(`${before}${text}${after}`)
          expect(shown).not.toContain(secret)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it('H5 credentials of basic authentication are hidden as they are sent and as decoded text', () => {
    const noColon = secretText.filter((text) => !text.includes(':'))
    fc.assert(
      fc.property(noColon, secretText, (user, password) => {
        const code = Buffer.from(`${user}:${password}`).toString('base64')
        const redact = createRedactor([`Basic ${code}`], URL_WITHOUT_QUERY)
        for (const text of [code, `${user}:${password}`, password, user]) expect(redact(text)).toBe('[redacted]')
      }),
    )
  })

  it.each([
    ['a short one is hidden as a word', 'abc', 'key abc, abcd and xabc', 'key [redacted], abcd and xabc'],
    ['what is shorter is no secret', '1', 'head -n 1', 'head -n 1'],
    ['a decision is no secret', 'block', 'block this', 'block this'],
    ['the scheme stays', 'Bearer abcdefgh', 'Bearer abcdefgh', '[redacted]'],
    ['the scheme alone stays', 'Bearer abcdefgh', 'expected Bearer', 'expected Bearer'],
    ['the longest goes first', 'Bearer abcdef;abcdefgh', 'abcdefgh abcdef', '[redacted] [redacted]'],
    ['a cookie is hidden by its value', 'a=12345678; b=87654321', '{"b":"87654321"}', '{"b":"[redacted]"}'],
    ['nothing is hidden for an empty value', '', 'as it is', 'as it is'],
  ])('H5 credentials: %s', (_, value, text, expected) => {
    expect(createRedactor([value], URL_WITHOUT_QUERY)(text)).toBe(expected)
  })

  it('H5 credentials in a query are hidden, encoded or not', () => {
    const redact = createRedactor([], new URL('http://h/?key=a%2Fb-secret&v=12'))
    expect(redact('/?key=a%2Fb-secret&v=12')).toBe('/?[redacted]')
    expect(redact('key a/b-secret or a%2Fb-secret')).toBe('key [redacted] or [redacted]')
  })
})

describe('hiding secrets in a verdict', () => {
  const redact = createRedactor(['long-secret'], URL_WITHOUT_QUERY)

  it('H5 credentials go from everything that is shown, and edits stay exact', () => {
    const verdict = {
      decision: 'flag',
      reason: 'a long-secret',
      metadata: { list: ['long-secret', 1, null, { deep: 'x long-secret' }], yes: true },
      additional_context: ['long-secret'],
      modify: { args: { key: 'long-secret' } },
      result: 'long-secret',
    }
    expect(hideInVerdict(verdict, redact)).toEqual({
      ...verdict,
      reason: 'a [redacted]',
      metadata: { list: ['[redacted]', 1, null, { deep: 'x [redacted]' }], yes: true },
      additional_context: ['[redacted]'],
    })
  })

  it.each([
    ['long-secret', '[redacted]'],
    [['long-secret'], ['[redacted]']],
    [undefined, undefined],
    [null, null],
    [true, true],
  ])('H5 credentials go from %j, which is no object', (verdict, expected) => {
    expect(hideInVerdict(verdict, redact)).toEqual(expected)
  })
})

describe('variables in headers', () => {
  it.each([
    ['Bearer $ARC_TEST_A', 'Bearer one', []],
    ['$ARC_TEST_A$ARC_TEST_A', 'oneone', []],
    ['a$ARC_TEST_A.b', 'aone.b', []],
    [`\${ARC_TEST_A}b`, 'oneb', []],
    ['$ARC_TEST_GONE', '', ['ARC_TEST_GONE']],
    ['$constructor', '', ['constructor']],
    ['$5 and $', '$5 and $', []],
    ['plain', 'plain', []],
  ])('H5 credentials: %s becomes %j', (given, expected, missing) => {
    vi.stubEnv('ARC_TEST_A', 'one')
    const filled = fillFromEnvironment({ 'x-key': given })
    vi.unstubAllEnvs()
    expect(filled.headers).toEqual({ 'x-key': expected })
    expect(filled.missing).toEqual(missing)
  })

  it('H5 credentials: a value that looks like a variable is not filled again', () => {
    vi.stubEnv('ARC_TEST_A', '$HOME')
    const filled = fillFromEnvironment({ 'x-key': '$ARC_TEST_A' })
    vi.unstubAllEnvs()
    expect(filled).toEqual({ headers: { 'x-key': '$HOME' }, values: ['$HOME'], missing: [] })
  })
})
