// Globs, compiled once and matched in time proportional to pattern × text, whatever the pattern is.
// A glob turned into a RegExp can be made to hang by a long path; here an agent chooses the path. Hence by hand.
// Syntax: `*` and `?` within a segment, `**` across segments, `[a-z]`, `[!a-z]`, `{a,b}`, `\` to quote.

import { ArcError, show } from './errors.ts'

/** Does the text match? */
export type TextTest = (text: string) => boolean

const MAX_ALTERNATIVES = 256
const MAX_LENGTH = 4_096

/** Does a text use glob syntax, so that it is a pattern rather than a name? */
export function isGlob(text: string): boolean {
  return /[*?[{]/.test(text)
}

/** Compiles a glob; throws an ArcError that names the place when it cannot be read. */
export function compileGlob(pattern: string): TextTest {
  const alternatives = expandBraces(pattern).map(compileSegments)
  return (text) => {
    const segments = text.split('/')
    return alternatives.some((wanted) => matchSequence(wanted, segments, isGlobStar, matchesSegment))
  }
}

/** A part of one segment: a literal character, any character, any run of characters, or a set. */
type Token = string | typeof ANY | typeof STAR | CharacterSet
interface CharacterSet {
  readonly negated: boolean
  readonly ranges: readonly (readonly [string, string])[]
}
type Segment = readonly Token[] | typeof GLOB_STAR

const ANY = Symbol('?')
const STAR = Symbol('*')
const GLOB_STAR = Symbol('**')

// The greedy matcher with a single point of return: on a mismatch only the latest star gives way by one item.
// An earlier star never has to: whatever it could take, the latest can skip instead. Hence no exponential search.
function matchSequence<Pattern, Item>(
  pattern: readonly Pattern[],
  items: ArrayLike<Item>,
  isStar: (part: Pattern) => boolean,
  matches: (part: Pattern, item: Item) => boolean,
): boolean {
  let p = 0
  let i = 0
  let starAt = -1
  let starItem = 0
  while (i < items.length) {
    const part = pattern[p]
    if (part !== undefined && isStar(part)) {
      starAt = p++
      starItem = i
    } else if (part !== undefined && matches(part, items[i] as Item)) {
      p++
      i++
    } else if (starAt >= 0) {
      p = starAt + 1
      i = ++starItem
    } else {
      return false
    }
  }
  while (p < pattern.length && isStar(pattern[p] as Pattern)) p++
  return p === pattern.length
}

const isGlobStar = (segment: Segment): boolean => segment === GLOB_STAR

function matchesSegment(segment: Segment, text: string): boolean {
  if (segment === GLOB_STAR) return true
  // A segment without characters is the root of an absolute path or a trailing slash: `*` does not match it.
  if (text === '') return segment.length === 0
  return matchSequence(segment, Array.from(text), (token) => token === STAR, matchesCharacter)
}

function matchesCharacter(token: Token, character: string): boolean {
  if (token === ANY) return true
  if (typeof token === 'string') return token === character
  if (typeof token === 'symbol') return false
  return token.ranges.some(([low, high]) => character >= low && character <= high) !== token.negated
}

function compileSegments(pattern: string): readonly Segment[] {
  return splitSegments(pattern).map((segment) => (segment === '**' ? GLOB_STAR : compileSegment(segment, pattern)))
}

// A slash ends a segment, quoted or not: no name can hold one.
function splitSegments(pattern: string): string[] {
  const segments = ['']
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern.charAt(i)
    if (character === '\\' && pattern.charAt(i + 1) === '/') continue
    if (character === '/') segments.push('')
    else if (character === '\\') segments.push((segments.pop() ?? '') + character + pattern.charAt(++i))
    else segments.push((segments.pop() ?? '') + character)
  }
  return segments
}

function compileSegment(segment: string, pattern: string): readonly Token[] {
  const tokens: Token[] = []
  const characters = Array.from(segment)
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] as string
    if (character === '*') {
      if (tokens.at(-1) !== STAR) tokens.push(STAR)
    } else if (character === '?') tokens.push(ANY)
    else if (character === '\\') tokens.push(characters[++i] ?? fail(pattern, 'ends with a backslash'))
    else if (character === '[') {
      const { set, end } = readSet(characters, i + 1, pattern)
      tokens.push(set)
      i = end
    } else tokens.push(character)
  }
  return tokens
}

function readSet(characters: readonly string[], start: number, pattern: string): { set: CharacterSet; end: number } {
  const negated = characters[start] === '!' || characters[start] === '^'
  const first = negated ? start + 1 : start
  const ranges: [string, string][] = []
  for (let i = first; i < characters.length; i++) {
    if (characters[i] === ']' && i > first) return { set: { negated, ranges }, end: i }
    if (characters[i] === '\\') i++
    const low = characters[i] ?? fail(pattern, 'has a [ without its ]')
    const isRange = characters[i + 1] === '-' && characters[i + 2] !== undefined && characters[i + 2] !== ']'
    const high = isRange ? (characters[i + 2] as string) : low
    if (high < low) fail(pattern, `has the range ${low}-${high}, which is the wrong way round`)
    ranges.push([low, high])
    if (isRange) i += 2
  }
  return fail(pattern, 'has a [ without its ]')
}

/** Writes `{a,b}` out into one pattern each; the number is bounded. */
export function expandBraces(pattern: string): string[] {
  if (pattern === '') fail(pattern, 'is empty')
  if (pattern.length > MAX_LENGTH) fail(pattern, `is longer than ${MAX_LENGTH} characters`)
  let done: string[] = []
  let open = [pattern]
  while (open.length > 0) {
    const next: string[] = []
    for (const candidate of open) {
      const brace = findBrace(candidate, pattern)
      if (brace === undefined) done = [...done, candidate]
      else next.push(...brace.choices.map((choice) => brace.before + choice + brace.after))
    }
    if (next.length + done.length > MAX_ALTERNATIVES) fail(pattern, `has more than ${MAX_ALTERNATIVES} alternatives`)
    open = next
  }
  return done
}

interface Brace {
  readonly before: string
  readonly choices: readonly string[]
  readonly after: string
}

// The first outermost brace of a pattern, cut at its own commas.
function findBrace(text: string, pattern: string): Brace | undefined {
  let depth = 0
  let start = -1
  let cut = 0
  const choices: string[] = []
  for (let i = 0; i < text.length; i++) {
    const character = text.charAt(i)
    if (character === '\\') i++
    else if (character === '{' && depth++ === 0) {
      start = i
      cut = i + 1
    } else if (character === ',' && depth === 1) {
      choices.push(text.slice(cut, i))
      cut = i + 1
    } else if (character === '}' && depth > 0 && --depth === 0) {
      choices.push(text.slice(cut, i))
      // Elsewhere this counts from one to the other; taken literally it would silently match nothing.
      const isRange = choices.length === 1 && /^-?\w+\.\.-?\w+/.test(choices[0] ?? '')
      if (isRange) fail(pattern, `has the range {${choices[0]}}, which is not supported`)
      return { before: text.slice(0, start), choices, after: text.slice(i + 1) }
    }
  }
  return depth > 0 ? fail(pattern, 'has a { without its }') : undefined
}

function fail(pattern: string, what: string): never {
  throw new ArcError('ARC_PATTERN_INVALID', `The glob ${show(pattern)} ${what}.`)
}
