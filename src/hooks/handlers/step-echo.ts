// Tells a hook's own verdict from output that repeats the step. Hooks that log (`tee`, `jq .tool_input`) print what the
// agent wrote, and an agent can write `modify` into its arguments. Such output must never change or answer a step.

import { randomUUID } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import { isRecord } from '../../engine/plain-data.ts'

/** The variable with the mark of a run. The agent cannot know its value. */
export const MARK_VARIABLE = 'ARC_VERDICT_MARK'

/** The same for an endpoint. */
export const MARK_HEADER = 'x-arc-verdict-mark'

/** A new mark for one program or endpoint. */
export function newMark(): string {
  return randomUUID()
}

// These can stop a step or explain it, never change it. An agent that repeats them only stops itself.
const HARMLESS = new Set(['decision', 'abort', 'control', 'reason', 'suggestion'])
const MAX_VALUES = 50_000

/**
 * The part of an answer that counts as the hook's own. A verdict with the run's mark counts in full. Without the mark, a
 * field that also appears in the step makes the output an echo: then only its decision counts.
 * @example
 * ownVerdict({ command: 'ls', modify: { … } }, envelopeOf(step), mark)   // { decision: 'pass', metadata: { ignoredOutput: … } }
 */
export function ownVerdict(answer: unknown, envelope: object, mark?: string): unknown {
  if (!isRecord(answer)) return answer
  if (mark !== undefined && answer.mark === mark) {
    const { mark: _, ...verdict } = answer
    return verdict
  }
  const fields = Object.keys(answer).filter((key) => !HARMLESS.has(key))
  const repeated = fields.length === 0 ? undefined : findRepeated(answer, fields, envelope)
  return repeated === undefined ? answer : decisionOnly(answer, repeated)
}

function decisionOnly(answer: Readonly<Record<string, unknown>>, repeated: string): object {
  const kept = Object.fromEntries(Object.entries(answer).filter(([key]) => HARMLESS.has(key)))
  const ignoredOutput = `The output repeats ${JSON.stringify(repeated.slice(0, 100))} of the step, so it is not a verdict.`
  return { decision: 'pass', ...kept, metadata: { ignoredOutput } }
}

// The first field of the answer that the step has with the same value, or whose name a text of the step has as a JSON key.
function findRepeated(
  answer: Readonly<Record<string, unknown>>,
  fields: readonly string[],
  envelope: object,
): string | undefined {
  const open: unknown[] = [envelope]
  for (let seen = 0; open.length > 0; seen++) {
    // Too large to look through: an echo cannot be ruled out.
    if (seen > MAX_VALUES) return fields[0]
    const value = open.pop()
    if (typeof value === 'string') {
      const found = fields.find((field) => hasKey(value, field))
      if (found !== undefined) return found
    } else if (typeof value === 'object' && value !== null) {
      const found = fields.find((field) => Object.hasOwn(value, field) && isSame(value, field, answer))
      if (found !== undefined) return found
      for (const key of Object.keys(value)) open.push((value as Record<string, unknown>)[key])
    }
  }
  return undefined
}

function isSame(value: object, field: string, answer: Readonly<Record<string, unknown>>): boolean {
  try {
    return isDeepStrictEqual((value as Record<string, unknown>)[field], answer[field])
  } catch {
    // Nested too deep to compare: an echo cannot be ruled out.
    return true
  }
}

// `"modify":`, also with escaped quotes, as a text holds it that is itself JSON.
function hasKey(text: string, field: string): boolean {
  if (text.length < field.length + 2) return false
  const folded = text.toLowerCase()
  const name = field.toLowerCase()
  for (let at = folded.indexOf(name); at >= 0; at = folded.indexOf(name, at + 1)) {
    if (!isQuote(folded[at - 1])) continue
    let end = at + name.length
    while (folded[end] === '\\') end++
    if (!isQuote(folded[end])) continue
    do end++
    while (isBlank(folded[end]))
    if (folded[end] === ':') return true
  }
  return false
}

function isQuote(character: string | undefined): boolean {
  return character === '"' || character === "'"
}

function isBlank(character: string | undefined): boolean {
  return character === ' ' || character === '\t' || character === '\n' || character === '\r' || character === '\\'
}
