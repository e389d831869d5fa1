// The colours of the CLI. They are marked with a secret of this process until they are written: so the terminal gets our
// own colours, and no escape sequence that stands in the text of somebody else.

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
  const [start, end] = [markOf(open), markOf(close)]
  // A colour within ends with the same code: this one goes on after it.
  return (text) => start + text.replaceAll(end, end + start) + end
}

function markOf(code: number): string {
  return `\u001b]${SECRET};${code}\u0007`
}

/** The text as it is written: our colours as the terminal wants them, all the rest made harmless. */
export function paintMarked(text: string, makeHarmless: (part: string) => string): string {
  let shown = ''
  let at = 0
  for (const mark of text.matchAll(MARK)) {
    shown += `${makeHarmless(text.slice(at, mark.index))}\u001b[${mark[1]}m`
    at = mark.index + mark[0].length
  }
  return shown + makeHarmless(text.slice(at))
}
