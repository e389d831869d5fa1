// How a step is put before a model.

import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { renderStep } from './render.ts'

const ENVELOPE = {
  point: 'pre:tool',
  session: undefined,
  data: { tool: 'shell', args: { command: 'ls', 'dry-run': true, files: ['a', { b: 'c' }], none: null, zero: 0 } },
  cost: '$& $1 $$',
  nested: '{{point}} {{ data.tool }}',
  run: () => 1,
}

describe('a rendered step', () => {
  it('H5 prompt rendering: without a template it is the whole envelope as JSON', () => {
    expect(JSON.parse(renderStep(ENVELOPE, undefined))).toEqual(JSON.parse(JSON.stringify(ENVELOPE)))
  })

  it.each([
    ['{{point}}', 'pre:tool'],
    ['{{  data.tool  }}!', 'shell!'],
    ['{{data.args.command}} {{data.args.command}}', 'ls ls'],
    ['{{data.args.dry-run}}', 'true'],
    ['{{data.args.zero}}', '0'],
    ['{{data.args.files}}', '["a",{"b":"c"}]'],
    ['{{data.args.files.0}} {{data.args.files.1.b}}', 'a c'],
    ['[{{session}}{{data.args.none}}{{gone}}{{data.gone.deeper}}{{point.deeper}}{{run}}]', '[]'],
    ['[{{constructor}}{{data.__proto__}}{{data.args.toString}}{{data.args.files.length.x}}]', '[]'],
    ['{{cost}}', '$& $1 $$'],
    ['{{nested}}', '{{point}} {{ data.tool }}'],
    ['{point} {{}} {{ }} {{a b}} }}{{', '{point} {{}} {{ }} {{a b}} }}{{'],
    ['no fields', 'no fields'],
  ])('H5 prompt rendering: %s', (template, expected) => {
    expect(renderStep(ENVELOPE, template)).toBe(expected)
  })

  it('H5 prompt rendering: a value is put in exactly as it is, whatever it looks like', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (value) => {
        expect(renderStep({ value }, '<{{value}}>')).toBe(`<${value}>`)
      }),
    )
  })
})
