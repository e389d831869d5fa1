// From words to statements: `hook <point> /command …` and `/set $name …`. Knows the shape of lines, not the commands.

import { didYouMean, show } from '../../engine/errors.ts'
import type { Position } from '../position.ts'
import { type ArmaError, lex, type ScriptWord } from './lex.ts'

/** A line that registers a hook. */
export interface HookStatement {
  readonly kind: 'hook'
  readonly point: ScriptWord
  /** With its slash, as it is written. */
  readonly command: ScriptWord
  readonly args: readonly ScriptWord[]
  readonly position: Position
}

/** A line that gives a variable its value for the lines after it. */
export interface SetStatement {
  readonly kind: 'set'
  readonly name: string
  readonly value: readonly ScriptWord[]
  readonly position: Position
}

/** The statements of a script. */
export interface Statements {
  readonly statements: readonly (HookStatement | SetStatement)[]
  readonly errors: readonly ArmaError[]
}

/** Parses a script; an invalid line is skipped, with an error. */
export function parseArma(text: string): Statements {
  const { lines, errors } = lex(text)
  const found = lines.map(parseLine)
  return {
    statements: found.filter((line) => 'kind' in line),
    errors: [...errors, ...found.filter((line) => 'message' in line)],
  }
}

/** The text of a word without variables, or nothing when it has some. */
export function literal(word: ScriptWord | undefined): string | undefined {
  if (word === undefined || word.parts.some((part) => 'variable' in part)) return undefined
  return word.parts.map((part) => ('text' in part ? part.text : '')).join('')
}

/** A word as it may be shown in an error. */
export function showWord(word: ScriptWord): string {
  return show(word.parts.map((part) => ('text' in part ? part.text : `$${part.variable}`)).join(''))
}

/** An error at a word. */
export function errorAt({ line, column }: Position, message: string): ArmaError {
  return { line, column, message }
}

type Line = readonly ScriptWord[]

function parseLine(words: Line): HookStatement | SetStatement | ArmaError {
  const [first, ...rest] = words as [ScriptWord, ...ScriptWord[]]
  const keyword = literal(first)
  if (keyword === 'hook') return parseHook(first, rest)
  if (keyword === '/set') return parseSet(first, rest)
  if (keyword?.startsWith('/')) {
    return errorAt(
      first.position,
      `A command belongs to a hook: expected hook <point> ${showWord(first).slice(1, -1)} ….`,
    )
  }
  const near = keyword === undefined ? '' : didYouMean(keyword, ['hook', '/set'])
  return errorAt(first.position, `Expected hook <point> /command … or /set $name value, not ${showWord(first)}.${near}`)
}

function parseHook(first: ScriptWord, [point, command, ...args]: Line): HookStatement | ArmaError {
  if (point === undefined) return errorAt(first.position, 'Expected a point after hook, such as pre:tool.')
  if (command === undefined) return errorAt(point.position, 'Expected a /command after the point, such as /log.')
  return { kind: 'hook', point, command, args, position: first.position }
}

function parseSet(first: ScriptWord, [name, ...value]: Line): SetStatement | ArmaError {
  const [part, ...others] = name?.parts ?? []
  if (name === undefined || part === undefined || !('variable' in part) || others.length > 0 || name.isQuoted) {
    return errorAt((name ?? first).position, 'Expected a variable after /set, such as /set $channel "#alerts".')
  }
  if (value.length === 0) return errorAt(name.position, `Expected a value for $${part.variable}.`)
  return { kind: 'set', name: part.variable, value, position: first.position }
}
