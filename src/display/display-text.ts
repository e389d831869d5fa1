// Text of agents for display: characters that hide or reorder text, or break its line, are escaped.

// Control, format and direction characters, unpaired surrogates, line separators, invisible characters, and blanks other
// than the space. Line feed and tab stay where lines are shown.
const HIDDEN = /[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu
const HIDDEN_EXCEPT_LINES =
  /(?![\n\t])[\p{Cc}\p{Cf}\p{Cs}\p{Zl}\p{Zp}\p{Default_Ignorable_Code_Point}\u2800]|(?! )\p{Zs}/gu

/** The text on one line, clipped, with hidden characters escaped. */
export function toLine(text: string, length: number): string {
  // Clipped first: a long text need not be searched.
  const start = text.length > length * 4 ? text.slice(0, length * 4) : text
  const flat = start.replace(/\s+/g, ' ').trim().replace(HIDDEN, escapeCharacter)
  if (flat.length <= length) return start.length < text.length ? `${flat}…` : flat
  // Never between the surrogates of a character.
  return `${flat.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…`
}

/** The whole text with its lines and with hidden characters escaped, for the page and the terminal. */
export function escapeHidden(text: string): string {
  return text.replace(HIDDEN_EXCEPT_LINES, escapeCharacter)
}

/** The text with a dot for each hidden character and line end: its length stays, for marks below the text. */
export function replaceHidden(text: string): string {
  return text.replace(HIDDEN, '·')
}

function escapeCharacter(character: string): string {
  return `\\u{${(character.codePointAt(0) ?? 0).toString(16)}}`
}
