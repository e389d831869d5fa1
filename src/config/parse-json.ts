// JSON with comments and trailing commas, as editors write it, into located values.

import { createScanner, type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import type { Complaint, FormatResult } from './located.ts'
import { type Entry, type Located, MAX_DEPTH, MAX_VALUES } from './located.ts'

/** Parses JSON with comments. */
export function parseJson(text: string): FormatResult {
  const excess = findExcess(text)
  if (excess !== undefined) return { complaints: [excess] }
  const errors: ParseError[] = []
  const root = parseTree(text, errors, { allowTrailingComma: true, allowEmptyContent: true })
  if (errors.length > 0) return { complaints: errors.map((error) => toComplaint(error, text)) }
  return { root: root && locate(root), complaints: [] }
}

// The scanner's kinds of token, which its types offer only as a const enum.
const TOKEN = { openBrace: 1, closeBrace: 2, openBracket: 3, closeBracket: 4, end: 17 } as const

// Before the parser, which recurses: a file of a million brackets must not overflow the stack.
function findExcess(text: string): Complaint | undefined {
  const scanner = createScanner(text, true)
  let depth = 0
  let tokens = 0
  for (let token: number = scanner.scan(); token !== TOKEN.end; token = scanner.scan()) {
    if (token === TOKEN.openBrace || token === TOKEN.openBracket) depth++
    if (token === TOKEN.closeBrace || token === TOKEN.closeBracket) depth--
    const offset = scanner.getTokenOffset()
    if (depth > MAX_DEPTH) return { kind: 'too-large', offset, message: `Expected at most ${MAX_DEPTH} levels.` }
    if (++tokens > MAX_VALUES * 4) {
      return { kind: 'too-large', offset, message: `Expected at most ${MAX_VALUES} values.` }
    }
  }
  return undefined
}

function locate(node: Node): Located {
  const { offset, children = [] } = node
  if (node.type === 'array') return { kind: 'list', offset, items: children.map(locate) }
  if (node.type === 'object') return { kind: 'object', offset, entries: children.flatMap(toEntries) }
  return { kind: 'scalar', offset, value: node.value as unknown }
}

function toEntries({ children: [key, value] = [] }: Node): Entry[] {
  if (key === undefined || value === undefined) return []
  return [{ key: String(key.value), keyOffset: key.offset, value: locate(value) }]
}

const EXPECTED: Readonly<Record<string, string>> = {
  InvalidSymbol: 'Expected a value: text in double quotes, a number, true, false or null',
  InvalidNumberFormat: 'Expected a number',
  PropertyNameExpected: 'Expected a key in double quotes',
  ValueExpected: 'Expected a value',
  ColonExpected: 'Expected ":" after the key',
  CommaExpected: 'Expected ","',
  CloseBraceExpected: 'Expected "}"',
  CloseBracketExpected: 'Expected "]"',
  EndOfFileExpected: 'Expected the end of the file',
  UnexpectedEndOfComment: 'Expected "*/" to end the comment',
  UnexpectedEndOfString: 'Expected a closing double quote',
  UnexpectedEndOfNumber: 'Expected the digits of a number',
  InvalidUnicode: 'Expected four hexadecimal digits after \\u',
  InvalidEscapeCharacter: 'Expected one of " \\ / b f n r t u after the backslash',
  InvalidCharacter: 'Expected no control character here; write it as an escape such as \\n',
}

function toComplaint({ error, offset, length }: ParseError, text: string): Complaint {
  const expected = EXPECTED[printParseErrorCode(error)] ?? 'Expected JSON'
  if (offset >= text.trimEnd().length) return { offset, message: `${expected}, but the file ends here.` }
  const [came = ''] = text.slice(offset, offset + Math.min(Math.max(length, 1), 40)).split('\n')
  return { offset, message: `${expected}, but here is ${JSON.stringify(came)}.` }
}
