// One change of a YAML file as the smallest change of its text: nothing else moves, no comment is lost.
// Where the text gives no simple place, the document is written anew by the library, which keeps comments but not the
// layout. Whether the result is what was meant is checked by the caller.

import { type Document, isMap, isScalar, isSeq, type Node, type Pair, parseDocument, type YAMLMap } from 'yaml'
import type { KeyPath } from './key-path.ts'

/** Puts a value at a path; undefined takes the key away. The ways to do it, the gentlest first. */
export function* editYaml(text: string, path: KeyPath, value: unknown): Generator<string> {
  const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
  const reached = descend(document.contents, path)
  if (value === undefined && reached.rest.length > 0) {
    yield text
    return
  }
  const gentle = value === undefined ? removePair(text, reached) : putValue(text, reached, value)
  if (gentle !== undefined) yield gentle
  const rewritten = rewrite(document, path, value)
  if (rewritten === undefined || (value !== undefined && !keepsComments(text, rewritten))) return
  yield text.includes('\r\n') ? rewritten.replace(/\r?\n/g, '\r\n') : rewritten
}

function rewrite(document: Document.Parsed, path: KeyPath, value: unknown): string | undefined {
  try {
    if (value === undefined) document.deleteIn(path)
    else document.setIn(path, document.createNode(value))
    return document.toString({ lineWidth: 0 })
  } catch {
    // A path through an alias or a plain value, for which there is no gentle way either.
    return undefined
  }
}

