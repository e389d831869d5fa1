// Finds calls and their literal arguments in code of other languages. Comments and strings are
// masked, so that a printed "rm -rf" is only a string.

import type { Span } from './assessment.ts'
import type { Snippet } from './shell/execution.ts'

/** One call found in the code: `shutil.rmtree("/data", True)`. */
export interface CodeCall {
  /** The name as written, with its dots. */
  readonly name: string
  /** The text between the parentheses. */
  readonly args: string
  /** The first string among the arguments, if there is one. */
  readonly text: string | undefined
  readonly start: number
}

const MAX_CODE = 200_000

/** The span of a call in the text of a file; the span of the whole snippet for other code. */
export function spanOfCall({ span, code, isFile }: Snippet, call: CodeCall): Span {
  if (isFile !== true || span.end - span.start !== code.length) return span
  const start = span.start + call.start
  return { start, end: Math.min(span.end, start + call.name.length + call.args.length + 2) }
}

/** The span of a text in the text of a file; the span of the whole snippet for other code. */
export function spanOfText({ span, code, isFile }: Snippet, text: string): Span {
  const at = code.indexOf(text)
  return at < 0 ? span : spanInCode({ span, code, isFile }, at, at + text.length)
}

/** Where a part of the code is. Code that is not in the analysed text as it is written has one span. */
export function spanInCode(
  { span, code, isFile }: Pick<Snippet, 'span' | 'code' | 'isFile'>,
  start: number,
  end: number,
): Span {
  const isVerbatim = isFile === true && span.end - span.start === code.length
  return isVerbatim ? { start: span.start + start, end: span.start + end } : span
}

/** The code with blanked strings and comments, at the same positions. */
export function maskCode(code: string, hasHashComments: boolean): string {
  const text = code.length > MAX_CODE ? code.slice(0, MAX_CODE) : code
  let masked = ''
  let at = 0
  while (at < text.length) {
    const char = text[at] as string
    if (char === '"' || char === "'" || char === '`') {
      const end = endOfText(text, at, char)
      masked += char + ' '.repeat(Math.max(0, end - at - 2)) + (end - at > 1 ? char : '')
      at = end
    } else if ((hasHashComments && char === '#') || (!hasHashComments && char === '/' && text[at + 1] === '/')) {
      const newline = text.indexOf('\n', at)
      const end = newline < 0 ? text.length : newline
      masked += ' '.repeat(end - at)
      at = end
    } else {
      masked += char
      at++
    }
  }
  return masked
}

function endOfText(text: string, at: number, quote: string): number {
  if (quote !== '`' && text.startsWith(quote.repeat(3), at)) {
    const close = text.indexOf(quote.repeat(3), at + 3)
    return close < 0 ? text.length : close + 3
  }
  for (let index = at + 1; index < text.length; index++) {
    if (text[index] === '\\') index++
    else if (text[index] === quote) return index + 1
  }
  return text.length
}

/** The calls with one of these names, or with a name that ends in a dot and one of them. */
export function findCalls(code: string, masked: string, names: ReadonlySet<string>): CodeCall[] {
  const found: CodeCall[] = []
  for (let at = masked.indexOf('('); at >= 0; at = masked.indexOf('(', at + 1)) {
    const start = startOfName(masked, at)
    const name = masked.slice(start, at).trim()
    const last = name.slice(Math.max(name.lastIndexOf('.'), name.lastIndexOf('>'), name.lastIndexOf(':')) + 1)
    if (!names.has(name) && !names.has(last)) continue
    const end = closingBracket(masked, at)
    found.push({ name, args: code.slice(at + 1, end), text: firstText(code, masked, at + 1, end), start })
    if (found.length > 200) return found
  }
  return found
}

function startOfName(masked: string, at: number): number {
  let start = at
  while (start > 0 && masked[start - 1] === ' ') start--
  while (start > 0 && isNamePart(masked.charCodeAt(start - 1))) start--
  return start
}

function isNamePart(code: number): boolean {
  return (
    (code >= 48 && code <= 58) ||
    (code >= 65 && code <= 90) ||
    (code >= 97 && code <= 122) ||
    code === 95 ||
    code === 46 ||
    code === 36 ||
    code === 62
  )
}

function closingBracket(masked: string, open: number): number {
  let depth = 0
  for (let index = open; index < masked.length; index++) {
    const char = masked[index]
    if (char === '(') depth++
    else if (char === ')' && --depth === 0) return index
  }
  return masked.length
}

/** The first string in the code, without quotes. */
function firstText(code: string, masked: string, from: number, to: number): string | undefined {
  for (let index = from; index < to; index++) {
    const char = masked[index]
    if (char !== '"' && char !== "'" && char !== '`') continue
    const end = endOfText(code, index, char)
    return code
      .slice(index + 1, Math.max(index + 1, end - 1))
      .replaceAll('\\"', '"')
      .replaceAll("\\'", "'")
  }
  return undefined
}
