import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { copyPlain, frozenCopy, frozenFields, isRecord, mergePlain, TooLarge, VERDICT_LIMITS } from './plain-data.ts'

const KINDS = [
  ['a frozen copy', frozenCopy],
  ['a copy', copyPlain],
] as const

/** JSON values of any size, `__proto__` and other tempting keys included. */
const json = fc.letrec((tie) => ({
  value: fc.oneof({ depthSize: 'medium' }, fc.jsonValue(), tie('object'), tie('array'), fc.constant(undefined)),
  array: fc.array(tie('value'), { maxLength: 8 }),
  object: fc.dictionary(
    fc.oneof(fc.string(), fc.constantFrom('__proto__', 'constructor', 'prototype', 'toString', 'a', 'b')),
    tie('value'),
    { noNullPrototype: false, maxKeys: 8 },
  ),
})).value

/** The containers of a value, each once. */
function containersOf(value: unknown, found = new Set<object>()): Set<object> {
  if (typeof value !== 'object' || value === null || found.has(value)) return found
  found.add(value)
  for (const inner of Object.values(value)) containersOf(inner, found)
  return found
}

/** The same value without its own `__proto__` fields and with ordinary prototypes. */
function withoutProto(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutProto)
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).filter(([key]) => key !== '__proto__')
  return Object.fromEntries(entries.map(([key, inner]) => [key, withoutProto(inner)]))
}

const nested = (depth: number): object => {
  let value: object = {}
  for (let i = 0; i < depth; i++) value = { value }
  return value
}

describe.each(KINDS)('%s', (_name, copy) => {
  it('equals the original, apart from __proto__ fields', () => {
    fc.assert(
      fc.property(json, (value) => {
        expect(copy(value)).toEqual(withoutProto(value))
      }),
    )
  })

  it('shares no container with the original and leaves it as it was', () => {
    fc.assert(
      fc.property(json, (value) => {
        const before = structuredClone(value)
        const originals = containersOf(value)
        for (const container of containersOf(copy(value))) expect(originals.has(container)).toBe(false)
        expect(value).toEqual(before)
      }),
    )
  })

  it('never reaches a prototype', () => {
    const value = JSON.parse('{"__proto__":{"polluted":1},"a":{"__proto__":{"polluted":1},"b":1}}')
    const made = copy(value)
    expect(made).toEqual({ a: { b: 1 } })
    expect(Object.getPrototypeOf(made)).toBe(Object.prototype)
    expect(made.polluted).toBeUndefined()
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })

  it.each([1, 2, 3, 10, 100])('of a ring of %i objects ends, in a ring again', (length) => {
    const ring: { n: number; next?: object; list: unknown[] }[] = []
    for (let n = 0; n < length; n++) ring.push({ n, list: [] })
    ring.forEach((item, n) => {
      item.next = ring[(n + 1) % length] as object
      item.list.push(item, item.next)
    })
    let at = copy(ring[0]) as (typeof ring)[number]
    const visited = new Set<object>()
    for (let n = 0; !visited.has(at); n++) {
      expect(at.n).toBe(n % length)
      expect(ring).not.toContain(at)
      visited.add(at)
      at = at.next as (typeof ring)[number]
    }
  })

  it('of parts that are shared many times over does not grow without end', () => {
    let value: object = { leaf: true }
    for (let i = 0; i < 100; i++) value = { left: value, right: value }
    expect(copy(value)).toHaveProperty('left.right.left.right.left')
  })

  it.each([
    ['a class instance', new (class Thing {})()],
    ['a date', new Date(0)],
    ['a map', new Map()],
    ['a function', () => 1],
    ['a buffer', new Uint8Array(2)],
  ])('passes %s through as it is', (_what, thing) => {
    expect(copy({ thing, list: [thing] })).toEqual({ thing, list: [thing] })
    expect(copy({ thing }).thing).toBe(thing)
    expect(copy(thing)).toBe(thing)
  })

  it.each([undefined, null, 0, '', 'text', true, Number.NaN])('of %o is the value itself', (value) => {
    expect(copy(value)).toBe(value)
  })

  it('keeps fields that hold undefined', () => {
    expect(Object.keys(copy({ a: undefined, b: 1 }))).toEqual(['a', 'b'])
  })

  it('fills the holes of a list', () => {
    // biome-ignore lint/suspicious/noSparseArray: holes are the point
    expect(copy([1, , 3])).toEqual([1, undefined, 3])
  })

  it('of deep data is made, and of endlessly deep data refused', () => {
    expect(containersOf(copy(nested(500))).size).toBe(501)
    expect(() => copy(nested(1_000_000))).toThrow(TooLarge)
  })

  it('is refused beyond the limit of values, also when the list only claims to be long', () => {
    const limits = { values: 1_000, depth: 10 }
    expect(() => copy(new Array(1_001).fill(0), limits)).toThrow('more than 1000 values')
    expect(() => copy({ list: new Array(4_294_967_295) }, limits)).toThrow(TooLarge)
    expect(copy(new Array(1_000).fill(0), limits)).toHaveLength(1_000)
  })

  it('is refused beyond the limit of depth', () => {
    const limits = { values: 1_000, depth: 10 }
    expect(copy(nested(10), limits)).toEqual(nested(10))
    expect(() => copy(nested(11), limits)).toThrow('more than 10 levels deep')
  })

  it('within the limits of a verdict can be copied again as part of the data', () => {
    const deepest = copy(nested(VERDICT_LIMITS.depth), VERDICT_LIMITS)
    expect(() => copy({ data: { args: deepest } })).not.toThrow()
  })
})

