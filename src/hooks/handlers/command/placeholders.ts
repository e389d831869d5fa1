// `{tool_name}` and its like in a shell command. A value never becomes part of the command's text: it is put into the
// environment, and the placeholder becomes a reference to the variable, quoted for its position. The shell does
// not parse what a variable holds, so whatever an agent writes stays one word. Only contexts in which the value would
// be evaluated after all, or with unclear quoting, are refused.

import { ArcError, show } from '../../../engine/errors.ts'
import { FACT_NAMES, type FactName, variableName } from './environment.ts'
import { whyCodeInArguments, whyCodeInLine } from './evaluators.ts'

type Kind = 'plain' | 'double' | 'heredoc' | 'substitution' | 'group' | 'backtick' | 'parameter'

/** Where in the command the reader is. */
interface Context {
  readonly kind: Kind
  /** `case … esac` that are open: their patterns end with a bracket that closes nothing. */
  cases: number
  /** For `${…}`: is this a literal word, as in `${x:-word}`? */
  readonly isDefault?: boolean
  /** For backticks: a backslash was seen, which is read twice there. */
  hasBackslash?: boolean
}

const PLACEHOLDER = new RegExp(`\\{(${FACT_NAMES.join('|')})\\}`, 'y')
const EVERY_PLACEHOLDER = new RegExp(PLACEHOLDER.source, 'g')
const QUOTING: ReadonlySet<Kind> = new Set(['double', 'heredoc'])

/** Turns the placeholders of a shell command into safe references; throws where there is no safe form. */
export function compilePlaceholders(command: string): string {
  if (!hasPlaceholders(command)) return command
  const compiled = new Expander(command, command, 'plain').expand()
  const why = whyCodeInLine(command)
  if (why !== undefined) refuse(command, why)
  return compiled
}

/** Checks an argument list: no shell reads it, but one of the arguments may itself be code. */
export function checkArguments(command: readonly string[]): void {
  const why = whyCodeInArguments(command)
  if (why !== undefined) refuse(command, why)
}

/** Does a command hold placeholders? */
export function hasPlaceholders(command: string | readonly string[]): boolean {
  const text = typeof command === 'string' ? command : command.join(' ')
  return FACT_NAMES.some((name) => text.includes(`{${name}}`))
}

/** Fills the placeholders of one argument of an argument list; no shell reads it, so the value goes in as it is. */
export function fillArgument(argument: string, valueFor: (name: FactName) => string): string {
  return argument.replace(EVERY_PLACEHOLDER, (_, name) => valueFor(name))
}

// Reads the command from left to right, keeping track of quotes and substitutions as sh does.
class Expander {
  readonly #command: string
  readonly #text: string
  #at = 0
  #output = ''
  readonly #contexts: Context[]
  #heredocs: Heredoc[] = []

  constructor(text: string, command: string, kind: Kind) {
    this.#text = text
    this.#command = command
    this.#contexts = [{ kind, cases: 0 }]
  }

  expand(): string {
    while (this.#at < this.#text.length) {
      const name = this.#placeholder()
      if (name === undefined) READERS[this.#context.kind](this)
      else this.#reference(name)
    }
    if (this.#contexts.length > 1) this.#refuse('although its quotes and brackets do not pair up')
    return this.#output
  }

  get #context(): Context {
    return this.#contexts.at(-1) as Context
  }

  #placeholder(): FactName | undefined {
    PLACEHOLDER.lastIndex = this.#at
    return PLACEHOLDER.exec(this.#text)?.[1] as FactName | undefined
  }

  #reference(name: FactName): void {
    const { kind, isDefault } = this.#context
    if (kind === 'parameter' && isDefault !== true) {
      this.#refuse('in a parameter expansion that is no default, where it would be read as a pattern or an offset')
    }
    if (this.#contexts.some(({ hasBackslash }) => hasBackslash)) {
      this.#refuse('inside backticks with a backslash; write $(…) instead')
    }
    this.#output += this.#isQuoted() ? bareReference(name) : `"${bareReference(name)}"`
    this.#at += name.length + 2
  }

