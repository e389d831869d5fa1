// Values of code during its analysis: texts with unknown parts, lists, records, and names of library functions.
// Unknown parts are written as the shell would write them, so that a text can become a word of a command.

import { quoteForShell } from '../../engine/shell-quote.ts'

/** A part of a text: known characters, or what the shell would put there (`$HOME`, `$(cat .env)`). */
export type TextPart = string | { readonly shell: string }

/** A text. */
export interface Text {
  readonly kind: 'text'
  readonly parts: readonly TextPart[]
}

/** A value that an expression may have. */
export type Value =
  | Text
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  | { readonly kind: 'record'; readonly fields: ReadonlyMap<string, Value> }
  /** A module, class or function of a library: `os.path`, `fs.rmSync`. */
  | { readonly kind: 'name'; readonly path: string }
  /** An object that a library made: `client` of `boto3.client`, with its text. */
  | { readonly kind: 'object'; readonly type: string; readonly of: Value }

export const EMPTY: Text = { kind: 'text', parts: [] }

/** A known text. */
export function text(known: string): Text {
  return { kind: 'text', parts: [known] }
}

/** A text that the shell would compute. */
export function shellText(shell: string): Text {
  return { kind: 'text', parts: [{ shell }] }
}

/** A value of which only a name is known. */
export function unknownText(name: string): Text {
  return shellText(`$${name.replace(/\W+/g, '_').replace(/^(?=\d)/, '_') || 'unknown'}`)
}

/** The value as one text: a name or a record is unknown, an object is its text. */
export function asText(value: Value | undefined): Text {
  if (value === undefined) return unknownText('unknown')
  switch (value.kind) {
    case 'text':
      return value
    case 'object':
      return asText(value.of)
    case 'name':
      return unknownText(value.path)
    case 'list':
      return value.items.length === 1 ? asText(value.items[0]) : unknownText('list')
    case 'record':
      return concat([...value.fields.values()].slice(0, 20).map(asText))
  }
}

/** Texts one after the other. */
export function concat(texts: readonly Text[]): Text {
  return { kind: 'text', parts: texts.flatMap(({ parts }) => parts) }
}

/** The characters of a text that is known as a whole. */
export function known(value: Value | undefined): string | undefined {
  if (value?.kind === 'object') return known(value.of)
  if (value?.kind !== 'text') return undefined
  return value.parts.every((part) => typeof part === 'string') ? value.parts.join('') : undefined
}

/** Path parts joined as a library does it: an absolute part begins anew. */
export function joinPath(values: readonly Value[]): Text {
  let joined: Text = EMPTY
  for (const value of values) {
    const next = asText(value)
    const [first] = next.parts
    const isAbsolute = typeof first === 'string' ? /^[/~]/.test(first) : first?.shell === '$HOME'
    joined = joined.parts.length === 0 || isAbsolute ? next : concat([joined, text('/'), next])
  }
  return joined
}

/** `~` at the start is the home folder. */
export function expandHome(value: Value | undefined): Text {
  const given = asText(value)
  const [first, ...rest] = given.parts
  if (typeof first !== 'string' || !/^~(?:\/|$)/.test(first)) return given
  return { kind: 'text', parts: [{ shell: '$HOME' }, first.slice(1), ...rest] }
}

/** The text as one word of a shell command. A pattern stays a pattern. */
export function writeWord(value: Value | undefined): string {
  const { parts } = asText(value)
  const words = parts.map((part) =>
    typeof part === 'string' ? (part === '' ? '' : quotePart(part)) : `"${part.shell}"`,
  )
  return words.join('') || "''"
}

function quotePart(part: string): string {
  return /^[\w@%+=:,./*?-]+$/.test(part) ? part : quoteForShell(part)
}

/** The text as a script of the shell. */
export function writeScript(value: Value | undefined): string {
  return asText(value)
    .parts.map((part) => (typeof part === 'string' ? part : part.shell))
    .join('')
}
