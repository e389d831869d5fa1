// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders are those of the shell.

// Expansion beside a real shell: whatever the analysis says a word becomes, bash must agree.

import { spawnSync } from 'node:child_process'
import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { analyzeShell } from './analyze.ts'
import { expandShellBraces } from './expansion/braces.ts'
import { matchesWhole, removeMatch } from './expansion/patterns.ts'

const NAMES = ['a', 'b', 'c']
const letters = fc.string({ unit: fc.constantFrom('x', 'y', 'z', '-', '.', '0'), minLength: 1, maxLength: 6 })
const spaced = fc.array(letters, { minLength: 1, maxLength: 3 }).map((words) => words.join(' '))
const name = fc.constantFrom(...NAMES)
const pattern = fc
  .array(fc.constantFrom('x', 'y', '*', '?', '[xy]', '[!z]', '.'), { minLength: 1, maxLength: 3 })
  .map((parts) => parts.join(''))

const expansion = fc.oneof(
  name.map((variable) => `$${variable}`),
  fc
    .tuple(name, fc.constantFrom('#', '##', '%', '%%'), pattern)
    .map(([variable, operator, glob]) => `\${${variable}${operator}${glob}}`),
  fc
    .tuple(name, fc.constantFrom('/', '//', '/#', '/%'), pattern, letters)
    .map(([variable, operator, glob, text]) => `\${${variable}${operator}${glob}/${text}}`),
  fc.tuple(name, fc.nat(4), fc.nat(4)).map(([variable, offset, length]) => `\${${variable}:${offset}:${length}}`),
  fc.tuple(name, fc.constantFrom('^^', ',,', '^', ',')).map(([variable, operator]) => `\${${variable}${operator}}`),
  fc
    .tuple(fc.constantFrom(...NAMES, 'none'), fc.constantFrom(':-', '-', ':+', '+'), letters)
    .map(([variable, operator, text]) => `\${${variable}${operator}${text}}`),
  name.map((variable) => `\${#${variable}}`),
  fc
    .tuple(fc.nat(20), fc.constantFrom('+', '-', '*', '<', '=='), fc.nat(20))
    .map(([left, operator, right]) => `$((${left} ${operator} ${right}))`),
  name.map((variable) => `$(printf %s "$${variable}")`),
  fc.constant('${list[@]}'),
  fc.constant('${list[1]}'),
  fc.constant('$@'),
)

const piece = fc.oneof(
  letters,
  spaced.map((text) => `'${text}'`),
  expansion,
  expansion.map((text) => `"${text}"`),
  fc.array(letters, { minLength: 2, maxLength: 3 }).map((words) => `{${words.join(',')}}`),
  fc.tuple(fc.nat(4), fc.nat(4)).map(([from, to]) => `{${from}..${to}}`),
)

const words = fc.array(
  fc.array(piece, { minLength: 1, maxLength: 3 }).map((pieces) => pieces.join('')),
  { minLength: 1, maxLength: 3 },
)

const script = fc
  .tuple(spaced, spaced, letters, fc.array(letters, { maxLength: 3 }), words)
  .map(([a, b, c, list, line]) => ({
    setup: `unset none; a='${a}'; b="${b}"; c=${c}; list=(one 'two three' ${c}); set -- ${list.join(' ')};`,
    line: `printf '<%s>' end ${line.join(' ')}`,
  }))

describe('expansion', () => {
  it('agrees with bash', () => {
    const samples = fc.sample(script, { numRuns: 400, seed: 7 })
    // `set -f`: patterns are not matched against files, which the analysis does not do either.
    const text = samples.map(({ setup, line }) => `(${setup} set -f; set -- "$@"; ${line}; echo)`).join('\n')
    const real = spawnSync('bash', ['--norc'], {
      input: text,
      encoding: 'utf8',
      env: { PATH: process.env.PATH ?? '', LC_ALL: 'C' },
    })
    const expected = real.stdout.split('\n')
    const wrong = samples.flatMap(({ setup, line }, index) => {
      const command = analyzeShell(`${setup} ${line}`, { cwd: '/', home: '/root' }).commands.at(-1)
      const known = command?.args.every((word) => word.isKnown)
      const printed = command?.args
        .slice(1)
        .map((word) => `<${word.text}>`)
        .join('')
      return known && printed !== expected[index] ? [{ setup, line, printed, bash: expected[index] }] : []
    })
    expect(expected.length).toBe(samples.length + 1)
    expect(wrong).toEqual([])
  })

  it('knows nearly all that the text says', () => {
    const samples = fc.sample(script, { numRuns: 400, seed: 11 })
    const known = samples.filter(({ setup, line }) => {
      const command = analyzeShell(`${setup} ${line}`, { cwd: '/', home: '/root' }).commands.at(-1)
      return command?.args.every((word) => word.isKnown)
    })
    expect(known.length).toBeGreaterThan(380)
  })
})

describe('patterns', () => {
  it('match what a regular expression for them matches', () => {
    const text = fc.string({ unit: fc.constantFrom('x', 'y', 'z', '.'), maxLength: 8 })
    fc.assert(
      fc.property(pattern, text, (glob, subject) => {
        const source = glob.replaceAll('.', '\\.').replaceAll('*', '.*').replaceAll('?', '.').replaceAll('[!', '[^')
        expect(matchesWhole(glob, subject)).toBe(new RegExp(`^${source}$`, 's').test(subject))
      }),
    )
  })

  it('do not take exponential time', () => {
    expect(matchesWhole('*a'.repeat(200), `${'a'.repeat(400)}b`)).toBe(false)
    expect(removeMatch('a'.repeat(600), '#', { text: '*b', isGlob: true })).toBeUndefined()
  })
})

describe('braces', () => {
  it.each([
    ['{a,b{c,d}}', ['a', 'bc', 'bd']],
    ['{03..01}', ['03', '02', '01']],
    ['{a..e..2}', ['a', 'c', 'e']],
    ['${x}{1,2}', ['${x}1', '${x}2']],
    ["'{a,b}'", ["'{a,b}'"]],
    ['{a}', ['{a}']],
    ['{,x}y', ['y', 'xy']],
    ['a{b', ['a{b']],
  ])('%s', (word, expected) => {
    expect(expandShellBraces(word)).toEqual(expected)
  })

  it('gives up on too many', () => {
    expect(expandShellBraces('{1..1000}')).toBeUndefined()
    expect(expandShellBraces('{a,b}'.repeat(20))).toBeUndefined()
  })
})
