import fc from 'fast-check'
import picomatch from 'picomatch'
import { describe, expect, it } from 'vitest'
import { compileGlob, isGlob } from './glob.ts'

describe('a glob', () => {
  it.each([
    ['*', ['a', 'a.b', '.hidden'], ['', 'a/b']],
    ['*.ts', ['a.ts', '.ts', 'a.b.ts'], ['a.tsx', 'ts', 'src/a.ts']],
    ['src/*.ts', ['src/a.ts'], ['src/a/b.ts', 'a.ts', 'lib/src/a.ts']],
    ['src/**', ['src', 'src/a', 'src/a/b/c', 'src/.git/x'], ['lib/src/a', 'srcs']],
    ['**/*.ts', ['a.ts', 'src/a.ts', 'a/b/c.ts'], ['a.js', 'a.ts/b']],
    ['**', ['a', 'a/b', '/etc/passwd'], []],
    ['a/**/b', ['a/b', 'a/x/b', 'a/x/y/b'], ['a/bb', 'ab', 'a/x/y']],
    ['a/**/b/**/c', ['a/b/c', 'a/1/b/2/3/c'], ['a/c', 'a/b']],
    ['?', ['a', 'é', '😀'], ['', 'ab', '/']],
    ['[abc]', ['a', 'c'], ['d', 'ab', '']],
    ['[a-c]x', ['ax', 'cx'], ['dx', 'x']],
    ['[!a-c]', ['d', 'é'], ['a', 'b', '/']],
    ['[^a]', ['b'], ['a']],
    ['[]a]', [']', 'a'], ['b']],
    ['[a-]', ['a', '-'], ['b']],
    ['[\\]]', [']'], ['\\', 'a']],
    ['{a,b}', ['a', 'b'], ['c', '{a,b}']],
    ['*.{ts,tsx}', ['a.ts', 'a.tsx'], ['a.js']],
    ['*.{ts}', ['a.ts'], ['a.{ts}']],
    ['{src,test/{unit,e2e}}/*', ['src/a', 'test/unit/a', 'test/e2e/a'], ['test/a']],
    ['a{,b}', ['a', 'ab'], ['b']],
    ['a{b,c}d{e,f}', ['abde', 'acdf'], ['abd']],
    ['\\*', ['*'], ['a']],
    ['\\{a,b\\}', ['{a,b}'], ['a']],
    ['a\\/b', ['a/b'], ['a\\/b']],
    ['/etc/*', ['/etc/passwd'], ['etc/passwd', '/etc']],
    ['mcp__*', ['mcp__github__push'], ['mcp_github']],
    ['a}b', ['a}b'], []],
    ['a b.c+(d)', ['a b.c+(d)'], ['a b.cd']],
  ] as const)('D12 %s matches as it should', (pattern, matching, others) => {
    const test = compileGlob(pattern)
    for (const text of matching) expect(test(text), `${pattern} on ${text}`).toBe(true)
    for (const text of others) expect(test(text), `${pattern} on ${text}`).toBe(false)
  })

  it.each([
    ['', 'is empty'],
    ['[abc', 'has a [ without its ]'],
    ['[]', 'has a [ without its ]'],
    ['[!]', 'has a [ without its ]'],
    ['a[b/c]', 'has a [ without its ]'],
    ['[z-a]', 'has the range z-a, which is the wrong way round'],
    ['{a,b', 'has a { without its }'],
    ['{a,{b,c}', 'has a { without its }'],
    ['a\\', 'ends with a backslash'],
    ['file{1..9}', 'has the range {1..9}, which is not supported'],
    ['{a..c}/x', 'has the range {a..c}, which is not supported'],
    [`${'{a,b}'.repeat(9)}`, 'has more than 256 alternatives'],
    ['a'.repeat(5_000), 'is longer than 4096 characters'],
  ])('D12 %j cannot be read', (pattern, why) => {
    expect(() => compileGlob(pattern)).toThrow(expect.objectContaining({ code: 'ARC_PATTERN_INVALID' }))
    expect(() => compileGlob(pattern)).toThrow(why)
  })

  it.each([
    ['a*', true],
    ['a?', true],
    ['[a]', true],
    ['{a}', true],
    ['shell', false],
    ['mcp__x__y', false],
    ['a.b-c/d', false],
  ])('is distinguished from a plain name: %s → %s', (text, expected) => {
    expect(isGlob(text)).toBe(expected)
  })
})

