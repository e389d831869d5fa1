// YAML 1.2 into located values: one document, text keys, aliases followed within bounds.

import { type Alias, type Document, isAlias, isMap, isScalar, isSeq, type Node, parseDocument } from 'yaml'
import { show } from '../engine/errors.ts'
import type { Complaint, FormatResult } from './located.ts'
import { type Entry, type Located, MAX_DEPTH, MAX_VALUES } from './located.ts'

/** Parses YAML. */
export function parseYaml(text: string): FormatResult {
  const excess = findDeepLine(text)
  if (excess !== undefined) return { complaints: [excess] }
  try {
    // Keys given twice are found for both formats in one place, so not here.
    const document = parseDocument(text, { prettyErrors: false, uniqueKeys: false })
    const complaints = [...document.errors, ...document.warnings].map(({ message, pos: [offset] }) => {
      // The parser recurses; what overflows it is beyond any configuration.
      if (message.includes('call stack')) return tooDeep(offset)
      return { offset, message: `Expected YAML: ${message}${message.endsWith('.') ? '' : '.'}${tabHint(text, offset)}` }
    })
    return complaints.length > 0 ? { complaints } : new Locator(document).result()
  } catch (error) {
    if (error instanceof RangeError) return { complaints: [tooDeep(0)] }
    throw error
  }
}

function tooDeep(offset: number): Complaint {
  return { kind: 'too-large', offset, message: `Expected at most ${MAX_DEPTH} levels.` }
}

// Openers in a row, before the parser, which recurses and slows down with depth. What it misses, the tree shows.
function findDeepLine(text: string): Complaint | undefined {
  const opener = new RegExp(`(?:(?:[[{?]|- )\\s*){${MAX_DEPTH + 1},}`)
  const found = opener.exec(text)
  return found === null ? undefined : tooDeep(found.index)
}

function tabHint(text: string, offset: number): string {
  return text[offset] === '\t' ? ' Indent with spaces, not tabs.' : ''
}

class Locator {
  readonly #document: Document.Parsed
  readonly #complaints: Complaint[] = []
  readonly #targets = new Map<Alias, unknown>()
  #values = 0

  constructor(document: Document.Parsed) {
    this.#document = document
  }

  result(): FormatResult {
    const { contents } = this.#document
    if (contents === null || (isScalar(contents) && contents.value === null)) return { complaints: [] }
    const root = this.#locate(contents, 0, findOffset(contents, 0))
    return { root, complaints: this.#complaints }
  }

  #locate(node: unknown, depth: number, offset: number): Located {
    if (this.#complaints.length > 0) return { kind: 'scalar', offset, value: null }
    if (depth > MAX_DEPTH) return this.#refuse(offset, `Expected at most ${MAX_DEPTH} levels.`)
    if (++this.#values > MAX_VALUES) return this.#refuse(offset, `Expected at most ${MAX_VALUES} values.`)
    // An alias is reported where it is used; its depth is bounded, so a circle of them ends too.
    if (isAlias(node)) return this.#locate(this.#target(node, offset), depth + 1, offset)
    if (isSeq(node)) {
      const items = node.items.map((item) => this.#locate(item, depth + 1, findOffset(item, offset)))
      return { kind: 'list', offset, items }
    }
    if (isMap(node)) {
      return { kind: 'object', offset, entries: node.items.map((pair) => this.#entry(pair, depth, offset)) }
    }
    return { kind: 'scalar', offset, value: isScalar(node) ? node.value : null }
  }

  // Remembered, because finding one walks the document.
  #target(alias: Alias, offset: number): unknown {
    const target = this.#targets.get(alias) ?? alias.resolve(this.#document)
    this.#targets.set(alias, target)
    if (target === undefined) this.#complaints.push({ offset, message: `There is no anchor &${alias.source}.` })
    return target
  }

  #entry(pair: { key: unknown; value: unknown }, depth: number, parent: number): Entry {
    const keyOffset = findOffset(pair.key, parent)
    const key = isScalar(pair.key) ? pair.key.value : undefined
    if (typeof key === 'object' || key === undefined) {
      this.#complaints.push({ offset: keyOffset, message: `Expected a text as the key, not ${show(key)}.` })
    }
    return {
      key: String(key),
      keyOffset,
      value: this.#locate(pair.value, depth + 1, findOffset(pair.value, keyOffset)),
    }
  }

  #refuse(offset: number, message: string): Located {
    this.#complaints.push({ kind: 'too-large', offset, message })
    return { kind: 'scalar', offset, value: null }
  }
}

function findOffset(node: unknown, otherwise: number): number {
  return (node as Node | null | undefined)?.range?.[0] ?? otherwise
}
