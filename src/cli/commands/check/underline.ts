// Underlines a span of a text as compilers do: the line, and ^~~~ below it.

import { replaceHidden } from '../../../display/display-text.ts'
import { displayWidth } from '../../output.ts'

/** A span of a text; `end` is exclusive. */
export interface TextRange {
  readonly start: number
  readonly end: number
}

/** A line of a text with its underline. */
export interface UnderlinedLine {
  /** The line number, from 1. */
  readonly number: number
  readonly line: string
  readonly marks: string
}

/**
 * Returns the line in which the span starts, clipped to `columns`, with its underline.
 * Each control character is shown as one dot, since it would move the cursor.
 * @example
 * underline('git push --force', { start: 9, end: 16 }, 80) // { number: 1, line: 'git push --force', marks: '         ^~~~~~~' }
 */
export function underline(text: string, { start, end }: TextRange, columns: number): UnderlinedLine | undefined {
  if (!(start >= 0 && start < end && end <= text.length)) return undefined
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', start)
  const lineEnd = newline < 0 ? text.length : newline
  const number = text.slice(0, lineStart).split('\n').length
  const from = firstShown(text.slice(lineStart, start), columns) + lineStart
  const before = (from > lineStart ? '…' : '') + replaceHidden(text.slice(from, start))
  const room = columns - displayWidth(before)
  const marked = clip(replaceHidden(text.slice(start, Math.min(end, lineEnd))), room)
  const after = clip(replaceHidden(text.slice(end, lineEnd)), room - displayWidth(marked))
  const marks = `${' '.repeat(displayWidth(before))}^${'~'.repeat(Math.max(0, displayWidth(marked) - 1))}`
  return { number, line: before + marked + after, marks }
}

// The text before the span may take half of the line.
function firstShown(before: string, columns: number): number {
  let room = Math.floor(columns / 2)
  if (before.length <= room && displayWidth(before) <= room) return 0
  let from = before.length
  for (const character of [...before.slice(-room)].reverse()) {
    room -= Math.max(1, displayWidth(character))
    if (room < 1) break
    from -= character.length
  }
  return from
}

function clip(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  let shown = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += displayWidth(segment)
    if (width > columns - 1) break
    shown += segment
  }
  return columns > 0 ? `${shown}…` : ''
}
