// What every handler shares: the interface, and how a text from outside the process becomes an answer.
// A handler is a function of a step that answers with a verdict or a Failure and never throws on purpose.

import { Failure } from '../../engine/degradation.ts'
import { clip } from '../../engine/errors.ts'

export type { Handler } from '../../engine/hook.ts'

/** The most that is kept of one output. */
export const MAX_OUTPUT_BYTES = 1024 * 1024

/** The most that is shown of an output in a reason. */
const SHOWN = 2_000

/**
 * Reads what a program, server or model answered. A JSON object is a verdict (checked by the engine), whatever noise of
 * a shell profile may surround it; of several, the last one counts. Nothing, or plain text, is a pass. JSON that
 * breaks off, or that is no verdict, is a failure: it must never be taken for plain text.
 */
export function readAnswerText(text: string): unknown {
  const trimmed = text.trim()
  if (trimmed === '') return undefined
  const whole = parseJson(trimmed)
  // A number alone is what counting programs print.
  if (whole !== undefined) return typeof whole.value === 'number' ? undefined : whole.value
  const { last, isBroken } = findObjects(trimmed)
  if (last !== undefined || !isBroken) return last
  return new Failure('invalid-output', `JSON that cannot be read: ${shown(trimmed)}`)
}

/** A text as it is shown in a reason: trimmed and not too long. */
export function shown(text: string): string {
  return clip(text.trim(), SHOWN)
}

// Where an object starts: at the beginning of a line, or before what can only be a key or an end.
const OBJECT_START = /^\{|\{\s*["}]/gm

// The last whole object in a text, unless one breaks off. An object inside a broken object is never an answer.
function findObjects(text: string): { readonly last?: unknown; readonly isBroken: boolean } {
  let last: unknown
  let isBroken = false
  OBJECT_START.lastIndex = 0
  for (let start = OBJECT_START.exec(text); start !== null; start = OBJECT_START.exec(text)) {
    const end = endOfObject(text, start.index)
    if (end === undefined) return { isBroken: true }
    const parsed = parseJson(text.slice(start.index, end))
    if (parsed === undefined) isBroken = true
    else last = parsed.value
    OBJECT_START.lastIndex = end
  }
  return { last, isBroken }
}

// Just after the bracket that closes the one at `start`; brackets in texts do not count.
function endOfObject(text: string, start: number): number | undefined {
  let depth = 0
  let isInText = false
  for (let at = start; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isInText && code === BACKSLASH) at++
    else if (code === QUOTE) isInText = !isInText
    else if (isInText) continue
    else if (code === OPEN) depth++
    else if (code === CLOSE && --depth === 0) return at + 1
  }
  return undefined
}

const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d

function parseJson(text: string): { readonly value: unknown } | undefined {
  try {
    return { value: JSON.parse(text) }
  } catch {
    // Not JSON: the caller looks elsewhere.
    return undefined
  }
}
