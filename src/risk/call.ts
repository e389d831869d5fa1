// A command as its program parses it: options and operands, clusters split, values assigned to their options.
// The table of grammars says which options take values.

import { findGrammar, type Grammar } from './option-grammars.ts'
import type { ShellCommand, Word } from './shell/execution.ts'

/** One option: `-f` of a cluster `-rf`, or `--force`, with its value if it has one. */
export interface GivenOption {
  readonly name: string
  readonly value?: string | undefined
  readonly word: Word
}

/** A command with parsed arguments. */
export interface Call {
  readonly command: ShellCommand
  readonly name: string
  /** Arguments that are no options and no values of options; the subcommand comes first. */
  readonly operands: readonly Word[]
  readonly options: readonly GivenOption[]
  /** The number of operands before `--`. */
  readonly beforeDashes: number
  readonly abbreviates: boolean
}

/** Parses the arguments of a command. */
export function readCall(command: ShellCommand): Call {
  const name = command.name ?? ''
  const grammar = findGrammar(name)
  const reader: Reader = {
    args: command.args,
    at: 0,
    operands: [],
    options: [],
    beforeDashes: -1,
    grammar,
    sub: undefined,
  }
  while (reader.at < reader.args.length) readArgument(reader)
  return {
    command,
    name,
    operands: reader.operands,
    options: reader.options,
    beforeDashes: reader.beforeDashes < 0 ? reader.operands.length : reader.beforeDashes,
    abbreviates: grammar.abbreviates === true,
  }
}

interface Reader {
  readonly args: readonly Word[]
  at: number
  readonly operands: Word[]
  readonly options: GivenOption[]
  beforeDashes: number
  readonly grammar: Grammar
  /** The options of the subcommand that take values. */
  sub: ReadonlySet<string> | undefined
}

function readArgument(reader: Reader): void {
  const word = reader.args[reader.at++] as Word
  const text = word.text
  if (reader.beforeDashes >= 0 || text.length < 2 || text.charCodeAt(0) !== 45) addOperand(reader, word)
  else if (text === '--') endOptions(reader)
  else if (text.charCodeAt(1) === 45) readLong(reader, word, text)
  else if (reader.grammar.isDashLong === true && text.length > 2) readLong(reader, word, `-${text}`)
  else readCluster(reader, word, text)
}

// Before the subcommand, git and others skip it: `git -- reset`.
function endOptions(reader: Reader): void {
  if (reader.operands.length > 0 || reader.grammar.subs === undefined) reader.beforeDashes = reader.operands.length
}

function addOperand(reader: Reader, word: Word): void {
  reader.operands.push(word)
  if (reader.operands.length === 1) reader.sub = reader.grammar.subs?.get(word.text)
  if (reader.grammar.isStoppedByOperand === true && reader.beforeDashes < 0)
    reader.beforeDashes = reader.operands.length
}

function readLong(reader: Reader, word: Word, text: string): void {
  const equals = text.indexOf('=')
  if (equals > 0) {
    reader.options.push({ name: text.slice(0, equals), value: text.slice(equals + 1), word })
  } else if (takesValue(reader, text)) {
    reader.options.push({ name: text, value: reader.args[reader.at++]?.text, word })
  } else {
    reader.options.push({ name: text, word })
  }
}

function readCluster(reader: Reader, word: Word, text: string): void {
  for (let index = 1; index < text.length; index++) {
    const name = `-${text[index]}`
    if (!takesValue(reader, name)) {
      reader.options.push({ name, word })
      continue
    }
    const rest = text.slice(index + 1)
    const value = rest === '' ? reader.args[reader.at++]?.text : rest.startsWith('=') ? rest.slice(1) : rest
    reader.options.push({ name, value, word })
    return
  }
}

function takesValue({ grammar, sub }: Reader, name: string): boolean {
  return sub !== undefined ? sub.has(name) || grammar.everywhere.has(name) : grammar.values.has(name)
}

/** The spellings of one option: `-f|--force`. */
export type FlagNames = readonly string[]

const OFF = new Set(['false', 'none', 'no', 'off'])

/** The option with one of these names, unless its value disables it (`--dry-run=none`). The last occurrence counts. */
export function findOption(call: Call, names: FlagNames): GivenOption | undefined {
  for (let index = call.options.length - 1; index >= 0; index--) {
    const option = call.options[index] as GivenOption
    if (!isNamed(option.name, names, call.abbreviates)) continue
    return option.value !== undefined && OFF.has(option.value) ? undefined : option
  }
  return undefined
}

/** The value of an option, if it has one. */
export function optionValue(call: Call, names: FlagNames): string | undefined {
  for (let index = call.options.length - 1; index >= 0; index--) {
    const option = call.options[index] as GivenOption
    if (isNamed(option.name, names, call.abbreviates)) return option.value
  }
  return undefined
}

// GNU programs and git accept abbreviated long options: `--rec`, `--h` for `--hard`.
function isNamed(given: string, names: FlagNames, abbreviates: boolean): boolean {
  for (const name of names) {
    if (given === name) return true
    if (abbreviates && given.length > 2 && given.charCodeAt(1) === 45 && name.startsWith(given) && given !== '--help')
      return true
  }
  return false
}

/** Splits the spellings of a flag in a rule. */
export function flagNames(written: string): FlagNames {
  return written.split('|')
}
