// Assignments to variables and arrays.

import type { Assignment } from 'unbash'
import type { Span } from '../assessment.ts'
import { type Frame, makeField, spanAt, type Walk } from './context.ts'
import { MAX_VALUE_CHARS } from './limits.ts'
import type { Scope, Value } from './scope.ts'
import { expandText, expandTilde, expandWords } from './words.ts'

/** Makes an assignment and answers the value the variable has now. */
export function assign(walk: Walk, node: Assignment, frame: Frame, scope: Scope): Value {
  const value = readAssignment(walk, node, frame, scope)
  store(walk, node.name, value, spanAt(frame, node.pos, node.end), scope)
  return value
}

/** The value a variable would have after an assignment. */
export function readAssignment(walk: Walk, node: Assignment, frame: Frame, scope: Scope): Value {
  const value = readValue(walk, node, frame, scope)
  return combine(scope.get(node.name), value, node, readIndex(walk, node, frame, scope))
}

/** Sets a variable, and notes that the text does so. */
export function store(walk: Walk, name: string, value: Value, span: Span, scope: Scope): void {
  scope.set(name, value)
  const word = makeField(value.text, span, value.isKnown)
  walk.assigned.set(name, word)
  if (scope.exported.has(name)) scope.export(name, word)
}

function readIndex(walk: Walk, node: Assignment, frame: Frame, scope: Scope): string | undefined {
  return node.index && expandText(walk, node.index, frame, scope).text
}

function readValue(walk: Walk, node: Assignment, frame: Frame, scope: Scope): Value {
  if (node.value.type === 'Word') {
    const { text, isKnown, from, at } = expandText(walk, node.value, frame, scope)
    // The shell expands a tilde after a colon as well.
    const isPath = text.includes(':~') && node.value.text.includes(':~')
    return {
      text: isPath
        ? text
            .split(':')
            .map((part) => expandTilde(part, scope))
            .join(':')
        : text,
      isKnown,
      from,
      at,
    }
  }
  const items = new Map<string, Value>()
  let next = 0
  for (const field of expandWords(walk, node.value.elements, frame, scope)) {
    // `[key]=value` names its place.
    const keyed = /^\[([^\]]{1,200})\]=/.exec(field.text)
    const key = keyed?.[1] ?? String(next)
    const text = keyed ? field.text.slice(keyed[0].length) : field.text
    items.set(key, { text, isKnown: field.isKnown && !field.isGlob, from: field.from })
    if (/^\d{1,9}$/.test(key)) next = Number(key) + 1
  }
  return ofItems(items)
}

function combine(old: Value | undefined, value: Value, node: Assignment, index: string | undefined): Value {
  if (index !== undefined) {
    const items = new Map(old?.items ?? [])
    const before = node.append ? items.get(index) : undefined
    return ofItems(items.set(index, before ? join(before, value) : value))
  }
  if (!node.append) return value
  if (!value.items) return old ? join(old, value) : { ...value, text: `$${node.name}${value.text}`, isKnown: false }
  const items = new Map(old?.items ?? [])
  for (const item of value.items.values()) items.set(String(items.size), item)
  return ofItems(items)
}

function join(before: Value, after: Value): Value {
  const isShort = before.text.length + after.text.length <= MAX_VALUE_CHARS
  const from = before.from || after.from ? [...(before.from ?? []), ...(after.from ?? [])] : undefined
  return {
    text: isShort ? before.text + after.text : before.text,
    isKnown: before.isKnown && after.isKnown && isShort,
    from,
  }
}

function ofItems(items: ReadonlyMap<string, Value>): Value {
  const first = items.get('0') ?? items.values().next().value
  return { text: first?.text ?? '', isKnown: first?.isKnown ?? true, items, from: first?.from }
}
