// Text of agents as a person may read it: nothing that hides, reorders or breaks out of its line.

const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu
const HIDDEN_BUT_LINES = /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}]/gu

/** On one line, clipped, with characters that cannot be seen written as escapes. */
export function lineOf(text: string, length: number): string {
  // Clipped first: a megabyte of it is not worth looking through.
  const start = text.length > length * 4 ? text.slice(0, length * 4) : text
  const flat = start.replace(/\s+/g, ' ').trim().replace(HIDDEN, escapeOf)
  if (flat.length <= length) return start.length < text.length ? `${flat}…` : flat
  // Never between the halves of one character.
  return `${flat.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Whole, with its lines, and with characters that cannot be seen written as escapes. */
export function wholeOf(text: string): string {
  return text.replace(HIDDEN_BUT_LINES, escapeOf)
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
