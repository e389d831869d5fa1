// The words of a .arma script: quotes, escapes, variables, comments and continued lines. Knows no command.
// Never throws: an invalid line is skipped, with an error at its position.

import { lineIndex, type Position } from '../position.ts'

/** A piece of a word: text as it is, or a variable to fill in when the hook runs. */
export type Part = { readonly text: string } | { readonly variable: string }

/** One word with its place. */
export interface ScriptWord {
  readonly parts: readonly Part[]
  readonly position: Position
  /** Was any of it in quotes? */
  readonly isQuoted: boolean
}

/** Something wrong in a script. */
export interface ArmaError extends Position {
  readonly message: string
}

/** The words of a script, a list for each line that has any. */
export interface Lexed {
  readonly lines: readonly (readonly ScriptWord[])[]
  readonly errors: readonly ArmaError[]
}

const ESCAPES: Readonly<Record<string, string>> = { n: '\n', t: '\t' }
const NAME = /(?:\{([A-Za-z_][\w-]*(?:\.[\w-]+)*)\}|([A-Za-z_]\w*(?:\.\w+)*))/y

/** Splits a script into the words of its lines. */
export function lex(text: string): Lexed {
  return new Lexer(text).run()
}

class Lexer {
  readonly #text: string
  readonly #findPosition: (offset: number) => Position
  readonly #lines: ScriptWord[][] = []
  readonly #errors: ArmaError[] = []
  #at = 0

  constructor(text: string) {
    this.#text = text
    this.#findPosition = lineIndex(text)
  }

  run(): Lexed {
    while (this.#at < this.#text.length) this.#line()
    return { lines: this.#lines, errors: this.#errors }
  }

  #line(): void {
    const words: ScriptWord[] = []
    const errorsBefore = this.#errors.length
    for (;;) {
      this.#skipBlanks()
      if (this.#isLineEnd()) break
      if (this.#isComment(words.length === 0)) {
        this.#skipLine()
        break
      }
      const word = this.#word()
      if (word === undefined) {
        this.#skipLine()
        break
      }
      words.push(word)
    }
    this.#at++
    if (words.length > 0 && this.#errors.length === errorsBefore) this.#lines.push(words)
  }

  // `#` opens a comment at the start of a line, or as a separate word: `/notify #alerts` names a channel.
  #isComment(isFirst: boolean): boolean {
    if (this.#text[this.#at] !== '#') return false
    const next = this.#text[this.#at + 1]
    return isFirst || next === undefined || /\s/.test(next)
  }

  #word(): ScriptWord | undefined {
    const position = this.#findPosition(this.#at)
    const parts: Part[] = []
    let isQuoted = false
    while (!this.#isLineEnd() && !/\s/.test(this.#text[this.#at] ?? '')) {
      const opener = this.#text[this.#at]
      if (opener === '"' || opener === "'") {
        isQuoted = true
        if (!this.#quoted(opener, parts)) return undefined
      } else if (!this.#piece(parts)) return undefined
    }
    return { parts: joined(parts), position, isQuoted }
  }

  #quoted(quote: '"' | "'", parts: Part[]): boolean {
    const opened = this.#at++
    while (this.#text[this.#at] !== quote) {
      if (this.#isLineEnd()) return this.#fail(opened, `Expected a closing ${quote} before the end of the line.`)
      if (quote === "'") parts.push({ text: this.#text[this.#at++] ?? '' })
      else if (!this.#piece(parts)) return false
    }
    this.#at++
    return true
  }

  // One character, escape or variable, as they are outside single quotes.
  #piece(parts: Part[]): boolean {
    const character = this.#text[this.#at] ?? ''
    if (character === '\\') return this.#escape(parts)
    if (character === '$') return this.#variable(parts)
    parts.push({ text: character })
    this.#at++
    return true
  }

  #escape(parts: Part[]): boolean {
    const length = this.#continuation()
    if (length > 0) {
      this.#at += length
      return true
    }
    const escaped = this.#text[this.#at + 1]
    if (escaped === undefined) return this.#fail(this.#at, 'Expected a character after the backslash.')
    parts.push({ text: ESCAPES[escaped] ?? escaped })
    this.#at += 2
    return true
  }

  #variable(parts: Part[]): boolean {
    NAME.lastIndex = this.#at + 1
    const found = NAME.exec(this.#text)
    if (found !== null) {
      parts.push({ variable: found[1] ?? found[2] ?? '' })
      this.#at = NAME.lastIndex
      return true
    }
    if (this.#text[this.#at + 1] === '{') {
      return this.#fail(
        this.#at,
        'Expected a name in braces after the dollar sign, such as agent.name; write \\$ for a plain one.',
      )
    }
    parts.push({ text: '$' })
    this.#at++
    return true
  }

  #skipBlanks(): void {
    for (;;) {
      const length = this.#continuation()
      if (length > 0) this.#at += length
      else if (!this.#isLineEnd() && /\s/.test(this.#text[this.#at] ?? '')) this.#at++
      else return
    }
  }

  // The length of a backslash and the end of line after it.
  #continuation(): number {
    if (this.#text[this.#at] !== '\\') return 0
    if (this.#text[this.#at + 1] === '\n') return 2
    return this.#text.startsWith('\r\n', this.#at + 1) ? 3 : 0
  }

  #isLineEnd(): boolean {
    return this.#at >= this.#text.length || this.#text[this.#at] === '\n'
  }

  #skipLine(): void {
    while (!this.#isLineEnd()) this.#at++
  }

  #fail(offset: number, message: string): false {
    this.#errors.push({ ...this.#findPosition(offset), message })
    return false
  }
}

function joined(parts: readonly Part[]): readonly Part[] {
  const result: Part[] = []
  for (const part of parts) {
    const last = result.at(-1)
    if ('text' in part && last !== undefined && 'text' in last)
      result[result.length - 1] = { text: last.text + part.text }
    else result.push(part)
  }
  return result
}
