// Input as the world sends it when it is broken or hostile: texts, JSON values, and good texts with something done to them.

import fc from 'fast-check'

/** Words that mean something to one parser or another. */
const LOADED_WORDS = [
  ...['__proto__', 'constructor', 'prototype', 'toString', 'hasOwnProperty', 'then', 'length', 'null', 'true', 'NaN'],
  ...['\u0000', '\uFEFF', '\u2028', '\u202E', '\uD800', '\uDFFF', '\u001b[2K', '\r\n', '\\', '"', "'", '`', '$(', '${'],
  ...['{', '}', '[', ']', '/*', '//', '#', '---', '&a', '*a', '<<', '!!js', '../', '%00', '%', '0x10', '1e999', '-0'],
]

/** A short text that may hold anything. */
export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.string({ maxLength: 40 }),
  fc.constantFrom(...LOADED_WORDS),
  fc
    .array(fc.constantFrom(...LOADED_WORDS, ' ', '\n', 'a', '.', ':', ','), { maxLength: 12 })
    .map((all) => all.join('')),
)

/** The same, without half characters: what can be written in UTF-8. */
export const wellFormedText: fc.Arbitrary<string> = hostileText.map((text) => Buffer.from(text).toString('utf8'))

/** A text that is sometimes very long. */
export const longText: fc.Arbitrary<string> = fc.oneof(
  { weight: 20, arbitrary: hostileText },
  {
    weight: 1,
    arbitrary: fc
      .tuple(fc.constantFrom(...LOADED_WORDS, 'a', ' ', '\n', 'a.', '<<a\n'), fc.integer({ min: 1, max: 20_000 }))
      .map(([word, times]) => word.repeat(times)),
  },
)

/** Any JSON value as JSON.parse would give it, including `__proto__` as an own key. */
export const hostileJson: fc.Arbitrary<unknown> = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { maxDepth: 4, withCrossShrink: true },
    fc.oneof(fc.constantFrom<unknown>(null, true, false, 0, -1, 1e308, 5e-324, 2 ** 53), hostileText, fc.double()),
    fc.array(tie('value'), { maxLength: 4 }),
    fc
      .array(fc.tuple(fc.oneof(hostileText, fc.constantFrom('command', 'path', 'type', 'text', 'id')), tie('value')), {
        maxLength: 4,
      })
      .map(objectOf),
  ),
})).value

/** An object whose fields are often those of the given names. */
export function hostileRecord(names: readonly string[]): fc.Arbitrary<Record<string, unknown>> {
  const name = fc.oneof({ weight: 6, arbitrary: fc.constantFrom(...names) }, { weight: 1, arbitrary: hostileText })
  return fc.array(fc.tuple(name, hostileJson), { maxLength: 8 }).map(objectOf)
}

// Own fields whatever their names are, as JSON.parse makes them.
function objectOf(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const made: Record<string, unknown> = {}
  for (const [key, value] of entries) {
    Object.defineProperty(made, key, { value, enumerable: true, configurable: true, writable: true })
  }
  return made
}

/** What is done to a good text: cut off, doubled, pieces exchanged or put in, brackets piled up. */
type Mutation = (text: string) => string

const mutation: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.constantFrom('cut', 'drop', 'put', 'double', 'swap', 'nest', 'number'),
    fc.nat(10_000),
    fc.nat(30),
    hostileText,
    fc.constantFrom<[string, string]>(['[', ']'], ['{"a":', '}'], ['$(', ')'], ['"', '"'], ["'", "'"], ['(', ')']),
    fc.integer({ min: 1, max: 3_000 }),
  )
  .map(([kind, place, length, text, brackets, depth]) => (given: string) => {
    const at = given.length === 0 ? 0 : place % given.length
    const [before, inside, after] = [given.slice(0, at), given.slice(at, at + length), given.slice(at + length)]
    if (kind === 'cut') return before
    if (kind === 'drop') return before + after
    if (kind === 'put') return before + text + inside + after
    if (kind === 'double') return before + inside + inside + after
    if (kind === 'swap') return after + inside + before
    if (kind === 'number') return given.replace(/\d+/, String(place * 10 ** (depth % 300)))
    return before + brackets[0].repeat(depth) + inside + brackets[1].repeat(depth) + after
  })

/** One of these texts, mostly with something done to it. */
export function mutated(texts: readonly string[]): fc.Arbitrary<string> {
  return fc
    .tuple(fc.constantFrom(...texts), fc.array(mutation, { maxLength: 3 }))
    .map(([text, steps]) => steps.reduce((result, step) => step(result), text))
}

/** The text of a JSON document: good, broken or no JSON at all. */
export function jsonText(value: fc.Arbitrary<unknown>): fc.Arbitrary<string> {
  const text = value.map((one) => JSON.stringify(one) ?? 'null')
  const broken = fc.tuple(text, mutation).map(([good, step]) => step(good))
  // The same key twice: the last one counts for JSON.parse, the first for some other readers.
  const doubled = fc.tuple(text, hostileText, hostileJson).map(([good, key, other]) => {
    const field = `${JSON.stringify(key)}:${JSON.stringify(other) ?? 'null'}`
    return good.startsWith('{') && good !== '{}' ? `{${field},${good.slice(1, -1)},${field}}` : good
  })
  return fc.oneof({ weight: 4, arbitrary: text }, { weight: 2, arbitrary: broken }, doubled, longText)
}
