// Expands words to the fields that a program gets: quotes, variables, substitutions, braces, tilde, splitting.
// Unknown parts stay as written, and the field has isKnown false.

import type { DoubleQuotedChild, Word as WordNode, WordPart } from 'unbash'
import type { Span } from '../../assessment.ts'
import type { ShellCommand } from '../execution.ts'
import { type Field, type Frame, findOffset, spanAt } from '../frame.ts'
import type { InterpreterPort } from '../interpreter-port.ts'
import { MAX_FROM, MAX_SHELL_DEPTH, MAX_VALUE_CHARS, MAX_WRITTEN_CHARS } from '../limits.ts'
import { parseScript } from '../parse-script.ts'
import type { Scope, Value } from '../scope.ts'
import { evaluateArithmetic } from './arithmetic.ts'
import { expandShellBraces } from './braces.ts'
import { readExpansion, readParameter } from './parameters.ts'

/** All fields of some words, in order. */
export function expandWords(shell: InterpreterPort, words: readonly WordNode[], frame: Frame, scope: Scope): Field[] {
  const fields: Field[] = []
  for (const word of words) expandWord(shell, word, frame, scope, fields)
  return fields
}

/** Adds the fields of one word: often one, none for an empty variable, several for braces and lists. */
export function expandWord(shell: InterpreterPort, word: WordNode, frame: Frame, scope: Scope, fields: Field[]): void {
  const span = spanAt(frame, word.pos, word.end)
  if (!shell.spend(1, span)) return
  const { parts } = word
  if (parts === undefined) {
    fields.push(plainField(word, frame, scope, span))
    return
  }
  if (parts.some((part) => part.type === 'BraceExpansion')) {
    expandBraceWord(shell, word, frame, scope, fields)
    return
  }
  const builder = new FieldBuilder(fields, span, true)
  builder.at = soleOffset(parts, frame)
  appendParts(shell, parts, frame, scope, builder)
  builder.finish()
}

/** A word as one text, without splitting: the value of a variable, the target of a redirect, a here-string. */
export function expandText(shell: InterpreterPort, word: WordNode, frame: Frame, scope: Scope): Field {
  const span = spanAt(frame, word.pos, word.end)
  if (word.parts === undefined) return plainField(word, frame, scope, span)
  return joinParts(shell, word.parts, frame, scope, span)
}

/** Parts of a word or a heredoc as one text. */
export function joinParts(
  shell: InterpreterPort,
  parts: readonly WordPart[],
  frame: Frame,
  scope: Scope,
  span: Span,
): Field {
  const fields: Field[] = []
  const builder = new FieldBuilder(fields, span, false)
  builder.at = soleOffset(parts, frame)
  builder.isQuoted = true
  appendParts(shell, parts, frame, scope, builder)
  builder.finish()
  return fields[0] ?? { text: '', isKnown: true, isGlob: false, span }
}

function plainField(word: WordNode, frame: Frame, scope: Scope, span: Span): Field {
  if (word.value.charCodeAt(0) === 0x7e && word.text.charCodeAt(0) === 0x7e) {
    const text = expandTilde(word.value, scope)
    return { text, isKnown: !text.startsWith('~'), isGlob: false, span }
  }
  const at = word.text === word.value ? findOffset(frame, word.pos) : undefined
  return { text: word.value, isKnown: true, isGlob: false, span, at }
}

// The text of a word that is one quoted string begins right after its quote.
function soleOffset(parts: readonly WordPart[], frame: Frame): number | undefined {
  const [part] = parts
  if (parts.length !== 1 || !part) return undefined
  if (part.type === 'SingleQuoted') return findOffset(frame, part.pos + 1)
  if (part.type !== 'DoubleQuoted') return undefined
  const [inner] = part.parts
  const isVerbatim = part.parts.length === 1 && inner?.type === 'Literal' && inner.text === inner.value
  return isVerbatim ? findOffset(frame, inner.pos) : undefined
}

