// The credentials of a request: taken from the environment when it is sent, and kept out of everything that is shown.
// Servers like to repeat what they were sent, and what they answer ends up in traces.

import { isRecord } from '../../engine/plain-data.ts'
import { CONTROLS, DECISIONS } from '../../engine/verdict.ts'

/** Headers as they are sent. */
export interface FilledHeaders {
  readonly headers: Readonly<Record<string, string>>
  /** The values that came from the environment. */
  readonly values: readonly string[]
  /** The variables that are not set. */
  readonly missing: readonly string[]
}

/** Puts variables of the environment into header values: `Bearer $TOKEN`. */
export function fillFromEnvironment(headers: Readonly<Record<string, string>>): FilledHeaders {
  const values: string[] = []
  const missing: string[] = []
  const lookUp = (name: string): string => {
    // Own ones only: every object inherits something called `constructor`.
    const value = Object.hasOwn(process.env, name) ? process.env[name] : undefined
    if (value === undefined) missing.push(name)
    else values.push(value)
    return value ?? ''
  }
  const fill = (text: string): string =>
    text.replace(/\$(?:\{(\w+)\}|([A-Za-z_]\w*))/g, (_, braced, bare) => lookUp(braced ?? bare))
  const filled = Object.fromEntries(Object.entries(headers).map(([name, value]) => [name, fill(value)]))
  return { headers: filled, values, missing }
}

/** Hides secrets in a text. */
export type Redact = (text: string) => string

/** Hides whatever in a request may be secret: the values of its headers and of its query, whole and in parts. */
export function createRedactor(values: readonly string[], url: URL): Redact {
  const secrets = [...values, ...values.flatMap(splitParts), url.search.slice(1), ...url.searchParams.values()]
  const spellings = secrets.flatMap((secret) => [
    secret,
    JSON.stringify(secret).slice(1, -1),
    encodeURIComponent(secret),
  ])
  const hidden = [...new Set(spellings)].filter((part) => part.length >= SHORTEST && !WORDS.has(part))
  if (hidden.length === 0) return (text) => text
  // The longest first: one may be a part of another.
  hidden.sort((a, b) => b.length - a.length)
  const pattern = new RegExp(hidden.map(buildPattern).join('|'), 'g')
  return (text) => text.replace(pattern, '[redacted]')
}

// `Basic dTpw` is the word, the code and the decoded text; cookies are pairs in a list.
function splitParts(value: string): string[] {
  const [scheme = '', code = ''] = value.trim().split(/\s+/)
  const decoded = /^basic$/i.test(scheme) ? Buffer.from(code, 'base64').toString('utf8') : ''
  const [user = ''] = decoded.split(':')
  const words = value.split(/[\s;,]+/).filter((word) => !/^(basic|bearer|token|digest)$/i.test(word))
  const paired = words.map((word) => /^[^=]+=(.+)$/.exec(word)?.[1] ?? '')
  return [...words, ...paired, decoded, user, decoded.slice(user.length + 1)]
}

// Long values are hidden everywhere. Short values only as whole words, or nothing readable would remain.
const SHORTEST = 3
const LONG = 6
// A header may hold one of these; hiding it would make a verdict unreadable.
const WORDS: ReadonlySet<string> = new Set([...DECISIONS, ...Object.keys(CONTROLS)])

function buildPattern(part: string): string {
  const literal = part.replace(/[\\^$.*+?()[\]{}|/-]/g, '\\$&')
  return part.length >= LONG ? literal : `(?<!\\w)${literal}(?!\\w)`
}

// The fields that are shown to people. Edits and answers are what the hook wants done, so they stay as they are.
const SHOWN_FIELDS = ['decision', 'control', 'reason', 'suggestion', 'stop_reason', 'additional_context', 'metadata']
// The engine accepts nothing that is nested deeper.
const MAX_DEPTH = 500

/** A verdict with the secrets hidden in its texts. */
export function hideInVerdict(verdict: unknown, redact: Redact): unknown {
  if (!isRecord(verdict)) return hideDeep(verdict, redact, 0)
  const shown = SHOWN_FIELDS.filter((field) => Object.hasOwn(verdict, field))
  return { ...verdict, ...Object.fromEntries(shown.map((field) => [field, hideDeep(verdict[field], redact, 0)])) }
}

function hideDeep(value: unknown, redact: Redact, depth: number): unknown {
  if (typeof value === 'string') return redact(value)
  if (typeof value !== 'object' || value === null || depth > MAX_DEPTH) return value
  if (Array.isArray(value)) return value.map((item) => hideDeep(item, redact, depth + 1))
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, hideDeep(inner, redact, depth + 1)]))
}
