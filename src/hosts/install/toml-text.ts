// As much of TOML as is needed to add a block to the end of a file without breaking it: which tables and keys there are,
// and that the text is whole. What it does not understand it refuses.

import { findTextPosition } from '../../json-text/json-text.ts'
import type { TextProblem } from './install-file.ts'

/** A table header or a key, with its whole path. */
export interface TomlName {
  readonly path: readonly string[]
  readonly kind: 'table' | 'list' | 'key'
  readonly offset: number
}

/** Every table and key of a text, in order, or the place where it cannot be read. */
export function readToml(text: string): readonly TomlName[] | TextProblem {
  const reader = new TomlReader(text)
  try {
    return reader.read()
  } catch (error) {
    if (!(error instanceof TomlProblem)) throw error
    return { ...findTextPosition(text, error.offset), message: error.message }
  }
}

class TomlProblem extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

class TomlReader {
  readonly #text: string
  #at = 0
  readonly #names: TomlName[] = []
  #table: readonly string[] = []

  constructor(text: string) {
    this.#text = text
    if (text.startsWith('\uFEFF')) this.#at = 1
  }

  read(): readonly TomlName[] {
    for (;;) {
      this.#skip(/[\s]*(?:#[^\n]*\s*)*/y)
      if (this.#at >= this.#text.length) return this.#names
      if (this.#text[this.#at] === '[') this.#readHeader()
      else this.#readEntry()
      this.#endLine()
    }
  }

  #readHeader(): void {
    const offset = this.#at
    const isList = this.#text.startsWith('[[', offset)
    this.#at += isList ? 2 : 1
    this.#table = this.#readKey()
    if (!this.#text.startsWith(isList ? ']]' : ']', this.#at)) this.#fail('Expected the end of the table name.')
    this.#at += isList ? 2 : 1
    this.#names.push({ path: this.#table, kind: isList ? 'list' : 'table', offset })
  }

  #readEntry(): void {
    const offset = this.#at
    const key = this.#readKey()
    if (this.#text[this.#at] !== '=') this.#fail('Expected "=" after the key.')
    this.#at++
    this.#names.push({ path: [...this.#table, ...key], kind: 'key', offset })
    this.#skip(/[ \t]*/y)
    const start = this.#at
    this.#skipValue()
    if (this.#at === start) this.#fail('Expected a value.')
  }

  // Dotted parts, bare or quoted, up to what ends the key.
  #readKey(): string[] {
    const parts: string[] = []
    for (;;) {
      this.#skip(/[ \t]*/y)
      const bare = this.#take(/[A-Za-z0-9_-]+/y)
      const quoted = bare === '' ? this.#take(/"(?:[^"\\\n]|\\.)*"|'[^'\n]*'/y) : ''
      if (bare === '' && quoted === '') this.#fail('Expected a key.')
      parts.push(bare === '' ? unquote(quoted) : bare)
      this.#skip(/[ \t]*/y)
      if (this.#text[this.#at] !== '.') return parts
      this.#at++
    }
  }

  // A value ends with its line, unless brackets are open.
  #skipValue(): void {
    let depth = 0
    while (this.#at < this.#text.length) {
      const char = this.#text[this.#at] as string
      if (char === '"' || char === "'") this.#skipText(char)
      else if (char === '#') this.#skip(/[^\n]*/y)
      else if (char === '\n' && depth === 0) return
      else {
        if (char === '[' || char === '{') depth++
        if (char === ']' || char === '}') depth--
        if (depth < 0) this.#fail('Expected no closing bracket here.')
        this.#at++
      }
    }
    if (depth > 0) this.#fail('Expected a closing bracket, but the file ends here.')
  }

  #skipText(quote: string): void {
    const start = this.#at
    const isLong = this.#text.startsWith(quote.repeat(3), start)
    const patterns = quote === '"' ? BASIC : LITERAL
    if (this.#take(isLong ? patterns.long : patterns.short) !== '') return
    this.#at = start
    this.#fail('Expected the end of the text that begins here.')
  }

  #endLine(): void {
    this.#skip(/[ \t]*(?:#[^\n]*)?\r?/y)
    if (this.#at < this.#text.length && this.#text[this.#at] !== '\n') this.#fail('Expected the end of the line.')
  }

  #skip(pattern: RegExp): void {
    this.#take(pattern)
  }

  #take(pattern: RegExp): string {
    pattern.lastIndex = this.#at
    const found = pattern.exec(this.#text)?.[0] ?? ''
    this.#at += found.length
    return found
  }

  #fail(message: string): never {
    throw new TomlProblem(this.#at, message)
  }
}

const BASIC = { short: /"(?:[^"\\\n]|\\.)*"/y, long: /"""(?:[^"\\]|\\[\s\S]|"{1,2}(?!"))*"{3,5}/y }
const LITERAL = { short: /'[^'\n]*'/y, long: /'''(?:[^']|'{1,2}(?!'))*'{3,5}/y }

function unquote(text: string): string {
  if (text.startsWith("'")) return text.slice(1, -1)
  try {
    return String(JSON.parse(text))
  } catch {
    // An escape that JSON does not have: unchanged it equals no known name.
    return text
  }
}
