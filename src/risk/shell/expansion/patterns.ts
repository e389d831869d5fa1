// The patterns of ${x#p}, ${x%p} and ${x/p/r}. Matching takes time in proportion to pattern times text, never more.

/** A pattern as it was written: literal unless it has unquoted wildcards. */
export interface Pattern {
  readonly text: string
  readonly isGlob: boolean
}

/** Longer texts are not matched against wildcards. */
const MAX_MATCHED_CHARS = 512

/** Whether a pattern matches the whole text. */
export function matchesWhole(pattern: string, text: string): boolean {
  let at = 0
  let position = 0
  let star = -1
  let mark = 0
  while (position < text.length) {
    const token = readToken(pattern, at)
    if (token?.kind === 'star') {
      star = at
      mark = position
      at = token.next
    } else if (token && matchesOne(token, text.charAt(position))) {
      at = token.next
      position++
    } else if (star >= 0) {
      // Only the last star is extended: earlier stars have matched as little as possible.
      at = star + 1
      position = ++mark
    } else return false
  }
  while (pattern.charAt(at) === '*') at++
  return at >= pattern.length
}

/** ${x#p}, ${x##p}, ${x%p}, ${x%%p}; undefined when it cannot be computed. */
export function removeMatch(text: string, operator: string, pattern: Pattern): string | undefined {
  const isPrefix = operator.startsWith('#')
  if (!pattern.isGlob) {
    if (isPrefix) return text.startsWith(pattern.text) ? text.slice(pattern.text.length) : text
    return pattern.text !== '' && text.endsWith(pattern.text) ? text.slice(0, -pattern.text.length) : text
  }
  if (text.length > MAX_MATCHED_CHARS) return undefined
  const isLongest = operator.length === 2
  for (let step = 0; step <= text.length; step++) {
    const length = isLongest ? text.length - step : step
    const part = isPrefix ? text.slice(0, length) : text.slice(text.length - length)
    if (matchesWhole(pattern.text, part)) return isPrefix ? text.slice(length) : text.slice(0, text.length - length)
  }
  return text
}

/** ${x/p/r}, ${x//p/r}, ${x/#p/r}, ${x/%p/r}; undefined when it cannot be computed. */
export function replaceMatch(
  text: string,
  operator: string,
  pattern: Pattern,
  replacement: string,
): string | undefined {
  if (pattern.text === '') return text
  if (operator === '/#') return replaceEdge(text, '##', pattern, (rest) => replacement + rest)
  if (operator === '/%') return replaceEdge(text, '%%', pattern, (rest) => rest + replacement)
  const isAll = operator === '//'
  if (!pattern.isGlob)
    return isAll ? text.split(pattern.text).join(replacement) : replaceOnce(text, pattern.text, replacement)
  if (text.length > MAX_MATCHED_CHARS / 4) return undefined
  let result = ''
  let at = 0
  while (at < text.length) {
    const end = longestMatch(text, at, pattern.text)
    if (end > at) {
      result += replacement
      at = end
      if (!isAll) break
    } else result += text.charAt(at++)
  }
  return result + text.slice(at)
}

function replaceOnce(text: string, wanted: string, replacement: string): string {
  const at = text.indexOf(wanted)
  return at < 0 ? text : text.slice(0, at) + replacement + text.slice(at + wanted.length)
}

function replaceEdge(
  text: string,
  operator: string,
  pattern: Pattern,
  join: (rest: string) => string,
): string | undefined {
  const rest = removeMatch(text, operator, pattern)
  return rest === undefined || rest === text ? rest : join(rest)
}

function longestMatch(text: string, start: number, pattern: string): number {
  for (let end = text.length; end > start; end--) {
    if (matchesWhole(pattern, text.slice(start, end))) return end
  }
  return start
}

interface Token {
  readonly kind: 'star' | 'any' | 'set' | 'character'
  readonly text: string
  readonly next: number
}

function readToken(pattern: string, at: number): Token | undefined {
  const character = pattern.charAt(at)
  if (character === '') return undefined
  if (character === '*') return { kind: 'star', text: '*', next: at + 1 }
  if (character === '?') return { kind: 'any', text: '?', next: at + 1 }
  const close = character === '[' ? pattern.indexOf(']', at + 2) : -1
  if (close > 0) return { kind: 'set', text: pattern.slice(at + 1, close), next: close + 1 }
  const isEscaped = character === '\\' && at + 1 < pattern.length
  return { kind: 'character', text: isEscaped ? pattern.charAt(at + 1) : character, next: at + (isEscaped ? 2 : 1) }
}

function matchesOne(token: Token, character: string): boolean {
  if (token.kind === 'any') return true
  if (token.kind === 'character') return token.text === character
  const isNegated = token.text.startsWith('!') || token.text.startsWith('^')
  return isInSet(isNegated ? token.text.slice(1) : token.text, character) !== isNegated
}

const CLASSES: Readonly<Record<string, RegExp>> = {
  '[:alpha:': /[A-Za-z]/,
  '[:digit:': /\d/,
  '[:alnum:': /[A-Za-z0-9]/,
  '[:space:': /\s/,
  '[:upper:': /[A-Z]/,
  '[:lower:': /[a-z]/,
  '[:punct:': /[!-/:-@[-`{-~]/,
}

function isInSet(set: string, character: string): boolean {
  const named = CLASSES[set]
  if (named) return named.test(character)
  for (let at = 0; at < set.length; at++) {
    if (set.charAt(at + 1) === '-' && at + 2 < set.length) {
      if (character >= set.charAt(at) && character <= set.charAt(at + 2)) return true
      at += 2
    } else if (set.charAt(at) === character) return true
  }
  return false
}
