import fc from 'fast-check'
import { describe, expect, it } from 'vitest'
import { ArcError, clip, didYouMean, ERRORS, type ErrorCode, rejectUnknownOptions, show } from './errors.ts'
import { BUILT_IN_POINTS } from './point-names.ts'
import { POINTS } from './points.ts'

const CODES = Object.keys(ERRORS) as ErrorCode[]

describe('an error', () => {
  it.each(CODES)('%s says what happened, what to do, and its code', (code) => {
    const error = new ArcError(code, 'What came was wrong.')
    expect(error).toBeInstanceOf(Error)
    expect(error).toMatchObject({ name: 'ArcError', code })
    expect(error.message).toBe(`What came was wrong. ${ERRORS[code].fix} [${code}]`)
  })

  it.each(CODES)('%s has a code and two sentences in the catalogue', (code) => {
    expect(code).toMatch(/^ARC_[A-Z]+(_[A-Z]+)*$/)
    expect(ERRORS[code].when).toMatch(/^[A-Z].*\.$/s)
    expect(ERRORS[code].fix).toMatch(/^[A-Z].*\.?$/s)
  })
})

const cycle: Record<string, unknown> = {}
cycle.self = cycle
const hostile = new Proxy(
  {},
  {
    get: () => {
      throw new Error('no')
    },
    ownKeys: () => {
      throw new Error('no')
    },
  },
)

describe('a value shown in a message', () => {
  it.each([
    ['text', '"text"'],
    [7, '7'],
    [null, 'null'],
    [undefined, 'undefined'],
    [true, 'true'],
    [12n, '12n'],
    [Number.NaN, 'NaN'],
    [Symbol('s'), 'Symbol(s)'],
    [() => 1, 'a function'],
    [{ a: [1, 'b'] }, '{"a":[1,"b"]}'],
    [['a', 2], '["a",2]'],
    ['line\nbreak', '"line\\nbreak"'],
    [cycle, 'an object that cannot be shown'],
    [hostile, 'an object that cannot be shown'],
    [new Array(1_000), 'a list of 1000 items'],
    [new Array(4_294_967_295), 'a list of 4294967295 items'],
  ])('%# is short and plain', (value, text) => {
    expect(show(value)).toBe(text)
  })

  it('is one short line, whatever the value', () => {
    fc.assert(
      fc.property(fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }), (value) => {
        const text = show(value)
        expect(text).not.toContain('\n')
        expect(text.length).toBeLessThanOrEqual(62)
      }),
    )
  })
})

describe('a cut text', () => {
  it('keeps its length within the limit and marks the cut', () => {
    expect(clip('abcdef', 6)).toBe('abcdef')
    expect(clip('abcdefg', 6)).toBe('abcde…')
  })
})

describe('a suggestion', () => {
  const names = Object.keys(POINTS)
  const aName = fc.constantFrom(...names)
  const aLetter = fc.constantFrom(...'abcdefghijklmnopqrstuvwxyz')
  const at = fc.nat({ max: 40 })

  /** One typing error: a letter missing, added, wrong, or swapped with its neighbour. */
  const slips = fc
    .tuple(aName, at, aLetter, fc.constantFrom('omit', 'insert', 'replace', 'swap'))
    .map(([name, position, letter, kind]) => {
      const i = position % name.length
      const [before, after] = [name.slice(0, i), name.slice(i + 1)]
      if (kind === 'omit') return { name, given: before + after }
      if (kind === 'insert') return { name, given: before + letter + name.slice(i) }
      if (kind === 'replace') return { name, given: before + letter + after }
      return { name, given: before + after.charAt(0) + name.charAt(i) + after.slice(1) }
    })

  it('P2 finds the point behind any single slip', () => {
    fc.assert(
      fc.property(slips, ({ name, given }) => {
        fc.pre(given !== name)
        expect(didYouMean(given, names)).toBe(` Did you mean "${name}"?`)
      }),
      { numRuns: 2_000 },
    )
  })

  it('P2 is part of the error for an unknown point, unless the slip made another valid name', () => {
    fc.assert(
      fc.property(slips, ({ name, given }) => {
        try {
          BUILT_IN_POINTS.resolve(given)
        } catch (error) {
          const suggested = /Did you mean "(.*)"\?/.exec((error as Error).message)?.[1]
          expect(BUILT_IN_POINTS.resolve(suggested).name).toBe(name)
        }
      }),
      { numRuns: 2_000 },
    )
  })

  it.each([
    ['xyzzy', ['enforce', 'advise']],
    ['', ['enforce', 'advise']],
    ['enforce', []],
    ['a'.repeat(100_000), ['enforce', 'a'.repeat(99_999)]],
  ])('stays away when nothing is near: %#', (given, known) => {
    expect(didYouMean(given, known)).toBe('')
  })

  it('takes the nearest, and the first of equals', () => {
    expect(didYouMean('tine', ['time', 'tiny', 'line'])).toBe(' Did you mean "time"?')
    expect(didYouMean('timeotMs', ['timeout', 'timeoutMs'])).toBe(' Did you mean "timeoutMs"?')
  })

  it('does not mind upper and lower case', () => {
    expect(didYouMean('PRIORITY', ['priority'])).toBe(' Did you mean "priority"?')
  })
})

describe('options', () => {
  it('are refused when unknown, with what is known and the nearest', () => {
    const check = () => rejectUnknownOptions({ priorty: 1 }, ['name', 'priority'], 'register')
    expect(check).toThrow(expect.objectContaining({ code: 'ARC_OPTION_UNKNOWN' }))
    expect(check).toThrow(
      'register does not know the option "priorty"; it knows name, priority. Did you mean "priority"?',
    )
  })

  it('are taken when known, given or not', () => {
    expect(() => rejectUnknownOptions({ name: 'x' }, ['name', 'priority'], 'register')).not.toThrow()
    expect(() => rejectUnknownOptions({}, ['name'], 'register')).not.toThrow()
  })

  it.each([null, undefined, 'text', 7, ['name']])('must be an object: %o is refused', (given) => {
    expect(() => rejectUnknownOptions(given as object, ['name'], 'register')).toThrow(
      expect.objectContaining({ code: 'ARC_OPTION_INVALID' }),
    )
  })

  it('inherited from a prototype do not count', () => {
    expect(() => rejectUnknownOptions(Object.create({ extra: 1 }), ['name'], 'register')).not.toThrow()
  })
})
