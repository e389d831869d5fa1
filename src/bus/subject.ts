// Subjects of messages: words separated by dots. In a pattern `*` means one word and `>`, at its end, one
// or more. What comes from outside becomes one word by encoding, so that no name can reach into another's subjects.

import { ArcError, show } from '../engine/errors.ts'

const MAX_SUBJECT = 4_000
const MAX_AGENT = 200
const WORD = /^[\w%$-]+$/
// Half of a surrogate pair has no encoding: two different halves would become the same word.
const LONE_SURROGATE = /\p{Surrogate}/u

/**
 * A subject of these parts, each of them one word whatever it holds.
 * @example
 * subjectOf('task', 'codex.review', id) // task.codex%2Ereview.…
 */
export function buildSubject(...parts: readonly string[]): string {
  return parts.map(encodeWord).join('.')
}

/** Any text as one word of a subject; different texts give different words. */
export function encodeWord(text: string): string {
  if (text === '' || LONE_SURROGATE.test(text)) throw invalid(`A part of a subject must be a text, not ${show(text)}.`)
  return text.replace(/[^A-Za-z0-9_-]/gu, (character) =>
    [...Buffer.from(character)].map((byte) => `%${byte.toString(16).toUpperCase().padStart(2, '0')}`).join(''),
  )
}

/** Throws unless it can be the name of an agent. */
export function checkAgent(name: unknown, where: string): asserts name is string {
  const isName =
    typeof name === 'string' &&
    name.trim() !== '' &&
    name.length <= MAX_AGENT &&
    !LONE_SURROGATE.test(name) &&
    !/[\p{Cc}\p{Bidi_Control}\u2028\u2029]/u.test(name)
  if (isName) return
  const what = `${where} must be the name of an agent, of at most ${MAX_AGENT} characters on one line`
  throw new ArcError('ARC_OPTION_INVALID', `${what}, not ${show(name)}.`)
}

/** The words of a subject that something is published to; throws when it is none. */
export function readSubject(subject: unknown): readonly string[] {
  return readWords(subject, 'A subject', (word) => WORD.test(word))
}

/** The words of a pattern; throws when it is none. */
export function readPattern(pattern: unknown): readonly string[] {
  return readWords(pattern, 'A pattern', (word, isLast) => WORD.test(word) || word === '*' || (word === '>' && isLast))
}

/** Does a subject fall under a pattern? */
export function isUnder(subject: readonly string[], pattern: readonly string[]): boolean {
  for (const [at, word] of pattern.entries()) {
    if (word === '>') return subject.length > at
    if (at >= subject.length || (word !== '*' && word !== subject[at])) return false
  }
  return subject.length === pattern.length
}

function readWords(given: unknown, what: string, isGood: (word: string, isLast: boolean) => boolean): string[] {
  if (typeof given !== 'string' || given.length > MAX_SUBJECT) {
    throw invalid(`${what} is a text of at most ${MAX_SUBJECT} characters, not ${show(given)}.`)
  }
  const words = given.split('.')
  const bad = words.find((word, at) => !isGood(word, at === words.length - 1))
  if (bad !== undefined)
    throw invalid(`${what} is words with dots between them; in ${show(given)}, ${show(bad)} is none.`)
  return words
}

function invalid(message: string): ArcError {
  return new ArcError('ARC_BUS_INVALID', message)
}