  // `"${x:-{tool_name}}"` is inside double quotes; `"$(f {tool_name})"` is not.
  #isQuoted(): boolean {
    const nearest = this.#contexts.findLast(({ kind }) => kind !== 'parameter')
    return nearest !== undefined && QUOTING.has(nearest.kind)
  }

  #copy(count = 1): void {
    this.#output += this.#text.slice(this.#at, this.#at + count)
    this.#at += count
  }

  #startsWith(token: string): boolean {
    return this.#text.startsWith(token, this.#at)
  }

  /** Between double quotes, and in the body of a heredoc, where a quote is an ordinary character. */
  readQuoted(): void {
    if (this.#startsWith('\\')) this.#readBackslash()
    else if (this.#startsWith('"') && this.#context.kind === 'double') this.#leave()
    else if (!this.#readExpansion()) this.#copy()
  }

  /** Inside `${…}`. Single quotes are ordinary characters in the default of a `${…}` that is itself quoted. */
  readParameter(): void {
    if (this.#startsWith('\\')) this.#readBackslash()
    else if (this.#startsWith("'") && !(this.#isQuoted() && this.#context.isDefault)) this.#readSingle()
    else if (this.#startsWith('"')) this.#enter({ kind: 'double' }, 1)
    else if (this.#startsWith('}')) this.#leave()
    else if (!this.#readExpansion()) this.#copy()
  }

  /** The position of commands. */
  readPlain(): void {
    if (this.#startsWith('\\')) this.#readBackslash()
    else if (this.#startsWith("'")) this.#readSingle()
    else if (this.#startsWith('"')) this.#enter({ kind: 'double' }, 1)
    else if (this.#startsWith('\n')) this.#readLineEnd()
    else if (this.#startsWith('#') && this.#isAtWordStart()) this.#readComment()
    else if (this.#startsWith('<<')) this.#readHeredocStart()
    else if (this.#startsWith('((')) this.#readArithmetic()
    else if (this.#startsWith('(')) this.#enter({ kind: 'group' }, 1)
    else if (this.#startsWith(')')) this.#readClosingBracket()
    else if (!this.#readExpansion() && !this.#readCaseWord()) this.#copy()
  }

  // The start of `$(…)`, `${…}`, `$((…))` or a backtick; true when it was one.
  #readExpansion(): boolean {
    if (this.#startsWith('`')) this.#readBacktick()
    else if (!this.#startsWith('$')) return false
    else if (this.#startsWith('$((') || this.#startsWith('$[')) this.#readArithmetic()
    else if (this.#startsWith('$(')) this.#enter({ kind: 'substitution' }, 2)
    else if (this.#startsWith('${')) this.#readParameterStart()
    else if (this.#startsWith("$'") && !QUOTING.has(this.#context.kind)) this.#readAnsiQuote()
    else this.#copy(/^\$[$?!#@*\d-]/.test(this.#text.slice(this.#at, this.#at + 2)) ? 2 : 1)
    return true
  }

  #readBackslash(): void {
    for (const context of this.#contexts) if (context.kind === 'backtick') context.hasBackslash = true
    this.#copy(2)
  }

  // Nested backticks have backslashes; a bare one inside backticks closes them.
  #readBacktick(): void {
    if (this.#context.kind === 'backtick') this.#leave()
    else this.#enter({ kind: 'backtick' }, 1)
  }

  #readParameterStart(): void {
    const start = /^\$\{(?:\w+|[@*#?$!-])(:?[-=+?])/.exec(this.#text.slice(this.#at, this.#at + 200))
    this.#enter({ kind: 'parameter', isDefault: start !== null }, start?.[0].length ?? 2)
  }

  // Shells differ in whether this is a quote with escapes or a dollar before a plain one.
  #readAnsiQuote(): void {
    this.#refuse("in a command with $'…', which not every shell reads alike")
  }

  #readClosingBracket(): void {
    const { kind, cases } = this.#context
    if (cases === 0 && (kind === 'substitution' || kind === 'group')) this.#leave()
    else this.#copy()
  }

  #readCaseWord(): boolean {
    const word = /^(case|esac)(?=[\s;&|)]|$)/.exec(this.#text.slice(this.#at, this.#at + 5))?.[1]
    if (word === undefined || !COMMAND_START.test(this.#text.slice(Math.max(0, this.#at - 50), this.#at))) return false
    const context = this.#context
    context.cases = Math.max(0, context.cases + (word === 'case' ? 1 : -1))
    this.#copy(word.length)
    return true
  }

  #enter(context: Omit<Context, 'cases'>, length: number): void {
    this.#contexts.push({ ...context, cases: 0 })
    this.#copy(length)
  }

  #leave(): void {
    this.#contexts.pop()
    this.#copy()
  }

  // Inside single quotes nothing expands: the quote is closed around the reference.
  #readSingle(): void {
    const end = this.#text.indexOf("'", this.#at + 1)
    if (end < 0) this.#refuse('although its quotes and brackets do not pair up')
    this.#output += fillArgument(this.#text.slice(this.#at, end + 1), (name) => `'"${bareReference(name)}"'`)
    this.#at = end + 1
  }

  #isAtWordStart(): boolean {
    return this.#at === 0 || /[\s;&|()`]/.test(this.#text.charAt(this.#at - 1))
  }

  #readComment(): void {
    const isInBackticks = this.#contexts.some(({ kind }) => kind === 'backtick')
    const length = this.#text.slice(this.#at).search(isInBackticks ? /[\n`]/ : /\n/)
    this.#copy(length < 0 ? this.#text.length - this.#at : length)
  }

  #readArithmetic(): void {
    const [open, close] = this.#startsWith('$[') ? ['[', ']'] : ['(', ')']
    let depth = 0
    let end = this.#at
    do {
      const character = this.#text.charAt(end++)
      if (character === open) depth++
      else if (character === close) depth--
    } while (end < this.#text.length && (depth > 0 || end < this.#at + 2))
    if (hasPlaceholders(this.#text.slice(this.#at, end))) {
      this.#refuse('inside ((…)), where the shell would evaluate it')
    }
    this.#copy(end - this.#at)
  }

  #readHeredocStart(): void {
    if (this.#startsWith('<<<')) {
      this.#copy(3)
      return
    }
    const found = HEREDOC.exec(this.#text.slice(this.#at, this.#at + 200))
    if (found === null) this.#refuse('in a command with a heredoc whose end word cannot be read')
    const [whole, dash, single, double, escaped, bare] = found
    const isQuoted = bare === undefined
    this.#heredocs.push({ end: single ?? double ?? escaped ?? bare ?? '', isQuoted, isIndented: dash === '-' })
    this.#copy(whole.length)
  }

  // The bodies of the heredocs that a line started follow after it.
  #readLineEnd(): void {
    this.#copy()
    const heredocs = this.#heredocs
    this.#heredocs = []
    for (const heredoc of heredocs) this.#readHeredocBody(heredoc)
  }

  #readHeredocBody({ end, isQuoted, isIndented }: Heredoc): void {
    const bodyEnd = this.#findHeredocEnd(end, isIndented)
    const body = this.#text.slice(this.#at, bodyEnd)
    if (isQuoted && hasPlaceholders(body)) {
      this.#refuse('in a heredoc with a quoted end word, where the shell expands nothing')
    }
    this.#output += isQuoted ? body : new Expander(body, this.#command, 'heredoc').expand()
    this.#at = bodyEnd
  }

  // Where the line with the end word starts, or the end of the text.
  #findHeredocEnd(end: string, isIndented: boolean): number {
    for (let at = this.#at; at < this.#text.length; ) {
      const lineEnd = this.#text.indexOf('\n', at)
      const line = this.#text.slice(at, lineEnd < 0 ? undefined : lineEnd)
      if ((isIndented ? line.replace(/^\t+/, '') : line) === end) return at
      at += line.length + 1
    }
    return this.#text.length
  }

  #refuse(where: string): never {
    refuse(this.#command, where)
  }
}

const READERS: Readonly<Record<Kind, (expander: Expander) => void>> = {
  plain: (expander) => expander.readPlain(),
  substitution: (expander) => expander.readPlain(),
  group: (expander) => expander.readPlain(),
  backtick: (expander) => expander.readPlain(),
  double: (expander) => expander.readQuoted(),
  heredoc: (expander) => expander.readQuoted(),
  parameter: (expander) => expander.readParameter(),
}

// `case` and `esac` are words of the shell only where a command may begin.
const COMMAND_START = /(?:^|[;&|(`{!\n]|\b(?:then|do|else|elif|if|while|until|in))\s*$/

const HEREDOC = /^<<(-?)[ \t]*(?:'([^'\n]+)'|"([^"\n]+)"|\\([\w.-]+)|([\w.-]+))(?=[\s;&|<>()`]|$)/

interface Heredoc {
  readonly end: string
  readonly isQuoted: boolean
  readonly isIndented: boolean
}

// The dash keeps it quiet under `set -u` where a step has no such fact.
function bareReference(name: FactName): string {
  return `\${${variableName(name)}-}`
}

function refuse(command: string | readonly string[], where: string): never {
  throw new ArcError('ARC_COMMAND_INVALID', `The command ${show(command)} has a placeholder ${where}.`)
}
