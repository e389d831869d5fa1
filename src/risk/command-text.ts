// Builds shell text from a command in several arguments: program, list of words, input and environment.

import { isRecord } from '../engine/plain-data.ts'
import { quoteForShell } from '../engine/shell-quote.ts'
import { argumentName } from './tool-traits.ts'

/** The parts of a command in one object. */
export interface ProgramParts {
  readonly program: string | undefined
  /** Its arguments as shell text. */
  readonly words: string | undefined
  /** Its standard input. */
  readonly input: string | undefined
  /** `NAME=value ` for each of its variables. */
  readonly env: string
}

type Fields = Readonly<Record<string, unknown>>

const PROGRAM = /^(?:(?:.+_)?(?:command|cmd|program|executable|binary|bin|exe|exec)|interpreter|shell|name|file|path)$/
const WORDS = /^(?:.+_)?(?:args|arguments|argv|params|parameters|flags|options)$/
const INPUT = /^(?:stdin|input|std_in|standard_input)$/
const ENVIRONMENT = /^(?:env|environment|env_vars|environment_variables|envs)$/

/** The parts of the command in these fields. */
export function readProgramParts(fields: Fields): ProgramParts {
  let program: string | undefined
  let words: string | undefined
  let input: string | undefined
  let env = ''
  for (const key of Object.keys(fields)) {
    const value = fields[key]
    const { name } = argumentName(key)
    if (WORDS.test(name)) words = readWords(value)
    else if (ENVIRONMENT.test(name) && isRecord(value)) env = assignments(value)
    else if (typeof value !== 'string') continue
    else if (INPUT.test(name)) input = value
    // A command argument takes precedence over a file argument.
    else if (PROGRAM.test(name) && (program === undefined || /comm|cmd|exe|program/.test(name))) program = value
  }
  return { program, words, input, env }
}

function readWords(value: unknown): string | undefined {
  if (typeof value === 'string') return value.trimStart().startsWith('[') ? (parsedWords(value) ?? value) : value
  if (!Array.isArray(value) || value.length === 0) return undefined
  return value.every((item) => typeof item === 'string' || typeof item === 'number')
    ? joinWords(value.map(String))
    : undefined
}

function parsedWords(text: string): string | undefined {
  try {
    const value: unknown = JSON.parse(text)
    return Array.isArray(value) ? readWords(value) : undefined
  } catch {
    // Not JSON, so it is shell text.
    return undefined
  }
}

function assignments(env: Fields): string {
  const names = Object.keys(env).filter((name) => /^[A-Za-z_]\w{0,99}$/.test(name) && typeof env[name] === 'string')
  return names
    .slice(0, 100)
    .map((name) => `${name}=${quoteWord(env[name] as string)} `)
    .join('')
}

/** Joins words as shell text. `~` and `$HOME` are not quoted, because many servers pass them to a shell. */
export function joinWords(words: readonly string[]): string {
  return words.map(quoteWord).join(' ')
}

function quoteWord(word: string): string {
  if (word === '&&' || word === '||') return word
  return word !== '' && !/[\s;&|<>()'"`\\#]/.test(word) ? word : quoteForShell(word)
}

/** A command with this text on its standard input. */
export function withInput(command: string, input: string): string {
  let end = 'ARC_INPUT'
  while (input.includes(end)) end += '_'
  return `${command} <<'${end}'\n${input}\n${end}`
}
