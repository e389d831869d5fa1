// Edits JSON as text: what is put in goes between the bytes that are there, and taking it out leaves them as they were.
// Comments, trailing commas, tabs and odd spacing stay. (A formatter would lay out whole lines anew.)

import { type Node, type ParseError, parseTree, printParseErrorCode } from 'jsonc-parser'
import { show } from '../../engine/errors.ts'
import type { TextProblem } from './install-file.ts'

/** Thrown inside an edit; `editJson` turns it into a value. */
class JsonProblem extends Error {
  readonly offset: number

  constructor(offset: number, message: string) {
    super(message)
    this.offset = offset
  }
}

/** Runs an edit on a text; a text that is not a JSON object is a problem with its place. */
export function editJson(text: string, edit: (json: JsonText) => void): string | TextProblem {
  // Editors on Windows begin files with a byte order mark, which is no part of the JSON.
  const mark = text.startsWith('\uFEFF') ? '\uFEFF' : ''
  const json = new JsonText(text.slice(mark.length))
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

  constructor(text: string) {
    this.text = text
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

  /** The node at a path of keys; if a key occurs twice, the last one counts, as for readers of the file. */
  at(path: readonly string[]): Node | undefined {
    let node: Node | undefined = this.root()
    for (const key of path) node = node?.type === 'object' ? propertyOf(node, key) : undefined
    return node
  }

  /** The items of the list at a path; none when it is missing. A value of another kind is a problem. */
  items(path: readonly string[]): readonly Node[] {
    for (let depth = 1; depth < path.length; depth++) this.#expect(path.slice(0, depth), 'object')
    return this.#expect(path, 'array')?.children ?? []
  }

  /** Appends to the list at a path, making what is missing on the way. */
  append(path: readonly string[], value: unknown): void {
    this.items(path)
    const parents = path.slice(0, -1)
    for (let depth = 1; depth <= parents.length; depth++) this.#ensureObject(parents.slice(0, depth))
    const list = this.at(path)
    if (list !== undefined) this.#insert(list, render(value))
    else this.#insert(this.at(parents) as Node, `${JSON.stringify(path.at(-1))}: ${render([value])}`)
  }

  /** Puts another value in a node's place. */
  replace({ offset, length }: Node, value: unknown): void {
    this.#splice(offset, offset + length, render(value))
  }

  /** Takes a node out of its list or object; a property goes with its key. */
  remove(node: Node): void {
    const whole = node.parent?.type === 'property' ? node.parent : node
    const container = whole.parent
    const siblings = container?.children ?? []
    const index = siblings.indexOf(whole)
    const previous = siblings[index - 1]
    const next = siblings[index + 1]
    if (container === undefined) return
    if (previous !== undefined) this.#splice(endOf(previous), endOf(whole), '')
    else if (next !== undefined) this.#splice(whole.offset, next.offset, '')
    else this.#removeOnly(container, whole)
  }

  #expect(path: readonly string[], type: 'object' | 'array'): Node | undefined {
    const node = this.at(path)
    if (node === undefined || node.type === type) return node
    const kind = type === 'object' ? 'an object' : 'a list'
    throw new JsonProblem(node.offset, `Expected ${kind} under ${path.join('.')}, but here is ${show(node.type)}.`)
  }

  #ensureObject(path: readonly string[]): void {
    if (this.at(path) !== undefined) return
    this.#insert(this.at(path.slice(0, -1)) as Node, `${JSON.stringify(path.at(-1))}: {}`)
  }

  #insert(container: Node, content: string): void {
    const last = container.children?.at(-1)
    if (last !== undefined) {
      const indent = this.#ownLineIndent(last.offset)
      const gap = indent === undefined ? ' ' : this.#eol() + indent
      this.#splice(endOf(last), endOf(last), `,${gap}${content}`)
      return
    }
    const at = container.offset + 1
    this.#splice(at, at, this.#eol() + this.#lineIndent(at) + this.#unit() + content + this.#closing(container))
  }

  // The only one in its container: the inverse of putting it into an empty one.
  #removeOnly(container: Node, node: Node): void {
    const start = container.offset + 1
    const gap = this.text.slice(start, node.offset)
    const end = endOf(node)
    const closing = this.#closing(container)
    const isComment = gap.trim() !== ''
    const stop = !isComment && this.text.startsWith(closing, end) ? end + closing.length : end
    this.#splice(isComment ? node.offset : start, stop, '')
    if (isComment) return
    // A trailing comma of an only item would be left alone in an empty list.
    const comma = /^\s*,/.exec(this.text.slice(start))
    if (comma !== null) this.#splice(start, start + comma[0].length, '')
  }

  #closing(container: Node): string {
    return this.#eol() + this.#lineIndent(container.offset)
  }

  #splice(start: number, end: number, content: string): void {
    this.text = this.text.slice(0, start) + content + this.text.slice(end)
  }

  #eol(): string {
    return this.text.includes('\r\n') ? '\r\n' : '\n'
  }

  #unit(): string {
    return /\n([ \t]+)\S/.exec(this.text)?.[1] ?? '  '
  }

  #lineIndent(offset: number): string {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1
    return /^[ \t]*/.exec(this.text.slice(start, offset))?.[0] ?? ''
  }

  // The white space before the first token of a line; undefined for other tokens.
  #ownLineIndent(offset: number): string | undefined {
    const start = this.text.lastIndexOf('\n', offset - 1) + 1
    const before = this.text.slice(start, offset)
    return start > 0 && before.trim() === '' ? before : undefined
  }
}

function propertyOf(node: Node, key: string): Node | undefined {
  const property = node.children?.findLast(({ children: [name] = [] }) => name?.value === key)
  return property?.children?.[1]
}

function endOf({ offset, length }: Node): number {
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
