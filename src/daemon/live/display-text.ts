// Text of agents as a person may read it: nothing that hides, reorders or breaks out of its line.

// Control, format and direction characters, halves of pairs, line separators, characters without a shape, and blanks that
// are none. Line feed and tab are left where lines are shown.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu
const HIDDEN_BUT_LINES =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** On one line, clipped, with characters that cannot be seen written as escapes. */
export function toLine(text: string, length: number): string {
  // Clipped first: a megabyte of it is not worth looking through.
  const start = text.length > length * 4 ? text.slice(0, length * 4) : text
  const flat = start.replace(/\s+/g, ' ').trim().replace(HIDDEN, escapeOf)
  if (flat.length <= length) return start.length < text.length ? `${flat}…` : flat
  // Never between the halves of one character.
  return `${flat.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** Whole, with its lines, and with characters that cannot be seen written as escapes. The page and the terminal use it. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_BUT_LINES, escapeOf)
}

/** The same with a dot for each such character, line ends included, where marks stand below the text. */
export function replaceHidden(text: string): string {
  return text.replace(HIDDEN, '·')
}

function escapeOf(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