/** `~` and `~/x` are the user's home; `~+` and `~-` are folders of the shell; `~name` is unknown. */
export function expandTilde(text: string, scope: Scope): string {
  const slash = text.indexOf('/')
  const prefix = slash < 0 ? text : text.slice(0, slash)
  const rest = slash < 0 ? '' : text.slice(slash)
  const home = scope.get('HOME')
  if (prefix === '~') return (home?.isKnown ? home.text : scope.home) + rest
  if (prefix === '~+' && scope.cwd !== undefined) return scope.cwd + rest
  if (prefix === '~-' && scope.previousCwd !== undefined) return scope.previousCwd + rest
  if (prefix === '~root') return `/root${rest}`
  return text
}

function expandBraceWord(shell: InterpreterPort, word: WordNode, frame: Frame, scope: Scope, fields: Field[]): void {
  const span = spanAt(frame, word.pos, word.end)
  // Listing and parsing the words costs as much as several steps.
  if (!shell.spend(8, span)) return
  const texts = expandShellBraces(word.text)
  if (texts === undefined || frame.depth > MAX_SHELL_DEPTH) {
    fields.push({ text: word.text, isKnown: false, isGlob: true, span })
    return
  }
  if (!shell.spend(2 * texts.length, span)) return
  for (const text of texts) {
    const inner: Frame = { ...frame, source: text, origin: span, depth: frame.depth + 1 }
    const node = text === '' ? undefined : parseScript(shell.analysis, `: ${text}`, inner)?.commands[0]?.command
    if (node?.type !== 'Command') continue
    for (const argument of node.args) {
      if (argument.type !== 'Word' || argument.parts?.some((part) => part.type === 'BraceExpansion')) {
        fields.push({ text: argument.text, isKnown: true, isGlob: false, span })
      } else expandWord(shell, argument, inner, scope, fields)
    }
  }
}

function appendParts(
  shell: InterpreterPort,
  parts: readonly (WordPart | DoubleQuotedChild)[],
  frame: Frame,
  scope: Scope,
  builder: FieldBuilder,
): void {
  for (const [index, part] of parts.entries()) {
    if (!shell.spend(1, builder.span)) {
      builder.giveUp()
      return
    }
    appendPart(shell, part, frame, scope, builder, index === 0)
  }
}

function appendPart(
  shell: InterpreterPort,
  part: WordPart,
  frame: Frame,
  scope: Scope,
  builder: FieldBuilder,
  isFirst: boolean,
): void {
  switch (part.type) {
    case 'Literal':
      builder.add(isFirst && part.text.startsWith('~') ? expandTilde(part.value, scope) : part.value)
      return
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      builder.addQuoted(part.value)
      return
    case 'DoubleQuoted':
    case 'LocaleString':
      builder.quote(() => appendParts(shell, part.parts, frame, scope, builder))
      return
    case 'SimpleExpansion':
      builder.expand(readParameter(shell, part.text.slice(1), scope), part.text, scope)
      return
    case 'ParameterExpansion': {
      const inner = enterExpansion(shell, part, frame)
      builder.expand(inner && readExpansion(shell, part, inner, scope), part.text, scope)
      return
    }
    case 'CommandExpansion':
      builder.expand(shell.substitute(part, frame, scope), part.text, scope)
      return
    case 'ProcessSubstitution': {
      const value = shell.substitute(part, frame, scope)
      builder.feed(part.text, value)
      return
    }
    case 'ArithmeticExpansion': {
      const inner = enterExpansion(shell, part, frame)
      const number = inner && evaluateArithmetic(shell, part.expression, inner, scope)
      builder.expand(number === undefined ? undefined : { text: String(number), isKnown: true }, part.text, scope)
      return
    }
    case 'Glob':
    case 'ExtendedGlob':
      if (part.parts)
        appendParts(shell, part.parts.filter(isSubstitution), frame, scope, new FieldBuilder([], builder.span, false))
      builder.addGlob(part.text)
      return
    case 'BraceExpansion':
      builder.add(part.text)
  }
}

// The parser reads the inside of an expansion on first access, once per level.
function enterExpansion(
  shell: InterpreterPort,
  part: { readonly pos: number; readonly end: number },
  frame: Frame,
): Frame | undefined {
  const span = spanAt(frame, part.pos, part.end)
  if (
    shell.analysis.isTooDeep(frame, span) ||
    !shell.analysis.spendParsing((part.end - part.pos) * (frame.depth + 1), span)
  )
    return undefined
  return { ...frame, depth: frame.depth + 1 }
}