function keepsComments(before: string, after: string): boolean {
  const readComments = (text: string) => (text.match(/(?:^|\s)#[^\r\n]*/g) ?? []).map((comment) => comment.trim())
  const kept = readComments(after)
  return readComments(before).every((comment) => kept.includes(comment))
}

interface Reached {
  readonly node: unknown
  /** The pair that holds the node, and the map that holds the pair. */
  readonly pair?: Pair | undefined
  readonly map?: YAMLMap | undefined
  /** What of the path does not exist yet. */
  readonly rest: KeyPath
}

function descend(root: unknown, path: KeyPath): Reached {
  let reached: Reached = { node: root, rest: path }
  for (const [index, part] of path.entries()) {
    const { node } = reached
    const rest = path.slice(index + 1)
    if (isSeq(node) && typeof part === 'number' && part < node.items.length) reached = { node: node.items[part], rest }
    else if (!isMap(node)) return reached
    else {
      const pair = node.items.find(({ key }) => isScalar(key) && String(key.value) === String(part))
      if (pair === undefined) return reached
      reached = { node: pair.value, pair, map: node, rest }
    }
  }
  return reached
}

function putValue(text: string, { node, pair, rest }: Reached, value: unknown): string | undefined {
  if (rest.some((part) => typeof part === 'number')) return undefined
  const names = rest as readonly string[]
  if (names.length === 0) return replaceNode(text, node, pair, value)
  if (isMap(node))
    return node.flow === true ? insertFlow(text, node, names, value) : insertBlock(text, node, names, value)
  // A key without a value can take lines below it.
  const [start, end] = findRange(node)
  if (pair === undefined || !isScalar(node) || node.value !== null || start !== end) return undefined
  const indent = findColumn(text, findRange(pair.key)[0])
  return insertLines(text, endOfLine(text, start), splitLines(names, value, `${indent}  `))
}

function replaceNode(text: string, node: unknown, pair: Pair | undefined, value: unknown): string | undefined {
  const [start] = findRange(node)
  const end = endOfNode(node)
  if (end === -1) return undefined
  if (start === end) return `${text.slice(0, start)} ${inline(value)}${text.slice(start)}`
  const tail = /\s*$/.exec(text.slice(start, end))?.[0] ?? ''
  // The items of a list may have the indentation of their key; another value may not.
  const keyColumn = pair === undefined ? '' : findColumn(text, findRange(pair.key)[0])
  const lead = isSeq(node) && findColumn(text, start) === keyColumn ? '  ' : ''
  return `${text.slice(0, start)}${lead}${inline(value)}${tail}${text.slice(end)}`
}

function insertFlow(text: string, map: YAMLMap, names: readonly string[], value: unknown): string {
  const [first = '', ...inner] = names
  const property = `${inline(first)}: ${inline(inner.reduceRight<unknown>((held, name) => ({ [name]: held }), value))}`
  const last = map.items.at(-1)
  if (last === undefined) {
    const [, end] = findRange(map)
    return `${text.slice(0, end - 1).trimEnd()} ${property} ${text.slice(end - 1)}`
  }
  const place = endOfPair(last)
  return `${text.slice(0, place)}, ${property}${text.slice(place)}`
}

function insertBlock(text: string, map: YAMLMap, names: readonly string[], value: unknown): string | undefined {
  const [first, last] = [map.items[0], map.items.at(-1)]
  if (first === undefined || last === undefined) return undefined
  const lines = splitLines(names, value, findColumn(text, findRange(first.key)[0]))
  return insertLines(text, endOfLine(text, endOfPair(last)), lines)
}

// a: → b: → value, each on its own line, deeper by two.
function splitLines(names: readonly string[], value: unknown, indent: string): string[] {
  return names.map((name, depth) => {
    const lead = `${indent}${'  '.repeat(depth)}${inline(name)}:`
    return depth === names.length - 1 ? `${lead} ${inline(value)}` : lead
  })
}

function insertLines(text: string, place: number, lines: readonly string[]): string {
  const eol = text.includes('\r\n') ? '\r\n' : '\n'
  const lead = place > 0 && text[place - 1] !== '\n' ? eol : ''
  return `${text.slice(0, place)}${lead}${lines.join(eol)}${eol}${text.slice(place)}`
}

// The lines of a pair in a block; the comment at the end of its line stays, on a separate line.
function removePair(text: string, { pair, map }: Reached): string | undefined {
  if (pair === undefined || map === undefined || map.flow === true || map.items.length < 2) return undefined
  const [keyStart] = findRange(pair.key)
  const start = text.lastIndexOf('\n', keyStart - 1) + 1
  if (text.slice(start, keyStart).trim() !== '') return undefined
  const contentEnd = endOfPair(pair)
  const end = endOfLine(text, contentEnd)
  const comment = text.slice(contentEnd, end).trimStart()
  return `${text.slice(0, start)}${comment === '' ? '' : `${text.slice(start, keyStart)}${comment}`}${text.slice(end)}`
}

// Where the last of a pair's text ends, comments after it not counted.
function endOfPair({ key, value }: Pair): number {
  return Math.max(endOfNode(value), findRange(key)[1])
}

function endOfNode(node: unknown): number {
  const last = (isMap(node) || isSeq(node)) && node.flow !== true ? node.items.at(-1) : undefined
  if (last === undefined) return findRange(node)[1]
  return isMap(node) ? endOfPair(last as Pair) : endOfNode(last)
}

// After the end of this line; the place itself when a line has just ended.
function endOfLine(text: string, place: number): number {
  if (text[place - 1] === '\n') return place
  const next = text.indexOf('\n', place)
  return next === -1 ? text.length : next + 1
}

function findColumn(text: string, offset: number): string {
  return ' '.repeat(offset - (text.lastIndexOf('\n', offset - 1) + 1))
}

function findRange(node: unknown): readonly [number, number] {
  const [start = -1, end = -1] = (node as Node | null | undefined)?.range ?? []
  return [start, end]
}

// On one line: plain words as they are, everything else as JSON, which is YAML too.
function inline(value: unknown): string {
  if (typeof value === 'string' && /^[A-Za-z$][\w./$-]*$/.test(value) && !RESERVED.test(value)) return value
  if (Array.isArray(value)) return `[${value.map(inline).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const parts = Object.entries(value).map(([key, part]) => `${inline(key)}: ${inline(part)}`)
  return parts.length === 0 ? '{}' : `{ ${parts.join(', ')} }`
}

// Words that some reader of YAML takes for something else than text.
const RESERVED = /^(?:true|false|null|yes|no|on|off|y|n)$/i
