// A text with one part of it underlined, as compilers show a mistake: the line, and ^~~~ below it.

import { replaceHidden } from '../../../daemon/live/display-text.ts'
import { widthOf } from '../../output.ts'

/** A part of a text: from, up to but not including. */
export interface Part {
  readonly start: number
  readonly end: number
}

/** A line of a text and what stands below it. */
export interface MarkedLine {
  /** Its number, from 1. */
  readonly number: number
  readonly line: string
  readonly marks: string
}

/**
 * The line that a part begins in, clipped around the part to so many columns, with its underline.
 * Control characters are shown as dots, one for one: they would move the cursor and the marks.
 * @example
 * markPart('git push --force', { start: 9, end: 16 }, 80) // { number: 1, line: 'git push --force', marks: '         ^~~~~~~' }
 */
export function markPart(text: string, { start, end }: Part, columns: number): MarkedLine | undefined {
  if (!(start >= 0 && start < end && end <= text.length)) return undefined
  const lineStart = text.lastIndexOf('\n', start - 1) + 1
  const newline = text.indexOf('\n', start)
  const lineEnd = newline < 0 ? text.length : newline
  const number = text.slice(0, lineStart).split('\n').length
  const from = firstShown(text.slice(lineStart, start), columns) + lineStart
  const before = (from > lineStart ? '…' : '') + replaceHidden(text.slice(from, start))
  const room = columns - widthOf(before)
  const marked = clip(replaceHidden(text.slice(start, Math.min(end, lineEnd))), room)
  const after = clip(replaceHidden(text.slice(end, lineEnd)), room - widthOf(marked))
  const marks = `${' '.repeat(widthOf(before))}^${'~'.repeat(Math.max(0, widthOf(marked) - 1))}`
  return { number, line: before + marked + after, marks }
}

// What stands before the part may take half of the line.
function firstShown(before: string, columns: number): number {
  let room = Math.floor(columns / 2)
  if (before.length <= room && widthOf(before) <= room) return 0
  let from = before.length
  for (const character of [...before.slice(-room)].reverse()) {
    room -= Math.max(1, widthOf(character))
    if (room < 1) break
    from -= character.length
  }
  return from
}

function clip(text: string, columns: number): string {
  if (widthOf(text) <= columns) return text
  let shown = ''
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += widthOf(segment)
    if (width > columns - 1) break
    shown += segment
  }
  return columns > 0 ? `${shown}…` : ''
}
