import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { canonicalize } from './canonical.ts'

describe('canonical JSON', () => {
  // RFC 8785, appendix B: the bits of a double, and how it is written.
  it.each([
    ['0000000000000000', '0'],
    ['8000000000000000', '0'],
    ['0000000000000001', '5e-324'],
    ['8000000000000001', '-5e-324'],
    ['7fefffffffffffff', '1.7976931348623157e+308'],
    ['ffefffffffffffff', '-1.7976931348623157e+308'],
    ['4340000000000000', '9007199254740992'],
    ['c340000000000000', '-9007199254740992'],
    ['4430000000000000', '295147905179352830000'],
    ['44b52d02c7e14af5', '9.999999999999997e+22'],
    ['44b52d02c7e14af6', '1e+23'],
    ['44b52d02c7e14af7', '1.0000000000000001e+23'],
    ['444b1ae4d6e2ef4e', '999999999999999700000'],
    ['444b1ae4d6e2ef4f', '999999999999999900000'],
    ['444b1ae4d6e2ef50', '1e+21'],
    ['3eb0c6f7a0b5ed8c', '9.999999999999997e-7'],
    ['3eb0c6f7a0b5ed8d', '0.000001'],
    ['41b3de4355555553', '333333333.3333332'],
    ['41b3de4355555554', '333333333.33333325'],
    ['41b3de4355555555', '333333333.3333333'],
    ['41b3de4355555556', '333333333.3333334'],
    ['41b3de4355555557', '333333333.33333343'],
    ['becbf647612f3696', '-0.0000033333333333333333'],
    ['43143ff3c1cb0959', '1424953923781206.2'],
  ])('writes the double %s as %s', (bits, text) => {
    const number = Buffer.from(bits, 'hex').readDoubleBE()
    expect(canonicalize(number)).toBe(text)
    expect(canonicalize({ number })).toBe(`{"number":${text}}`)
  })

  it.each([[Number.NaN], [Number.POSITIVE_INFINITY], [1n], [undefined], [() => 1], ['\ud800'], [{ a: 'x\udfff' }]])(
    'refuses %s',
    (value) => {
      expect(() => canonicalize(value)).toThrow(TypeError)
      expect(() => canonicalize([value])).toThrow(TypeError)
    },
  )

  // RFC 8785, section 3.2.3.
  it('sorts fields by their UTF-16 units', () => {
    const given = { '\u20ac': 1, '\r': 2, '\ufb33': 3, '1': 4, '\ud83d\ude00': 5, '\u0080': 6, '\u00f6': 7 }
    expect(Object.values(JSON.parse(canonicalize(given)))).toHaveLength(7)
    expect(canonicalize(given)).toBe('{"\\r":2,"1":4,"\u0080":6,"ö":7,"€":1,"😀":5,"\ufb33":3}')
    expect(canonicalize({ 9: 'a', 10: 'b' })).toBe('{"10":"b","9":"a"}')
  })

  // RFC 8785, section 3.2.2.
  it('writes literals, texts and numbers as the RFC does', () => {
    const numbers = [Number('333333333.33333329'), 1e30, 4.5, 2e-3, 0.000000000000000000000000001]
    const given = { numbers, string: '\u20ac$\u000F\u000aA\'\u0042\u0022\u005c\\"/', literals: [null, true, false] }
    expect(canonicalize(given)).toBe(
      '{"literals":[null,true,false],"numbers":[333333333.3333333,1e+30,4.5,0.002,1e-27],' +
        '"string":"€$\\u000f\\nA\'B\\"\\\\\\\\\\"/"}',
    )
  })

  it('gives one text for one value, whatever the order of its fields, and loses nothing', () => {
    const key = fc.string({ unit: 'grapheme' }).filter((text) => text !== '__proto__')
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        fc.string({ unit: 'grapheme' }),
        fc.double({ noNaN: true, noDefaultInfinity: true }).map((number) => number + 0),
        fc.constantFrom(null, true, false),
        fc.array(tie('value')),
        fc.dictionary(key, tie('value')),
      ),
    }))
    fc.assert(
      fc.property(fc.dictionary(key, value), (object) => {
        const turned = Object.fromEntries(Object.entries(object).reverse())
        const text = canonicalize(object)
        expect(canonicalize(turned)).toBe(text)
        expect(canonicalize(JSON.parse(text))).toBe(text)
        expect(JSON.stringify(JSON.parse(text))).toHaveLength(JSON.stringify(object).length)
      }),
    )
  })
})