describe('a frozen copy', () => {
  it('cannot be changed anywhere', () => {
    fc.assert(
      fc.property(json, (value) => {
        for (const container of containersOf(frozenCopy(value))) expect(Object.isFrozen(container)).toBe(true)
      }),
    )
  })

  it('leaves the original as changeable as it was', () => {
    const value = { inner: { list: [1] } }
    frozenCopy(value)
    value.inner.list.push(2)
    expect(value).toEqual({ inner: { list: [1, 2] } })
  })
})

describe('a copy', () => {
  it('can be changed anywhere', () => {
    const frozen = Object.freeze({ list: Object.freeze([Object.freeze({ a: 1 })]) })
    for (const container of containersOf(copyPlain(frozen))) expect(Object.isFrozen(container)).toBe(false)
  })
})

describe('frozen fields', () => {
  it('are read once, so that what comes later is plain data whatever the object was', () => {
    let reads = 0
    class Facts {
      own = 1
      constructor() {
        Object.defineProperty(this, 'computed', { enumerable: true, get: () => ++reads })
      }
    }
    const fields = frozenFields(new Facts(), VERDICT_LIMITS)
    expect(fields).toEqual({ own: 1, computed: 1 })
    expect(Object.getPrototypeOf(fields)).toBe(Object.prototype)
    expect(Object.isFrozen(fields)).toBe(true)
    expect(reads).toBe(1)
  })
})

describe('the frozen fields of a tool call', () => {
  // A key that is never shown.
  const json = fc.jsonValue().filter((value) => !JSON.stringify(value).includes('__proto__'))
  const aCall = fc.record({ tool: fc.oneof(fc.string(), fc.integer()), args: json, more: json })
  const ANY_ORDER = [['tool', 'args'], ['args', 'tool'], ['tool', 'args', 'more'], ['tool'], ['more', 'args']] as const

  it('are those of any other data: equal, its own alone, and frozen throughout', () => {
    fc.assert(
      fc.property(aCall, fc.constantFrom(...ANY_ORDER), fc.boolean(), (call, keys, isOfClass) => {
        const given = Object.create(isOfClass ? { tool: 'inherited', args: {}, more: 1 } : Object.prototype)
        for (const key of keys) given[key] = call[key]
        const fields = frozenFields(given)
        expect(fields).toEqual(Object.fromEntries(keys.map((key) => [key, call[key]])))
        for (const container of containersOf(fields)) expect(Object.isFrozen(container)).toBe(true)
      }),
    )
  })
})

describe('a merge', () => {
  const aRecord = fc.dictionary(fc.string(), fc.jsonValue())

  it('has the fields of both, the second winning, and changes neither', () => {
    fc.assert(
      fc.property(aRecord, aRecord, (base, extra) => {
        const [baseBefore, extraBefore] = [structuredClone(base), structuredClone(extra)]
        const merged = mergePlain(base, extra)
        const isSafe = (key: string) => !['__proto__', 'constructor', 'prototype'].includes(key)
        for (const [key, value] of Object.entries(extra)) if (isSafe(key)) expect(merged[key]).toBe(value)
        for (const [key, value] of Object.entries(base)) if (!Object.hasOwn(extra, key)) expect(merged[key]).toBe(value)
        expect(base).toEqual(baseBefore)
        expect(extra).toEqual(extraBefore)
      }),
    )
  })

  it.each(['__proto__', 'constructor', 'prototype'])('D3 lets no %s through', (key) => {
    const extra = JSON.parse(`{"${key}":{"polluted":true},"fine":1}`)
    const merged = mergePlain({ a: 1 }, extra)
    expect(Object.keys(merged)).toEqual(['a', 'fine'])
    expect(Object.getPrototypeOf(merged)).toBe(Object.prototype)
    expect(({} as { polluted?: unknown }).polluted).toBeUndefined()
  })
})

describe('a record', () => {
  it.each([
    [{}, true],
    [Object.create(null), true],
    [new Date(0), true],
    [[], false],
    [null, false],
    [undefined, false],
    ['text', false],
    [() => 1, false],
  ])('is an object with fields: %o → %s', (value, expected) => {
    expect(isRecord(value)).toBe(expected)
  })
})
