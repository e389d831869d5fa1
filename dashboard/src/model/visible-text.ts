// Text from agents, safe for display: characters that hide, reorder or erase other text are shown by their code. Always text,
// never markup.

/** A part of a text; a hidden part is a hidden character. */
export interface Piece {
  readonly text: string
  readonly isHidden: boolean
}

// Controls, soft hyphen, direction marks, zero-width characters, fillers, tags, and unpaired surrogates. The caller handles
// tab and line feed.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: the search is for control characters.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each character alone.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu

/** The parts of a text, hidden characters separate. On one line, breaks and tabs are shown as symbols. */
export function splitPieces(
  text: string,
  { isOneLine = false }: { readonly isOneLine?: boolean } = {},
): readonly Piece[] {
  const shown = isOneLine ? text.replace(/\r?\n/g, ' ⏎ ').replaceAll('\t', ' ') : text.replaceAll('\r\n', '\n')
  const pieces: Piece[] = []
  let end = 0
  for (const match of shown.matchAll(HIDDEN)) {
    if (match.index > end) pieces.push({ text: shown.slice(end, match.index), isHidden: false })
    pieces.push({ text: nameOf(match[0]), isHidden: true })
    end = match.index + match[0].length
  }
  if (end < shown.length) pieces.push({ text: shown.slice(end), isHidden: false })
  return pieces
}

/** The same as a string, for labels and titles. */
export function toPlainText(text: string): string {
  return splitPieces(text, { isOneLine: true })
    .map(({ text: part }) => part)
    .join('')
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** Clips a text to a number of characters, never inside a character. */
export function clipText(text: string, max: number): string {
  if (text.length <= max) return text
  const cut = text.slice(0, max - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
