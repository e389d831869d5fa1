// One change of a JSON file with comments, as the smallest change of its text: nothing else moves, no comment is lost.
// Works on text that parses; whether the result is what was meant is checked by the caller.

import { type Node, parseTree } from 'jsonc-parser'
import type { KeyPath } from './key-path.ts'

/** Puts a value at a path; undefined takes the key away. Gives nothing where the path leads through something else. */
export function editJson(text: string, path: KeyPath, value: unknown): string | undefined {
  const root = parseTree(text, [], { allowTrailingComma: true })
  if (root === undefined) return undefined
  const { node, rest } = descend(root, path)
  if (value === undefined) return rest.length > 0 ? text : removeFrom(text, node)
  if (rest.length === 0) return replaceAt(text, node, value)
  const [key, ...inner] = rest
  if (node.type !== 'object' || typeof key !== 'string') return undefined
  if (inner.some((part) => typeof part === 'number')) return undefined
  return insertInto(text, node, key, nest(inner, value))
}

interface Reached {
  readonly node: Node
  /** What of the path does not exist yet. */
  readonly rest: KeyPath
}

function descend(root: Node, path: KeyPath): Reached {
  let node = root
  for (const [index, part] of path.entries()) {
    const next = childAt(node, part)
    if (next === undefined) return { node, rest: path.slice(index) }
    node = next
  }
  return { node, rest: [] }
}

function childAt({ type, children = [] }: Node, part: string | number): Node | undefined {
  if (type === 'array') return typeof part === 'number' ? children[part] : undefined
  if (type !== 'object') return undefined
  return children.find(({ children: [key] = [] }) => key?.value === part)?.children?.[1]
}

function nest(path: KeyPath, value: unknown): unknown {
  return path.reduceRight<unknown>((inner, part) => Object.fromEntries([[part, inner]]), value)
}

function replaceAt(text: string, { offset, length }: Node, value: unknown): string {
  const shown = showJson(value, text, indentOfLine(text, offset))
  return text.slice(0, offset) + shown + text.slice(offset + length)
}

// After the last property, in the style of the file: on a new line if the object has lines, else on the same line.
function insertInto(text: string, { offset, length, children = [] }: Node, key: string, value: unknown): string {
  const end = offset + length - 1
  const last = children.at(-1)
  const lineIndent = indentOfLine(text, offset)
  const isOnLines = text.slice(offset, end).includes('\n') || last === undefined
  const indent = isOnLines && last !== undefined ? indentOfLine(text, last.offset) : lineIndent + detectIndent(text)
  const property = `${JSON.stringify(key)}: ${showJson(value, text, isOnLines ? indent : lineIndent)}`
  const eol = detectEol(text)
  if (last === undefined) return insertIntoEmpty(text, { offset, end }, `${indent}${property}`, lineIndent)
  const lastEnd = last.offset + last.length
  const comma = findComma(text, lastEnd, end)
  // A comment at the end of the last property's line stays with it.
  const place = endOfContent(text, comma === undefined ? lastEnd : comma + 1, end)
  const separator = isOnLines ? `${eol}${indent}` : ' '
  const trailing = comma === undefined ? '' : ','
  const before = text.slice(0, lastEnd) + (comma === undefined ? ',' : '') + text.slice(lastEnd, place)
  return `${before}${separator}${property}${trailing}${text.slice(place)}`
}

function insertIntoEmpty(text: string, at: { offset: number; end: number }, line: string, indent: string): string {
  const eol = detectEol(text)
  const inside = text.slice(at.offset + 1, at.end).trimEnd()
  return `${text.slice(0, at.offset + 1)}${inside}${eol}${line}${eol}${indent}${text.slice(at.end)}`
}

// Past the comments on the rest of this line.
function endOfContent(text: string, from: number, end: number): number {
  const rest = /^(?:[ \t]|\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:\/\/[^\r\n]*)?/.exec(text.slice(from, end))?.[0] ?? ''
  return from + rest.trimEnd().length
}

function findComma(text: string, from: number, end: number): number | undefined {
  for (let at = from; at < end; ) {
    const next = skipBlank(text, at, end)
    if (text[next] === ',') return next
    if (next === at) return undefined
    at = next
  }
  return undefined
}

// To the next character that is neither blank nor comment.
function skipBlank(text: string, from: number, end: number): number {
  const blank = /^(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, end))?.[0] ?? ''
  return from + blank.length
}

// The property or item with one comma beside it; the text around it stays, above all comments.
function removeFrom(text: string, node: Node): string | undefined {
  const own = node.parent?.type === 'property' ? node.parent : node
  const owner = own.parent
  if (owner === undefined) return undefined
  const siblings = owner.children ?? []
  const index = siblings.indexOf(own)
  const [start, end] = [own.offset, own.offset + own.length]
  const after = findComma(text, end, owner.offset + owner.length - 1)
  if (after !== undefined) return withoutLine(text.slice(0, start), text.slice(end, after) + text.slice(after + 1))
  const previous = siblings[index - 1]
  const before = previous && findComma(text, previous.offset + previous.length, start)
  const head = before === undefined ? text.slice(0, start) : text.slice(0, before) + text.slice(before + 1, start)
  return withoutLine(head, text.slice(end))
}

// A line that held nothing else goes too.
function withoutLine(head: string, tail: string): string {
  const lead = /(?:^|\n)[ \t]*$/.exec(head)
  const rest = /^[ \t]*\r?\n/.exec(tail)
  if (lead !== null && rest !== null) return head.replace(/[ \t]*$/, '') + tail.slice(rest[0].length)
  return (
    head.replace(/[ \t]+$/, (blank) => (lead === null ? '' : blank)) +
    (lead === null ? tail : tail.replace(/^[ \t]+/, ''))
  )
}

function showJson(value: unknown, text: string, indent: string): string {
  const lines = JSON.stringify(value, null, detectIndent(text)).split('\n')
  return lines.join(`${detectEol(text)}${indent}`)
}

function indentOfLine(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

function detectIndent(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

function detectEol(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}
