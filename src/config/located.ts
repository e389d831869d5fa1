// A parsed document in one form for JSON and YAML: plain values with the offset of each key and value.

import { show } from '../engine/errors.ts'
import type { Position } from './position.ts'
import { formatKey, type Problem, problem } from './problem.ts'

/** A value with its offset in the text. */
export type Located =
  | { readonly kind: 'scalar'; readonly offset: number; readonly value: unknown }
  | { readonly kind: 'list'; readonly offset: number; readonly items: readonly Located[] }
  | { readonly kind: 'object'; readonly offset: number; readonly entries: readonly Entry[] }

/** One key of an object. */
export interface Entry {
  readonly key: string
  readonly keyOffset: number
  readonly value: Located
}

/** The result of a parser: a tree, or complaints with offsets. */
export interface FormatResult {
  readonly root?: Located | undefined
  readonly complaints: readonly Complaint[]
}

/** One complaint of a parser. */
export interface Complaint {
  readonly offset: number
  readonly message: string
  readonly kind?: 'syntax' | 'too-large'
}

/** How deep a document may nest; a configuration needs five. */
export const MAX_DEPTH = 64

/** How many values a document may hold, aliases counted each time. */
export const MAX_VALUES = 100_000

/** The plain value of a located one. */
export function toPlain(node: Located): unknown {
  if (node.kind === 'scalar') return node.value
  if (node.kind === 'list') return node.items.map(toPlain)
  return Object.fromEntries(node.entries.map(({ key, value }) => [key, toPlain(value)]))
}

/** The offset of the value or key at a path; of the nearest existing parent where the path does not exist. */
export function offsetAt(root: Located, path: readonly PropertyKey[], at: 'key' | 'value'): number {
  let node = root
  let offset = root.offset
  for (const [index, part] of path.entries()) {
    const isLast = index === path.length - 1
    const child = findChild(node, part)
    if (child === undefined) return offset
    offset = isLast && at === 'key' ? child.keyOffset : child.value.offset
    node = child.value
  }
  return offset
}

function findChild(node: Located, part: PropertyKey): Entry | undefined {
  if (node.kind === 'object') return node.entries.find(({ key }) => key === part)
  const item = node.kind === 'list' ? node.items[Number(part)] : undefined
  return item && { key: String(part), keyOffset: item.offset, value: item }
}

/** Finds duplicate keys and keys that reach prototypes. */
export function findBadKeys(root: Located, file: string, positionOf: (offset: number) => Position): Problem[] {
  const found: Problem[] = []
  const visit = (node: Located, path: readonly PropertyKey[]): void => {
    if (node.kind === 'list') for (const [index, item] of node.items.entries()) visit(item, [...path, index])
    if (node.kind !== 'object') return
    const first = new Map<string, number>()
    for (const { key, keyOffset, value } of node.entries) {
      const where = { key: formatKey([...path, key]), position: positionOf(keyOffset) }
      const earlier = first.get(key)
      if (earlier !== undefined) {
        const line = positionOf(earlier).line
        found.push(problem('invalid', file, `The key ${show(key)} is given twice, first in line ${line}.`, where))
      } else if (key === '__proto__') {
        found.push(problem('invalid', file, 'The key "__proto__" cannot be used.', where))
      }
      first.set(key, first.get(key) ?? keyOffset)
      visit(value, [...path, key])
    }
  }
  visit(root, [])
  return found
}
