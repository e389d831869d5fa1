// Text from agents, made safe to look at: characters that hide, reorder or erase what stands around them are shown by their
// number. What is drawn is always text, never markup.

/** A piece of text; a hidden one stands for a character that cannot be seen. */
export interface Piece {
  readonly text: string
  readonly isHidden: boolean
}

// Controls, soft hyphen, direction marks, zero-width characters, fillers, tags, and halves of pairs. Tab and line feed are
// for the caller.
const HIDDEN =
  // biome-ignore lint/suspicious/noControlCharactersInRegex: those are what is looked for.
  // biome-ignore lint/suspicious/noMisleadingCharacterClass: each of them alone.
  /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u034f\u061c\u115f\u1160\u17b4\u17b5\u180b-\u180f\u200b-\u200f\u2028-\u202e\u2060-\u206f\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff9-\ufffb\u{e0000}-\u{e0fff}\p{Cs}]/gu

/** The pieces of a text, hidden characters apart. In one line, breaks and tabs are shown as signs. */
export function piecesOf(text: string, { isOneLine = false }: { readonly isOneLine?: boolean } = {}): readonly Piece[] {
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

/** The same as one text, for labels and titles. */
export function plainOf(text: string): string {
  return piecesOf(text, { isOneLine: true })
    .map(({ text: part }) => part)
    .join('')
}

function nameOf(character: string): string {
  const code = character.codePointAt(0) ?? 0
  return `U+${code.toString(16).toUpperCase().padStart(4, '0')}`
}

/** At most so many characters, whole ones. */
export function clipText(text: string, max: number): string {
  if (text.length <= max) return text
  const cut = text.slice(0, max - 1)
  return `${/[\ud800-\udbff]$/.test(cut) ? cut.slice(0, -1) : cut}…`
}
