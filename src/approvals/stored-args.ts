// The arguments as an approval stores them: all, or for long arguments the head, the tail and the lines that a rule
// matched. The approval is bound to the hash of all arguments.

import { createHash } from 'node:crypto'

/** The size and hash of arguments that are stored only in part. */
export interface StepPreview {
  /** The size of all arguments as canonical JSON. */
  readonly bytes: number
  /** SHA-256 of that JSON. */
  readonly sha256: string
}

/** Arguments up to this size are stored whole. */
export const MAX_WHOLE_BYTES = 64 * 1024
const SHOWN_CHARACTERS = 8_000
const MAX_MATCHES = 5
const MAX_MATCH = 400
const MAX_ITEMS = 50
const MAX_DEPTH = 4

/** The arguments to store, and a preview note where they were shortened. `text` is their canonical JSON. */
export function storedArgs(
  args: unknown,
  text: string,
  matched: readonly string[] = [],
): { readonly args: unknown; readonly preview?: StepPreview } {
  const bytes = Buffer.byteLength(text)
  if (bytes <= MAX_WHOLE_BYTES) return { args }
  const preview = { bytes, sha256: createHash('sha256').update(text).digest('hex') }
  return { args: shorten(args, { shown: SHOWN_CHARACTERS, matched }, 0), preview }
}

/** A shorter form, for expired approvals. */
export function shortenExpired(args: unknown): unknown {
  return shorten(args, { shown: 500, matched: [] }, 0)
}

interface Cut {
  readonly shown: number
  readonly matched: readonly string[]
}

function shorten(value: unknown, cut: Cut, depth: number): unknown {
  if (typeof value === 'string') return shortenText(value, cut)
  if (typeof value !== 'object' || value === null) return value
  if (depth >= MAX_DEPTH) return '[not shown: nested too deep]'
  if (Array.isArray(value)) {
    const items = value.slice(0, MAX_ITEMS).map((item) => shorten(item, cut, depth + 1))
    return value.length > MAX_ITEMS ? [...items, `[not shown: ${value.length - MAX_ITEMS} more items]`] : items
  }
  const entries = Object.entries(value)
  const shown = entries
    .slice(0, MAX_ITEMS)
    .map(([key, item]) => [key.slice(0, MAX_MATCH), shorten(item, cut, depth + 1)])
  if (entries.length > MAX_ITEMS) shown.push(['[not shown]', `${entries.length - MAX_ITEMS} more keys`])
  return Object.fromEntries(shown)
}

function shortenText(text: string, { shown, matched }: Cut): string {
  if (text.length <= shown) return text
  const half = Math.floor(shown / 2)
  const lines = matched.slice(0, MAX_MATCHES).flatMap((part) => lineWith(text, part.replace(/…$/, ''), half) ?? [])
  const hidden = `\n[… ${text.length - 2 * half} characters not shown …]\n`
  const found = lines.map((line) => `[matched by a rule:]\n${line}\n[…]\n`).join('')
  return text.slice(0, half) + hidden + found + text.slice(-half)
}

// The line of a match, unless the head or the tail shows it.
function lineWith(text: string, part: string, half: number): string | undefined {
  const at = part === '' ? -1 : text.indexOf(part)
  if (at === -1 || at + part.length <= half || at >= text.length - half) return undefined
  const start = Math.max(text.lastIndexOf('\n', at) + 1, at - MAX_MATCH)
  const end = text.indexOf('\n', at + part.length)
  return text.slice(start, Math.min(end === -1 ? text.length : end, at + part.length + MAX_MATCH))
}
