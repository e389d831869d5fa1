// Assignments to variables and arrays.

import type { Assignment } from 'unbash'
import { type Frame, spanAt } from '../frame.ts'
import type { InterpreterPort } from '../interpreter-port.ts'
import { MAX_VALUE_CHARS } from '../limits.ts'
import type { Scope, Value } from '../scope.ts'
import { expandText, expandTilde, expandWords } from './words.ts'

/** Makes an assignment and returns the new value of the variable. */
export function assign(shell: InterpreterPort, node: Assignment, frame: Frame, scope: Scope): Value {
  const value = readAssignment(shell, node, frame, scope)
  shell.setVariable(node.name, value, spanAt(frame, node.pos, node.end), scope)
  return value
}

/** The value a variable would have after an assignment. */
export function readAssignment(shell: InterpreterPort, node: Assignment, frame: Frame, scope: Scope): Value {
  const value = readValue(shell, node, frame, scope)
  return combine(scope.get(node.name), value, node, readIndex(shell, node, frame, scope))
}

function readIndex(shell: InterpreterPort, node: Assignment, frame: Frame, scope: Scope): string | undefined {
  return node.index && expandText(shell, node.index, frame, scope).text
}

function readValue(shell: InterpreterPort, node: Assignment, frame: Frame, scope: Scope): Value {
  if (node.value.type === 'Word') {
    const { text, isKnown, from, at } = expandText(shell, node.value, frame, scope)
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
  for (const field of expandWords(shell, node.value.elements, frame, scope)) {
    // `[key]=value` has an explicit key.
    const keyed = /^\[([^\]]{1,200})\]=/.exec(field.text)
    const key = keyed?.[1] ?? String(next)
    const text = keyed ? field.text.slice(keyed[0].length) : field.text
    items.set(key, { text, isKnown: field.isKnown && !field.isGlob, from: field.from })
    if (/^\d{1,9}$/.test(key)) next = Number(key) + 1
  }
  return makeArray(items)
}

function combine(old: Value | undefined, value: Value, node: Assignment, index: string | undefined): Value {
  if (index !== undefined) {
    const items = new Map(old?.items ?? [])
    const before = node.append ? items.get(index) : undefined
    return makeArray(items.set(index, before ? join(before, value) : value))
  }
  if (!node.append) return value
  if (!value.items) return old ? join(old, value) : { ...value, text: `$${node.name}${value.text}`, isKnown: false }
  const items = new Map(old?.items ?? [])
  for (const item of value.items.values()) items.set(String(items.size), item)
  return makeArray(items)
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

function makeArray(items: ReadonlyMap<string, Value>): Value {
  const first = items.get('0') ?? items.values().next().value
  return { text: first?.text ?? '', isKnown: first?.isKnown ?? true, items, from: first?.from }
}
