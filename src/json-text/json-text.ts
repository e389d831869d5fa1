// Edits JSON files of people as text, for the settings of agents and for ARC's own configuration: a change is the smallest
// change of the text, and everything else stays as it is, to the byte. Comments, trailing commas, tabs and odd spacing stay.
// (A formatter would lay out whole lines anew.)

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { show } from '../engine/errors.ts'
import { endOfContent, findComma, findEol, findUnit, lineIndent, ownLineIndent, withoutLine } from './layout.ts'

/** Names of keys, and numbers for items of lists. */
export type JsonPath = readonly (string | number)[]

/** How new values are written: each on one line, or with a line for each of their fields. */
export type ValueLayout = 'line' | 'lines'

/** Where in a text something is wrong; positions count from 1. */
export interface TextProblem {
  readonly line: number
  readonly column: number
  readonly message: string
}

/** Thrown inside an edit; `editJson` turns it into a value. */
class JsonProblem extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/**
 * Runs an edit on a text; a text that is not a JSON object is a problem with its place.
 * @example
 * editJson('{ "a": 1 /* one *\/ }', (json) => void json.set(['a'], 2)) // { "a": 2 /* one *\/ }
 */
export function editJson(
  text: string,
  edit: (json: JsonText) => void,
  layout: ValueLayout = 'line',
): string | TextProblem {
  // Editors on Windows begin files with a byte order mark, which is no part of the JSON.
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const json = new JsonText(text.slice(mark.length), layout)
  try {
    json.root()
    edit(json)
    return mark + json.text
  } catch (error) {
    if (!(error instanceof JsonProblem)) throw error
    return { ...findTextPosition(json.text, error.offset), message: error.message }
  }
}

/** Line and column of an offset, both from 1. */
export function findTextPosition(text: string, offset: number): { line: number; column: number } {
  const before = text.slice(0, offset)
  return { line: before.split('\n').length, column: offset - before.lastIndexOf('\n') }
}

/** A JSON text under edit. Every edit parses anew: the files are small, and offsets are then never stale. */
export class JsonText {
  text: string
  readonly #layout: ValueLayout

  constructor(text: string, layout: ValueLayout) {
    this.text = text
    this.#layout = layout
  }

  /** The object that the text holds. */
  root(): Node {
    const errors: ParseError[] = []
    const root = parseTree(this.text, errors, { allowTrailingComma: true })
    const [error] = errors
    if (error !== undefined) throw new JsonProblem(error.offset, whatIsWrong(error, this.text))
    if (root?.type !== 'object') throw new JsonProblem(0, 'Expected an object, { … }.')
    return root
  }

  /** The node at a path; if a key occurs twice, the last one counts, as for readers of the file. */
  at(path: JsonPath): Node | undefined {
    const { node, missing } = this.#descend(path)
    return missing.length === 0 ? node : undefined
  }

  /** The items of the list at a path; none when it is missing. A value of another kind is a problem. */
  items(path: readonly string[]): readonly Node[] {
    for (let depth = 1; depth < path.length; depth++) this.#expect(path.slice(0, depth), 'object')
    return this.#expect(path, 'array')?.children ?? []
  }

  /** Sets the value at a path, with the objects on the way. False if the path leads through another kind of value. */
  set(path: JsonPath, value: unknown): boolean {
    const { node, missing } = this.#descend(path)
    const [key, ...inner] = missing
    if (key === undefined) {
      this.replace(node, value)
      return true
    }
    if (node.type !== 'object' || missing.some((part) => typeof part === 'number')) return false
    const nested = inner.reduceRight<unknown>((held, part) => Object.fromEntries([[part, held]]), value)
    this.#insert(node, (indent) => `${JSON.stringify(key)}: ${this.#render(nested, indent)}`)
    return true
  }

  /** Appends to the list at a path, making what is missing on the way. */
  append(path: readonly string[], value: unknown): void {
    this.items(path)
    const list = this.at(path)
    if (list !== undefined) {
      this.#insert(list, (indent) => this.#render(value, indent))
      return
    }
    // Each object on the way gets its lines, so that the next entry has a place.
    const parents = path.slice(0, -1)
    for (let depth = 1; depth <= parents.length; depth++) {
      const parent = parents.slice(0, depth)
      if (this.at(parent) === undefined) this.set(parent, {})
    }
    this.set(path, [value])
  }

  /** Puts another value in a node's place. */
  replace({ offset, length }: Node, value: unknown): void {
    this.#splice(offset, offset + length, this.#render(value, lineIndent(this.text, offset)))
  }