function isSubstitution(part: WordPart): boolean {
  return part.type === 'CommandExpansion' || part.type === 'DoubleQuoted' || part.type === 'ProcessSubstitution'
}

/** Builds fields from the parts of a word, with word splitting. */
class FieldBuilder {
  at: number | undefined
  isQuoted = false
  readonly span: Span
  private readonly fields: Field[]
  private readonly canSplit: boolean
  private text = ''
  private isKnown = true
  private isGlob = false
  private isPresent = false
  private from: readonly ShellCommand[] | undefined
  private printed: Field['source']

  constructor(fields: Field[], span: Span, canSplit: boolean) {
    this.fields = fields
    this.span = span
    this.canSplit = canSplit
  }

  add(text: string): void {
    this.isPresent = true
    this.append(text)
  }

  addQuoted(text: string): void {
    this.add(text)
  }

  addGlob(text: string): void {
    this.add(text)
    this.isGlob = true
  }

  quote(append: () => void): void {
    const before = this.isQuoted
    this.isQuoted = true
    // "$@" without parameters gives no field, "" gives an empty field.
    const count = this.fields.length
    const hadText = this.isPresent
    this.isEmptyList = false
    append()
    if (!(this.isEmptyList && !hadText && this.text === '' && this.fields.length === count)) this.isPresent = true
    this.isQuoted = before
  }

  private isEmptyList = false

  feed(text: string, value: Value): void {
    this.add(text)
    this.isKnown = false
    this.take(value.from)
    this.printed = { text: value.isKnown ? value.text : undefined, from: value.from ?? [] }
  }

  /** Adds the value of an expansion; an unknown value is added as written. */
  expand(value: Value | undefined, written: string, scope: Scope): void {
    if (value?.items && value.isList) {
      this.expandList([...value.items.values()], scope)
      return
    }
    if (!value?.isKnown) {
      this.add(value && value.text !== '' && value.text.length <= MAX_WRITTEN_CHARS ? value.text : written)
      this.isKnown = false
      this.take(value?.from)
      return
    }
    this.take(value.from)
    if (value.at !== undefined && this.text === '' && !this.isPresent) this.at = value.at
    if (this.isQuoted || !this.canSplit) this.append(value.text)
    else this.split(value.text, scope)
  }

  /** Marks the rest of the word as unknown. */
  giveUp(): void {
    this.isPresent = true
    this.isKnown = false
  }

  finish(): void {
    if (!this.isPresent) return
    this.push()
  }

  private expandList(items: readonly Value[], scope: Scope): void {
    if (items.length === 0) this.isEmptyList = true
    for (const [index, item] of items.entries()) {
      if (index > 0 && this.canSplit) this.push()
      else if (index > 0) this.append(' ')
      if (this.isQuoted) this.isPresent = true
      this.expand({ ...item, items: undefined }, item.text, scope)
    }
  }

  // Unquoted text is split at IFS. Leading and trailing blanks separate it from its neighbours.
  private split(text: string, scope: Scope): void {
    const separators = scope.get('IFS')?.text ?? ' \t\n'
    let start = 0
    for (let at = 0; at <= text.length; at++) {
      const isEnd = at === text.length
      if (!isEnd && !separators.includes(text.charAt(at))) continue
      const piece = text.slice(start, at)
      if (piece !== '') {
        this.append(piece)
        if (/[*?[]/.test(piece)) this.isGlob = true
      }
      if (!isEnd && (this.isPresent || this.text !== '')) this.push()
      start = at + 1
    }
  }

  private append(text: string): void {
    if (this.text.length + text.length > MAX_VALUE_CHARS) {
      this.isKnown = false
      return
    }
    if (text !== '') this.isPresent = true
    this.text += text
  }

  private take(from: readonly ShellCommand[] | undefined): void {
    if (from?.length) this.from = this.from ? [...this.from, ...from].slice(0, MAX_FROM) : from
  }

  private push(): void {
    const { text, isKnown, isGlob, span, at, from, printed } = this
    this.fields.push({ text, isKnown, isGlob, span, at, from, source: printed })
    this.text = ''
    this.isGlob = false
    this.isKnown = true
    this.isPresent = false
    this.at = undefined
  }
}
