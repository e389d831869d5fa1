// The colours of the CLI. Until a text is written, colours are marks with a random secret of this process: so the terminal
// gets these colours, but no escape sequence from foreign text.

import { randomBytes } from 'node:crypto'
import picocolors from 'picocolors'

type Paint = (text: string) => string

const SECRET = randomBytes(12).toString('hex')
const MARK = new RegExp(`\\u001b\\]${SECRET};(\\d+)\\u0007`, 'g')

/** Paints a text; use `forTerminal` or `print` to write it. */
const colors = {
  bold: painter(1, 22),
  dim: painter(2, 22),
  red: painter(31, 39),
  green: painter(32, 39),
  yellow: painter(33, 39),
  blue: painter(34, 39),
  magenta: painter(35, 39),
  cyan: painter(36, 39),
}

export default colors

function painter(open: number, close: number): Paint {
  if (!picocolors.isColorSupported) return String
  const [start, end] = [colorMark(open), colorMark(close)]
  // A nested colour ends with the same code: the outer one is started again.
  return (text) => start + text.replaceAll(end, end + start) + end
}

function colorMark(code: number): string {
  return `\u001b]${SECRET};${code}\u0007`
}

/** Turns the marks into escape sequences; `escapeText` is applied to the rest of the text. */
export function paintMarked(text: string, escapeText: (part: string) => string): string {
  let shown = ''
  let at = 0
  for (const mark of text.matchAll(MARK)) {
    shown += `${escapeText(text.slice(at, mark.index))}\u001b[${mark[1]}m`
    at = mark.index + mark[0].length
  }
  return shown + escapeText(text.slice(at))
}
