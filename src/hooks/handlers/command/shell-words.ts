// Shell text as the words that programs would get: quotes and backslashes taken off, so that `s\h` and `'sh'` are `sh`.
// Placeholders and expansions are marks in a word, since their text is not known before the command runs.

import { forEachChild, parse, type SyntaxNode, type Word as WordNode, type WordPart } from 'unbash'
import { FACT_NAMES } from './environment.ts'

/** Mark of a value that the agent chooses. */
const VALUE = '\uE000'
/** Mark of a value that ARC chooses: the workspace, the event. */
const OWN_VALUE = '\uE001'
/** Mark of a value that the shell inserts: a variable, the output of a command, a pattern. */
const EXPANSION = '\uE002'

const OWN_FACTS: readonly string[] = ['workspace', 'hook_event']
const PLACEHOLDERS = new RegExp(`\\{(${FACT_NAMES.join('|')})\\}`, 'g')

/** One word of a command after unquoting. */
export interface ShellWord {
  readonly text: string
  /** A file name pattern or a list in braces: it may become another word, or several. */
  readonly isPattern: boolean
}

/** One simple command: the program first. */
export interface ShellCall {
  readonly words: readonly ShellWord[]
  /** Variables that are set in front of it, and arrays. */
  readonly assigned: readonly { readonly name: string; readonly index: ShellWord | undefined; readonly value: string }[]
}

/** A text read as shell. */
export interface ReadText {
  readonly calls: readonly ShellCall[]
  /** All nodes of the syntax tree, those of substitutions and here-documents included. */
  readonly nodes: readonly SyntaxNode[]
  readonly isWhole: boolean
}

// The parser takes a time that grows with the square of some texts.
const MAX_CHARS = 8_000
const UNREAD: ReadText = { calls: [], nodes: [], isWhole: false }

/** Reads a text, its substitutions, functions and here-documents included. */
export function readShell(text: string): ReadText {
  const nodes: SyntaxNode[] = []
  const visit = (node: SyntaxNode): void => {
    nodes.push(node)
    forEachChild(node, visit)
  }
  if (text.length > MAX_CHARS) return UNREAD
  try {
    visit(parse(text))
  } catch {
    // Nested too deeply.
    return UNREAD
  }
  const hasErrors = nodes.some((node) => node.type === 'Script' && 'errors' in node && (node.errors?.length ?? 0) > 0)
  return { calls: nodes.flatMap(readCall), nodes, isWhole: !hasErrors }
}

/** A text with marks instead of placeholders. */
export function markPlaceholders(text: string): string {
  return text.replace(PLACEHOLDERS, (_, name: string) => (OWN_FACTS.includes(name) ? OWN_VALUE : VALUE))
}

/** A word that no shell reads. */
export function plainWord(text: string): ShellWord {
  return { text: markPlaceholders(text), isPattern: false }
}

/** Does a text hold a placeholder? */
export function hasValue(text: string): boolean {
  return text.includes(VALUE) || text.includes(OWN_VALUE)
}

/** Is the whole of a text known? */
export function isFixed({ text, isPattern }: ShellWord): boolean {
  return !isPattern && !hasValue(text) && !text.includes(EXPANSION)
}

/** The last part of the path of a program or script; undefined where it cannot be known before it runs. */
export function readFileName({ text, isPattern }: ShellWord): string | undefined {
  const name = text.slice(text.lastIndexOf('/') + 1)
  const isOpen = isPattern || name.endsWith(VALUE) || name.endsWith(OWN_VALUE) || name.endsWith(EXPANSION)
  return isOpen ? undefined : name
}

function readCall(node: SyntaxNode): ShellCall[] {
  if (node.type !== 'Command') return []
  const given = node.name === undefined ? [] : [node.name, ...node.args]
  const words = given.map((part) => (part.type === 'Word' ? readWord(part) : { text: part.text, isPattern: false }))
  const assigned = [...node.prefix, ...node.args].flatMap((part) => {
    if (part.type !== 'Assignment') return []
    return [{ name: part.name, index: part.index && readWord(part.index), value: part.text }]
  })
  return [{ words, assigned }]
}

function readWord({ parts, value }: WordNode): ShellWord {
  if (parts === undefined) return { text: value, isPattern: false }
  return { text: parts.map(readText).join(''), isPattern: parts.some(({ type }) => PATTERNS.has(type)) }
}

const PATTERNS: ReadonlySet<string> = new Set(['Glob', 'ExtendedGlob', 'BraceExpansion'])

function readText(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value
    case 'DoubleQuoted':
    case 'LocaleString':
      return part.parts.map(readText).join('')
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return part.text
    // A default of an expansion may hold a placeholder.
    default:
      return hasValue(part.text) ? VALUE + EXPANSION : EXPANSION
  }
}
