// Brace expansion, which the shell does on the written word before anything else: a{b,c} and {1..3}.

import { MAX_BRACE_WORDS } from '../limits.ts'

/** Longer words are not expanded. */
const MAX_WORD_CHARS = 4_096

/** The words that a written word expands to; undefined when there are too many. */
export function expandShellBraces(word: string): readonly string[] | undefined {
  if (word.length > MAX_WORD_CHARS) return undefined
  let words: readonly string[] = [word]
  // Each turn expands the first brace of every word that still has one.
  for (let turn = 0; turn < MAX_BRACE_WORDS; turn++) {
    const next = words.flatMap((text) => expandFirst(text) ?? [text])
    if (next.length > MAX_BRACE_WORDS) return undefined
    if (next.length === words.length && next.every((text, index) => text === words[index])) return words
    words = next
  }
  return undefined
}

function expandFirst(text: string): readonly string[] | undefined {
  for (let start = nextBrace(text, 0); start >= 0; start = nextBrace(text, start + 1)) {
    const body = readBody(text, start)
    const alternatives =
      body && (body.commas.length > 0 ? cutAt(text, start, body) : readRange(text.slice(start + 1, body.end)))
    if (!body || !alternatives) continue
    const head = text.slice(0, start)
    const tail = text.slice(body.end + 1)
    return alternatives.map((alternative) => head + alternative + tail)
  }
  return undefined
}

interface Body {
  readonly end: number
  readonly commas: readonly number[]
}

function cutAt(text: string, start: number, body: Body): readonly string[] {
  const cuts = [start, ...body.commas, body.end]
  return cuts.slice(1).map((cut, index) => text.slice((cuts[index] ?? 0) + 1, cut))
}

// `{1..9}`, `{01..10}`, `{a..f}`, `{1..9..2}`
function readRange(body: string): readonly string[] | undefined {
  const [, first = '', last = '', step = '1'] = NUMBERS.exec(body) ?? LETTERS.exec(body) ?? []
  if (first === '') return undefined
  if (LETTERS.test(body)) {
    return countBetween(first.charCodeAt(0), last.charCodeAt(0), step).map((code) => String.fromCharCode(code))
  }
  const width = [first, last].some((number) => /^-?0\d/.test(number)) ? Math.max(first.length, last.length) : 0
  return countBetween(Number(first), Number(last), step).map((value) => String(value).padStart(width, '0'))
}

const NUMBERS = /^(-?\d{1,9})\.\.(-?\d{1,9})(?:\.\.(-?\d{1,9}))?$/
const LETTERS = /^([A-Za-z])\.\.([A-Za-z])(?:\.\.(-?\d{1,9}))?$/

// In both directions, and at most one word more than the limit.
function countBetween(from: number, to: number, step: string): number[] {
  const stride = Math.max(1, Math.abs(Number(step))) * (from <= to ? 1 : -1)
  const count = Math.floor((to - from) / stride) + 1
  return Array.from({ length: Math.min(count, MAX_BRACE_WORDS + 1) }, (_, at) => from + at * stride)
}

// The next `{` that is neither quoted nor the brace of `${`.
function nextBrace(text: string, from: number): number {
  let at = from
  while (at < text.length && text.charAt(at) !== '{') at = skip(text, at)
  return at < text.length ? at : -1
}

function readBody(text: string, start: number): Body | undefined {
  const commas: number[] = []
  let depth = 0
  for (let at = start; at < text.length; at = skip(text, at)) {
    const character = text.charAt(at)
    if (character === '{') depth++
    else if (character === '}') depth--
    else if (character === ',' && depth === 1) commas.push(at)
    if (depth === 0) return { end: at, commas }
  }
  return undefined
}

// The position after the next unit: a quoted part, an escaped character, an expansion or one character.
function skip(text: string, at: number): number {
  const character = text.charAt(at)
  if (character === '\\') return at + 2
  if (character === "'") return after(text, "'", at + 1)
  if (character === '"') return skipDouble(text, at + 1)
  if (character === '`') return after(text, '`', at + 1)
  if (character === '$' && text.charAt(at + 1) === '{') return skipBalanced(text, at + 1, '{', '}')
  if (character === '$' && text.charAt(at + 1) === '(') return skipBalanced(text, at + 1, '(', ')')
  return at + 1
}

function after(text: string, end: string, from: number): number {
  const at = text.indexOf(end, from)
  return at < 0 ? text.length : at + 1
}

function skipDouble(text: string, from: number): number {
  for (let at = from; at < text.length; at++) {
    if (text.charAt(at) === '\\') at++
    else if (text.charAt(at) === '"') return at + 1
  }
  return text.length
}

function skipBalanced(text: string, from: number, open: string, close: string): number {
  let depth = 0
  for (let at = from; at < text.length; at++) {
    const character = text.charAt(at)
    if (character === open) depth++
    else if (character === close && --depth === 0) return at + 1
  }
  return text.length
}
