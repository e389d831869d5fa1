import fc from 'fast-check'
import { parse } from 'jsonc-parser'
import { describe, expect, it } from 'vitest'
import { editJson, type JsonText } from './json-text.ts'

function edited(text: string, edit: (json: JsonText) => void): string {
  const result = editJson(text, edit)
  if (typeof result !== 'string') throw new Error(result.message)
  return result
}

function removed(text: string, ...path: string[]): string {
  return edited(text, (json) => {
    const node = json.at(path)
    if (node !== undefined) json.remove(node)
  })
}

describe('an edit of JSON as text', () => {
  it('keeps a comment between the entries of a person and a removed entry', () => {
    const mine = '{\n  "list": [\n    "mine" // why\n    // more\n  ]\n}'
    const both = edited(mine, (json) => json.append(['list'], 'arc'))
    expect(both).toBe('{\n  "list": [\n    "mine", // why\n    "arc"\n    // more\n  ]\n}')
    const rest = edited(both, (json) => json.remove(json.items(['list'])[1] as never))
    expect(rest).toBe(mine)
  })

  it('adds beside an entry on the same line, before a comment', () => {
    expect(edited('{ "a": 1 // one\n}', (json) => void json.set(['b'], 2))).toBe('{ "a": 1, "b": 2 // one\n}')
    expect(edited('{ "a": 1, // one\n}', (json) => void json.set(['b'], 2))).toBe('{ "a": 1, "b": 2, // one\n}')
  })

  it('says what is in the way', () => {
    expect(editJson('{ "a": 1 }', (json) => json.append(['a'], 2))).toMatchObject({
      line: 1,
      column: 8,
      message: expect.stringContaining('Expected a list under a'),
    })
    expect(edited('{ "a": 1 }', (json) => expect(json.set(['a', 'b'], 2)).toBe(false))).toBe('{ "a": 1 }')
  })

  const gap = fc.constantFrom('', ' ', '\n', '\n\t', '\r\n  ', ' /* a */ ', ' // b\n')
  const property = fc.tuple(gap, fc.constantFrom('"a"', '"b"', '"c"'), gap, gap).map(([a, key, b, c]) => ({
    key,
    text: `${a}${key}${b}: 1${c}`,
  }))
  const document = fc
    .tuple(fc.uniqueArray(property, { selector: ({ key }) => key, maxLength: 3 }), gap, fc.boolean())
    .map(([all, last, isTrailing]) => {
      const comma = isTrailing && all.length > 0 ? ',' : ''
      return `{${all.map(({ text }) => text).join(',')}${comma}${last}}`
    })

  it('a value that is set and removed leaves the same meaning and every comment', () => {
    fc.assert(
      fc.property(document, (text) => {
        const set = edited(text, (json) => void json.set(['new'], { x: [1] }))
        expect(parse(set)).toEqual({ ...(parse(text) as object), new: { x: [1] } })
        const rest = removed(set, 'new')
        expect(parse(rest)).toEqual(parse(text))
        const comments = (all: string): string[] => all.match(/\/\*.*?\*\/|\/\/[^\r\n]*/g) ?? []
        expect(comments(rest)).toEqual(comments(text))
      }),
      { numRuns: 500 },
    )
  })
})