// Where the two differ on purpose, so that none of it is generated below:
// - `?` matches one character here, also for one outside the basic plane; there for one UTF-16 unit.
// - a set never matches a slash here; there `[!a]` does.
// - `*` matches the segments `.` and `..` here (paths are resolved before); there it never does.
// - `**` inside a segment (`a**b`) is a `*` here; there it is one in some places and crosses segments in others.
// - a closing `/**` always matches the folder itself as well; there not behind a star (`*/**`).
// - `*.*` matches `a.` here; there not on the fast path, which is switched off below.
// - `{a}` is `a` here; there the braces are literal. `{1..9}` is refused here, extended globs are literal.
describe('globs and picomatch', () => {
  const names = fc
    .string({ unit: fc.constantFrom(...'ab.-'), minLength: 1, maxLength: 4 })
    .filter((s) => !/^\.+$/.test(s))
  const paths = fc.array(names, { minLength: 1, maxLength: 5 }).map((parts) => parts.join('/'))
  const parts = fc.oneof(
    { weight: 4, arbitrary: fc.constantFrom('a', 'b', '.', '-', 'ab') },
    { weight: 2, arbitrary: fc.constantFrom('*', '?') },
    { weight: 1, arbitrary: fc.constantFrom('[ab]', '[a-b]', '{a,b}', '{a,ab.}', '{*a,b?}') },
  )
  const segments = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.array(parts, { minLength: 1, maxLength: 4 }).map((list) => list.join('')),
    },
    { weight: 1, arbitrary: fc.constant('**') },
  )
  const isComparable = (segment: string) => segment === '**' || (!segment.includes('**') && !/^\.+$/.test(segment))
  const patterns = fc
    .array(
      segments.filter((segment) => isComparable(segment) && !/\*\{\*|\*,/.test(segment)),
      { minLength: 1, maxLength: 4 },
    )
    .map((list) => list.join('/'))
    .filter((pattern) => !/\*(\/\*\*)+$/.test(pattern))

  /** A path that has a chance to match: made from the pattern itself. */
  const related = patterns.chain((pattern) =>
    fc
      .tuple(fc.constant(pattern), fc.oneof(paths, names), fc.constantFrom('a', 'b', 'ab', 'a/b'))
      .map(([p, path, filler]) => {
        const filled = p
          .replace(/\*\*/g, filler)
          .replace(/\{([^,}]*),[^}]*\}/g, '$1')
          .replace(/\[[^\]]*\]/g, 'a')
          .replace(/[*?]/g, 'b')
        return { pattern: p, paths: [path, filled, `${filled}/${path}`, `${path}/${filled}`] }
      }),
  )

  it('D12 agree on simple patterns', () => {
    let matched = 0
    fc.assert(
      fc.property(related, ({ pattern, paths: candidates }) => {
        const ours = compileGlob(pattern)
        const theirs = picomatch(pattern, { dot: true, noextglob: true, fastpaths: false })
        for (const path of candidates) {
          const expected = theirs(path)
          if (expected) matched++
          expect(ours(path), `${pattern} on ${path}`).toBe(expected)
        }
      }),
      { numRuns: 3_000 },
    )
    // An oracle that always says no would prove nothing.
    expect(matched).toBeGreaterThan(1_000)
  })
})

describe('hostile globs and texts', () => {
  const long = 'a'.repeat(20_000)

  // What is proved is that they come to an end at all: a search that tries every way would not, in the age of the universe.
  it.each([
    ['stars and letters', '*a'.repeat(50), long, true],
    ['stars and letters that cannot match', `${'*a'.repeat(500)}b`, long, false],
    ['as many stars as fit', '*?'.repeat(2_000), long, true],
    ['stars across segments', `${'**/*a/'.repeat(300)}b`, 'a/'.repeat(10_000), false],
    ['stars within segments across segments', `**/${'*a'.repeat(200)}b/**/x`, `${'a'.repeat(500)}/`.repeat(40), false],
    ['sets', `${'*[!b]'.repeat(300)}b`, long, false],
    ['alternatives', `${'{a,b}'.repeat(8)}*c`, long, false],
    ['braces in braces', `${'{'.repeat(1_000)}a${'}'.repeat(1_000)}`, long, false],
  ])('D12 come to an end: %s', (_what, pattern, text, expected) => {
    expect(compileGlob(pattern)(text)).toBe(expected)
  })

  it('D12 are read or refused, but never anything else', () => {
    fc.assert(
      fc.property(
        fc.string({ unit: fc.constantFrom(...'ab*?[]{},!-\\/.é😀'), maxLength: 30 }),
        fc.string({ unit: fc.constantFrom(...'ab/.{}é😀'), maxLength: 30 }),
        (pattern, text) => {
          try {
            expect(compileGlob(pattern)(text)).toBeTypeOf('boolean')
          } catch (error) {
            expect(error).toMatchObject({ code: 'ARC_PATTERN_INVALID' })
          }
        },
      ),
      { numRuns: 2_000 },
    )
  })

  it('D12 match a text that is quoted whole', () => {
    fc.assert(
      fc.property(fc.string({ minLength: 1, maxLength: 30 }), (text) => {
        const quoted = Array.from(text, (character) => `\\${character}`).join('')
        expect(compileGlob(quoted)(text)).toBe(true)
      }),
    )
  })
})
