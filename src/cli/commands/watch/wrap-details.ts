// Wraps painted lines to the width of the terminal. A line that does not fit loses its colours.

import { stripVTControlCharacters } from 'node:util'
import { displayWidth, forTerminal } from '../../output.ts'

const TAB = '    '

/** The lines as a terminal gets them: escaped, and none wider than `columns`. */
export function wrapDetails(lines: readonly string[], columns: number): readonly string[] {
  return lines.flatMap((line) => line.split('\n')).flatMap((line) => wrapLine(line, columns))
}

function wrapLine(line: string, columns: number): readonly string[] {
  const safe = forTerminal(line.replaceAll('\t', TAB))
  if (displayWidth(safe) <= columns) return [safe]
  const wrapped: string[] = []
  let part = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(stripVTControlCharacters(safe))) {
    const own = displayWidth(segment)
    // A wide character does not fit a terminal of one column.
    if (own > columns) continue
    if (width + own > columns) {
      wrapped.push(part)
      part = ''
      width = 0
    }
    part += segment
    width += own
  }
  return [...wrapped, part]
}
