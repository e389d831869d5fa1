// How the CLI looks: colours and icons by decision, aligned columns, relative times. No command's logic.

import { isAbsolute, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { escapeHidden } from '../daemon/live/display-text.ts'
import type { Decision } from '../engine/verdict.ts'
import colors, { paintMarked } from './colors.ts'

/** Icon and colour of each decision; the icon carries the meaning for those who do not see the colour. */
export const LOOK: Readonly<Record<Decision, { readonly icon: string; readonly paint: (text: string) => string }>> = {
  pass: { icon: '✓', paint: colors.green },
  flag: { icon: '!', paint: colors.yellow },
  ask: { icon: '?', paint: colors.magenta },
  block: { icon: '✗', paint: colors.red },
}

/** A decision with its icon, in its colour; or another text in the colour of a decision. */
export function paintDecision(decision: Decision, text = `${LOOK[decision].icon} ${decision}`): string {
  return LOOK[decision].paint(text)
}

/** Prints a line on stdout. Of escape sequences only our own colours are written. */
export function print(line: string): void {
  process.stdout.write(`${forTerminal(line)}\n`)
}

/** Prints one JSON document on stdout, as it is. */
export function printJson(value: unknown): void {
  process.stdout.write(`${JSON.stringify(value)}\n`)
}

/** Says something to the person: on stderr, since stdout is for what was asked. */
export function tell(line: string): void {
  process.stderr.write(`${forTerminal(line)}\n`)
}

/** A text as it may be written to a terminal: every character that it would obey or hide is shown as an escape. */
export function forTerminal(text: string): string {
  return paintMarked(text, escapeHidden)
}

/** Tells a person that something is not as it should be. It may quote what others chose: the terminal obeys none of it. */
export function report(message: string): void {
  tell(`arc: ${message}`)
}

/** One line of at most so many characters, line ends shown, without anything that a terminal would obey. */
export function oneLine(text: string, length = 90): string {
  const flat = escapeHidden(
    text
      .trim()
      .replace(/[ \t]*(?:\r?\n)+\s*/g, ' ⏎ ')
      .replace(/[ \t]+/g, ' '),
  )
  return flat.length > length ? `${flat.slice(0, length - 1)}…` : flat
}

/** A text with everything that a terminal would obey shown instead; line ends are the caller's. */
export function harmless(text: string): string {
  return escapeHidden(text)
}

// A screen that says nothing about itself, and the most that reads well.
const USUAL_COLUMNS = 80
const MOST_COLUMNS = 120

/** A path as short as it is clear: from the home of ARC or from here, where it lies inside. */
export function shortPath(path: string, bases: readonly string[]): string {
  if (!isAbsolute(path)) return path
  const inside = bases
    .map((base) => relative(base, path))
    .filter((short) => short !== '' && !/^(?:\.\.|\/)/.test(short))
  return inside.toSorted((a, b) => a.length - b.length)[0] ?? path
}

/** How many columns a line may take: those of the terminal, within reason; 80 where there is none. */
export function columnsOf(terminal: { readonly columns?: number } = process.stdout): number {
  const { columns = USUAL_COLUMNS } = terminal
  return Math.min(MOST_COLUMNS, Math.max(40, columns))
}

/** The lines of a text, broken at blanks so that each fits; a word that is longer stays whole. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && widthOf(last) + 1 + widthOf(word) <= columns) lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** How a table looks: a head above it, and which columns stand to the right. */
export interface TableLook {
  readonly head?: readonly string[]
  /** The columns, from 0, that are aligned to the right. */
  readonly right?: readonly number[]
}

/**
 * Lines of aligned columns, two blanks apart. Cells may be coloured and may hold wide characters.
 * @example
 * for (const line of alignColumns([['a', '1'], ['bcd', '20']], { head: ['name', 'count'], right: [1] })) print(line)
 */
export function alignColumns(rows: readonly (readonly string[])[], look: TableLook = {}): readonly string[] {
  const { head, right = [] } = look
  const all = head === undefined ? rows : [head.map((cell) => colors.dim(cell)), ...rows]
  const widths: number[] = []
  for (const row of all) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, widthOf(cell))
  }
  return all.map((row) => {
    // What is empty at the end takes no room, however it is coloured.
    const used = row.slice(0, row.findLastIndex((cell) => widthOf(cell) > 0) + 1)
    const cells = used.map((cell, at) => {
      const isLast = at === used.length - 1 && !right.includes(at)
      return isLast ? cell : pad(cell, widths[at] ?? 0, right.includes(at))
    })
    return cells.join('  ').trimEnd()
  })
}

function pad(cell: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - widthOf(cell)))
  return isRight ? blanks + cell : cell + blanks
}

const WIDE = /^(?:\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation})/u
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** How many columns of a terminal a text takes, colours not counted. */
export function widthOf(text: string): number {
  const plain = stripVTControlCharacters(text)
  if (/^[ -~]*$/.test(plain)) return plain.length
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    if (!WITHOUT_WIDTH.test(segment)) width += WIDE.test(segment) ? 2 : 1
  }
  return width
}

/** How long ago, in the largest unit that fits: `12s`, `5m`, `3h`, `2d`. */
export function ago(time: string, now = Date.now()): string {
  return showSpan(now - Date.parse(time))
}

/** A time beside now: `5m ago`, `in 2h`. */
export function fromNow(time: string | number, now = Date.now()): string {
  const ms = (typeof time === 'number' ? time : Date.parse(time)) - now
  return ms > 0 ? `in ${showSpan(ms)}` : `${showSpan(-ms)} ago`
}

/** A length of time in the largest unit that fits: `12s`, `5m`, `3h`, `2d`. */
export function showSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** Reads `90s`, `30m`, `2h` or `7d` as milliseconds; undefined when it is none of them. */
export function readSpan(text: string): number | undefined {
  const span = /^(\d{1,9})([smhd])$/.exec(text)
  return span === null ? undefined : Number(span[1]) * UNITS[span[2] as keyof typeof UNITS]
}

/** Reads `30m`, `2h`, `7d` or a date as wall-clock milliseconds; undefined when it is neither. */
export function readSince(text: string, now = Date.now()): number | undefined {
  const spanMs = readSpan(text)
  if (spanMs !== undefined) return now - spanMs
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }
