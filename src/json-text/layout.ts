// The layout of a JSON text: line ends, indentation, commas and comments.

/** The line end of the text. */
export function findEol(text: string): string {
  return text.includes('\r\n') ? '\r\n' : '\n'
}

/** One step of indentation. */
export function findUnit(text: string): string {
  return /\n([ \t]+)\S/.exec(text)?.[1] ?? '  '
}

/** The white space at the start of the line of an offset. */
export function lineIndent(text: string, offset: number): string {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  return /^[ \t]*/.exec(text.slice(start, offset))?.[0] ?? ''
}

/** The white space before the first token of a line; undefined for other tokens. */
export function ownLineIndent(text: string, offset: number): string | undefined {
  const start = text.lastIndexOf('\n', offset - 1) + 1
  const before = text.slice(start, offset)
  return start > 0 && before.trim() === '' ? before : undefined
}

/** The end of the comments on the rest of a line. */
export function endOfContent(text: string, from: number, end: number): number {
  const rest = /^(?:[ \t]|\/\*(?:(?!\*\/)[^\n])*\*\/)*(?:\/\/[^\r\n]*)?/.exec(text.slice(from, end))?.[0] ?? ''
  return from + rest.trimEnd().length
}

/** The next comma, if only white space and comments are before it. */
export function findComma(text: string, from: number, end: number): number | undefined {
  const blank = /^(?:\s|\/\/[^\r\n]*|\/\*[\s\S]*?\*\/)*/.exec(text.slice(from, end))?.[0] ?? ''
  const next = from + blank.length
  return next < end && text[next] === ',' ? next : undefined
}

/** Joins the texts around a removed part. A line that has nothing else is removed too. */
export function withoutLine(head: string, tail: string): string {
  const lead = /(?:^|\n)[ \t]*$/.exec(head)
  const rest = /^[ \t]*\r?\n/.exec(tail)
  if (lead !== null && rest !== null) return head.replace(/[ \t]*$/, '') + tail.slice(rest[0].length)
  return lead === null ? head.replace(/[ \t]+$/, '') + tail : head + tail.replace(/^[ \t]+/, '')
}
