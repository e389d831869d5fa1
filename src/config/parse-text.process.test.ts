import { execFileSync } from 'node:child_process'
import { mkdirSync, symlinkSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { parseText } from './parse-text.ts'
import { formatProblem } from './problem.ts'
import { readTextFile } from './read-file.ts'

const complaints = (file: string, text: string) => (parseText(file, text).problems ?? []).map(formatProblem)

describe('parsing', () => {
  it('C1 keeps the place of every key and value in both formats', () => {
    const json = parseText('a.jsonc', '// note\n{ "a": [ 1,\n  { "b": 2 } ] }').parsed
    expect(json?.value).toEqual({ a: [1, { b: 2 }] })
    expect(json?.at(['a', 1, 'b'])).toEqual({ line: 3, column: 10 })
    expect(json?.at(['a', 1, 'b'], 'key')).toEqual({ line: 3, column: 5 })
    expect(json?.at(['a', 7])).toEqual({ line: 2, column: 8 })
    const yaml = parseText('a.yaml', '# note\na:\n  - 1\n  - b: 2\n').parsed
    expect(yaml?.value).toEqual({ a: [1, { b: 2 }] })
    expect(yaml?.at(['a', 1, 'b'])).toEqual({ line: 4, column: 8 })
    expect(yaml?.at(['a', 1, 'b'], 'key')).toEqual({ line: 4, column: 5 })
  })

  it.each([
    ['a.json', '{ "a": 1, "b": ', 'a.json:1:15: Expected a value, but the file ends here.'],
    ['a.json', '{\n "a": [1, 2', 'Expected "]", but the file ends here.'],
    ['a.json', '{ "a": "cut of', 'a.json:1:8: Expected a closing double quote'],
    ['a.json', '{ "a" 1 }', 'a.json:1:7: Expected ":" after the key, but here is "1".'],
    ['a.json', '{ a: 1 }', 'a.json:1:3: Expected'],
    ['a.json', '', 'a.json:1:1: Expected an object of settings, but the file is empty.'],
    ['a.yaml', '\n', 'a.yaml:1:1: Expected an object of settings, but the file is empty.'],
    ['a.yaml', '# only\n', 'a.yaml:1:1: Expected an object of settings, but it holds only "# only".'],
    ['a.json', '{"a":1,\n"a":2}', 'a.json:2:1: The key "a" is given twice, first in line 1.'],
    ['a.yaml', 'x:\n  a: 1\n  a: 2\n', 'a.yaml:3:3: The key "a" is given twice, first in line 2.'],
    ['a.json', '{"x":{"__proto__":{}}}', 'a.json:1:7: The key "__proto__" cannot be used.'],
    ['a.yaml', 'a: [1, 2\nb: 3\n', 'a.yaml:2:'],
    ['a.yaml', 'a: "cut of', 'a.yaml:1:'],
    ['a.yaml', 'a: 1\n---\nb: 2\n', 'a.yaml:2:1: Expected YAML'],
    ['a.yaml', 'a: !!js/function x\n', 'a.yaml:1:4: Expected YAML'],
    ['a.yaml', '? {a: 1}\n: 2\n', 'a.yaml:1:3: Expected a text as the key'],
    ['a.yaml', 'a: *nowhere\n', 'a.yaml:1:4: There is no anchor &nowhere.'],
  ])('C1 says what is wrong in %s: %j', (file, text, expected) => {
    expect(complaints(file, text).join('\n')).toContain(expected)
  })

  it.each([
    ['a.json', '['.repeat(400_000)],
    ['a.json', '{"a":'.repeat(400)],
    ['a.yaml', '['.repeat(400_000)],
    ['a.yaml', '- '.repeat(5_000)],
    ['a.yaml', 'a: [b, '.repeat(70)],
    ['a.yaml', Array.from({ length: 90 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n')],
    ['a.yaml', 'a: &a [*a]\n'],
    ['a.yaml', 'a: [b, '.repeat(30_000)],
    [
      'a.yaml',
      `a0: &a0 [x]\n${Array.from({ length: 30 }, (_, i) => `a${i + 1}: &a${i + 1} [*a${i}, *a${i}]`).join('\n')}\n`,
    ],
  ])('C1 refuses a document that is too deep or too large (%s)', (file, text) => {
    expect(parseText(file, text).problems?.length).toBeGreaterThan(0)
  })

  it('C1 follows the aliases of YAML and reports at the place of use', () => {
    const { parsed } = parseText('a.yaml', 'base: &b { timeout: 1 }\nother: *b\n')
    expect(parsed?.value).toEqual({ base: { timeout: 1 }, other: { timeout: 1 } })
    expect(parsed?.at(['other'])).toEqual({ line: 2, column: 8 })
  })

  it('C1 never throws, and every problem has a position in the text', () => {
    const piece = fc.constantFrom(
      '{',
      '}',
      '[',
      ']',
      '"',
      ':',
      ',',
      'a',
      '1',
      '\n',
      ' ',
      '- ',
      '&a',
      '*a',
      '#',
      '//',
      '|',
      '\t',
    )
    const text = fc.oneof(
      fc.string(),
      fc.array(piece, { maxLength: 40 }).map((parts) => parts.join('')),
    )
    fc.assert(
      fc.property(text, fc.constantFrom('a.json', 'a.yaml'), (given, file) => {
        const lines = given.split('\n')
        for (const { line, column, message } of parseText(file, given).problems ?? []) {
          expect(line >= 1 && line <= lines.length).toBe(true)
          expect(column >= 1 && column <= (lines[line - 1] ?? '').length + 1).toBe(true)
          expect(message).not.toBe('')
        }
      }),
      { numRuns: 1_000 },
    )
  })
})

describe('reading', () => {
  let dir = ''
  beforeEach(() => {
    dir = makeTempFolder('arc-read-')
  })

  it('C1 refuses a file of 100 GB without reading it', () => {
    const file = join(dir, 'big.json')
    writeFileSync(file, '{')
    // Sparse. Reading it would fail with another problem.
    truncateSync(file, 100 * 1024 ** 3)
    expect(readTextFile(file).problem).toMatchObject({ kind: 'too-large', line: 1, column: 1 })
  })

  it('C1 reports a directory, a pipe, a loop of links or other bytes instead of a file', () => {
    mkdirSync(join(dir, 'd.json'))
    expect(readTextFile(join(dir, 'd.json')).problem?.message).toContain('this is a directory')
    execFileSync('/usr/bin/env', ['mkfifo', join(dir, 'pipe.json')])
    expect(readTextFile(join(dir, 'pipe.json')).problem?.message).toContain('this is a pipe')
    symlinkSync('loop.json', join(dir, 'loop.json'))
    expect(readTextFile(join(dir, 'loop.json')).problem?.message).toContain('cannot be read')
    writeFileSync(join(dir, 'latin.json'), Buffer.from([0x7b, 0xff, 0x7d]))
    expect(readTextFile(join(dir, 'latin.json')).problem?.message).toContain('UTF-8')
    expect(readTextFile(join(dir, 'none.json'))).toEqual({})
  })
})

it('C1 reads YAML and JSON that begin with a byte order mark, whatever their number of keys', () => {
  expect(parseText('a.yaml', '\uFEFFtool: x\nenforcement: log\n').parsed?.value).toEqual({
    tool: 'x',
    enforcement: 'log',
  })
  expect(parseText('a.json', '\uFEFF{"tool":"x",\n"enforcement":"log"}').parsed?.value).toEqual({
    tool: 'x',
    enforcement: 'log',
  })
})
