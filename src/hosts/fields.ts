// Reads payloads without trusting them: every getter answers undefined for what is missing or of another type.

import { describe, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'

export type Fields = Readonly<Record<string, unknown>>

/** The payload as an object, or why it is none. */
export function parsePayload(payload: string | Fields): Fields | string {
  if (typeof payload !== 'string') return payload
  if (payload.trim() === '') return 'the payload is empty'
  try {
    // Some shells on Windows begin what they pipe with a byte order mark.
    const value: unknown = JSON.parse(payload.startsWith('\uFEFF') ? payload.slice(1) : payload)
    return isRecord(value) ? value : `the payload is not an object but ${show(value)}`
  } catch (error) {
    return `the payload is not JSON: ${describe(error)}`
  }
}

/** The first of these fields that holds a text with something in it. */
export function readTextField(fields: Fields, ...keys: readonly string[]): string | undefined {
  for (const key of keys) {
    const value = own(fields, key)
    if (typeof value === 'string' && value !== '') return value
  }
  return undefined
}

/** Whether the payload names its event and the time of it. Claude sends no time. */
export function isTimedEvent(fields: Fields): boolean {
  return readTextField(fields, 'hook_event_name') !== undefined && own(fields, 'timestamp') !== undefined
}

/** The field, when it is an object; else one without fields. */
export function readRecordField(fields: Fields, key: string): Fields {
  const value = own(fields, key)
  return isRecord(value) ? value : {}
}

/** The field, only if the payload itself holds it. */
export function own(fields: Fields, key: string): unknown {
  return Object.hasOwn(fields, key) ? fields[key] : undefined
}

const ARGS_KEYS = [
  ...['tool_input', 'toolInput', 'tool_args', 'toolArgs', 'tool_arguments', 'toolArguments', 'tool_params'],
  ...['toolParams', 'tool_parameters', 'toolParameters', 'args', 'arguments', 'parameters', 'params', 'input'],
]

/** The arguments of a tool call: under the host's own names, else under one of the usual others. */
export function argsIn(fields: Fields, ...keys: readonly string[]): unknown {
  for (const key of [...keys, ...ARGS_KEYS]) {
    const value = own(fields, key)
    if (value !== undefined && value !== null) return value
  }
  return undefined
}

/** The first text in a list. */
export function firstText(value: unknown): string | undefined {
  return Array.isArray(value) ? value.find((item): item is string => typeof item === 'string') : undefined
}

/** The texts of a list of parts, as models have them; undefined for what is no list. */
export function joinTexts(parts: unknown): string | undefined {
  if (!Array.isArray(parts)) return undefined
  const texts = parts.filter(isRecord).map((part) => part.text)
  return texts.filter((text): text is string => typeof text === 'string').join('\n')
}

/** An object without the fields that are undefined. */
export function defined(fields: Fields): Record<string, unknown> {
  const kept: Record<string, unknown> = {}
  for (const key of Object.keys(fields)) {
    // Assigned, `__proto__` would be no field.
    if (fields[key] !== undefined && key !== '__proto__') kept[key] = fields[key]
  }
  return kept
}