  /** Removes a node from its list or object, with one comma beside it; a property goes with its key. Comments stay. */
  remove(node: Node): void {
    const whole = node.parent?.type === 'property' ? node.parent : node
    const container = whole.parent
    if (container === undefined) return
    const siblings = container.children ?? []
    const previous = siblings[siblings.indexOf(whole) - 1]
    const { text } = this
    const [start, end] = [whole.offset, endOffset(whole)]
    const after = findComma(text, end, endOffset(container) - 1)
    const before = previous && findComma(text, endOffset(previous), start)
    if (after !== undefined) {
      this.text = withoutLine(text.slice(0, start), text.slice(end, after) + text.slice(after + 1))
    } else if (before !== undefined) {
      this.text = withoutLine(text.slice(0, before) + text.slice(before + 1, start), text.slice(end))
    } else {
      this.text = withoutLine(text.slice(0, start), text.slice(end))
    }
  }

  #descend(path: JsonPath): { readonly node: Node; readonly missing: JsonPath } {
    let node = this.root()
    for (const [index, part] of path.entries()) {
      const next = childAt(node, part)
      if (next === undefined) return { node, missing: path.slice(index) }
      node = next
    }
    return { node, missing: [] }
  }

  #expect(path: readonly string[], type: 'object' | 'array'): Node | undefined {
    const node = this.at(path)
    if (node === undefined || node.type === type) return node
    const kind = type === 'object' ? 'an object' : 'a list'
    throw new JsonProblem(node.offset, `Expected ${kind} under ${path.join('.')}, but here is ${show(node.type)}.`)
  }

  // After the last one, in the style of the file: on a new line if the last one is, else on the same line.
  #insert(container: Node, content: (indent: string) => string): void {
    const last = container.children?.at(-1)
    if (last === undefined) this.#insertFirst(container, content)
    else this.#insertAfter(container, last, content)
  }

  #insertAfter(container: Node, last: Node, content: (indent: string) => string): void {
    const { text } = this
    const end = endOffset(container) - 1
    const comma = findComma(text, endOffset(last), end)
    const from = comma === undefined ? endOffset(last) : comma + 1
    const indent = ownLineIndent(text, last.offset)
    // A comment at the end of the line stays with the last one.
    const place = indent === undefined ? from : endOfContent(text, from, end)
    const gap = indent === undefined ? ' ' : findEol(text) + indent
    const added = gap + content(indent ?? lineIndent(text, last.offset)) + (comma === undefined ? '' : ',')
    this.#splice(place, place, added)
    if (comma === undefined) this.#splice(endOffset(last), endOffset(last), ',')
  }

  // On its own line, after the comments.
  #insertFirst(container: Node, content: (indent: string) => string): void {
    const { text } = this
    const [start, end] = [container.offset + 1, endOffset(container) - 1]
    const outer = lineIndent(text, container.offset)
    const indent = outer + findUnit(text)
    const place = start + text.slice(start, end).trimEnd().length
    const closing = text.slice(place, end).includes('\n') ? '' : findEol(text) + outer
    this.#splice(place, place, findEol(text) + indent + content(indent) + closing)
  }

  #render(value: unknown, indent: string): string {
    if (this.#layout === 'line') return render(value)
    return JSON.stringify(value, null, findUnit(this.text))
      .split('\n')
      .join(`${findEol(this.text)}${indent}`)
  }

  #splice(start: number, end: number, content: string): void {
    this.text = this.text.slice(0, start) + content + this.text.slice(end)
  }
}

function childAt({ type, children = [] }: Node, part: string | number): Node | undefined {
  if (type === 'array') return typeof part === 'number' ? children[part] : undefined
  if (type !== 'object') return undefined
  return children.findLast(({ children: [key] = [] }) => key?.value === part)?.children?.[1]
}

function endOffset({ offset, length }: Node): number {
  return offset + length
}

/** A value on one line, as people write it. */
export function render(value: unknown): string {
  if (Array.isArray(value)) return `[${value.map(render).join(', ')}]`
  if (typeof value !== 'object' || value === null) return JSON.stringify(value)
  const fields = Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${render(item)}`)
  return fields.length === 0 ? '{}' : `{ ${fields.join(', ')} }`
}

function whatIsWrong({ error, offset, length }: ParseError, text: string): string {
  const kind = printParseErrorCode(error)
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
  if (offset >= text.trimEnd().length) return `This is not JSON (${kind}): the file ends here.`
  const [came = ''] = text.slice(offset, offset + Math.min(Math.max(length, 1), 40)).split('\n')
  return `This is not JSON (${kind}) at ${JSON.stringify(came)}.`
}
