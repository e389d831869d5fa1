// Output of the CLI: decision styles, aligned columns, relative times. No command logic.

import { isAbsolute, relative } from 'node:path'
import { stripVTControlCharacters } from 'node:util'
import { escapeHidden } from '../display/display-text.ts'
import type { Decision } from '../engine/verdict.ts'
import colors, { paintMarked } from './colors.ts'
import { context } from './context.ts'

/** Icon and colour of each decision; the icon alone is enough without colours. */
export const DECISION_STYLE: Readonly<
  Record<Decision, { readonly icon: string; readonly paint: (text: string) => string }>
> = {
  pass: { icon: '✓', paint: colors.green },
  flag: { icon: '!', paint: colors.yellow },
  ask: { icon: '?', paint: colors.magenta },
  block: { icon: '✗', paint: colors.red },
}

/** Paints a decision with its icon, or another text, in the colour of the decision. */
export function paintDecision(decision: Decision, text = `${DECISION_STYLE[decision].icon} ${decision}`): string {
  return DECISION_STYLE[decision].paint(text)
}

/** Prints a line on stdout. All escape sequences but the CLI's own colours are escaped. */
export function print(line: string): void {
  context().stdout.write(`${forTerminal(line)}\n`)
}

/** Prints one JSON document on stdout. */
export function printJson(value: unknown): void {
  context().stdout.write(`${JSON.stringify(value)}\n`)
}

/** Prints a line for the person on stderr; stdout is for results. */
export function info(line: string): void {
  context().stderr.write(`${forTerminal(line)}\n`)
}

/** Makes a text safe for a terminal: control and invisible characters are shown as escapes. */
export function forTerminal(text: string): string {
  return paintMarked(text, escapeHidden)
}

/** Prints an error or warning on stderr. */
export function report(message: string): void {
  info(`arc: ${message}`)
}

/** Shortens a text to one line of at most `length` characters, with line ends as ⏎ and control characters escaped. */
export function oneLine(text: string, length = 90): string {
  const flat = escapeHidden(
    text
      .trim()
      .replace(/[ \t]*(?:\r?\n)+\s*/g, ' ⏎ ')
      .replace(/[ \t]+/g, ' '),
  )
  // Never between the surrogates of a character.
  return flat.length > length ? `${flat.slice(0, length - 1).replace(/[\uD800-\uDBFF]$/, '')}…` : flat
}

/** Escapes control and invisible characters except line ends. */
export function escapeControls(text: string): string {
  return escapeHidden(text)
}

const DEFAULT_COLUMNS = 80
const MAX_COLUMNS = 120

/** Shortens a path that lies in one of the given folders. */
export function shortPath(path: string, bases: readonly string[]): string {
  if (!isAbsolute(path)) return path
  const inside = bases
    .map((base) => relative(base, path))
    .filter((short) => short !== '' && !/^(?:\.\.|\/)/.test(short))
  return inside.toSorted((a, b) => a.length - b.length)[0] ?? path
}

/** The usable columns of a terminal, from 40 to 120; 80 without a terminal. */
export function terminalColumns(terminal: { readonly columns?: number } = context().stdout): number {
  const { columns = DEFAULT_COLUMNS } = terminal
  return Math.min(MAX_COLUMNS, Math.max(40, columns))
}

/** Wraps a text at blanks; a longer word stays whole. */
export function wrap(text: string, columns: number): readonly string[] {
  const lines: string[] = []
  for (const word of text.split(' ')) {
    const last = lines.at(-1)
    if (last !== undefined && displayWidth(last) + 1 + displayWidth(word) <= columns)
      lines[lines.length - 1] = `${last} ${word}`
    else lines.push(word)
  }
  return lines
}

/** The style of a table. */
export interface TableStyle {
  readonly head?: readonly string[]
  /** Indexes of the columns that are aligned right. */
  readonly right?: readonly number[]
}

/**
 * Aligns columns, two blanks apart. Cells may have colours and wide characters.
 * @example
 * for (const line of alignColumns([['a', '1'], ['bcd', '20']], { head: ['name', 'count'], right: [1] })) print(line)
 */
export function alignColumns(rows: readonly (readonly string[])[], look: TableStyle = {}): readonly string[] {
  const { head, right = [] } = look
  const all = head === undefined ? rows : [head.map((cell) => colors.dim(cell)), ...rows]
  const widths: number[] = []
  for (const row of all) {
    for (const [column, cell] of row.entries()) widths[column] = Math.max(widths[column] ?? 0, displayWidth(cell))
  }
  return all.map((row) => {
    // Empty cells at the end are dropped, even coloured ones.
    const used = row.slice(0, row.findLastIndex((cell) => displayWidth(cell) > 0) + 1)
    const cells = used.map((cell, at) => {
      const isLast = at === used.length - 1 && !right.includes(at)
      return isLast ? cell : pad(cell, widths[at] ?? 0, right.includes(at))
    })
    return cells.join('  ').trimEnd()
  })
}

function pad(cell: string, width: number, isRight: boolean): string {
  const blanks = ' '.repeat(Math.max(0, width - displayWidth(cell)))
  return isRight ? blanks + cell : cell + blanks
}

const WIDE = /^(?:\p{Script=Han}|\p{Script=Hangul}|\p{Script=Hiragana}|\p{Script=Katakana}|\p{Emoji_Presentation})/u
const WITHOUT_WIDTH = /^[\p{Mn}\p{Me}\p{Cf}]+$/u

/** The number of terminal columns of a text, without colours. */
export function displayWidth(text: string): number {
  const plain = stripVTControlCharacters(text)
  if (/^[ -~]*$/.test(plain)) return plain.length
  let width = 0
  for (const { segment } of new Intl.Segmenter().segment(plain)) {
    if (!WITHOUT_WIDTH.test(segment)) width += WIDE.test(segment) ? 2 : 1
  }
  return width
}

/** Cuts a text without colours to a number of terminal columns. */
export function fitColumns(text: string, columns: number): string {
  if (displayWidth(text) <= columns) return text
  if (columns < 1) return ''
  let cut = ''
  let width = 1
  for (const { segment } of new Intl.Segmenter().segment(text)) {
    width += displayWidth(segment)
    if (width > columns) break
    cut += segment
  }
  return `${cut}…`
}

/** Parts of a line with their colours, cut to a number of columns. */
export type LinePart = string | readonly [text: string, paint: (text: string) => string]

/** Joins the parts of a line; what does not fit is cut. */
export function fitLine(parts: readonly LinePart[], columns: number): string {
  let room = columns
  let line = ''
  for (const part of parts) {
    const [text, paint] = typeof part === 'string' ? [part, String] : part
    const shown = fitColumns(text, room)
    line += shown === '' ? '' : paint(shown)
    if (shown !== text) break
    room -= displayWidth(shown)
  }
  return line.trimEnd()
}

/** A time of day in the local zone, with the date if it is not today: `10:42:07`, `11-17 10:42`, `2025-11-17`. */
export function formatTime(time: string, now = Date.now()): string {
  const [at, today] = [new Date(time), new Date(now)]
  const two = (value: number): string => String(value).padStart(2, '0')
  const clock = `${two(at.getHours())}:${two(at.getMinutes())}`
  const date = `${two(at.getMonth() + 1)}-${two(at.getDate())}`
  if (at.toDateString() === today.toDateString()) return `${clock}:${two(at.getSeconds())}`
  return at.getFullYear() === today.getFullYear() ? `${date} ${clock}` : `${at.getFullYear()}-${date}`
}

/** The age of a time in its largest unit: `12s`, `5m`, `3h`, `2d`. */
export function ago(time: string, now = Date.now()): string {
  return formatSpan(now - Date.parse(time))
}

/** A time relative to now: `5m ago`, `in 2h`. */
export function fromNow(time: string | number, now = Date.now()): string {
  const ms = (typeof time === 'number' ? time : Date.parse(time)) - now
  return ms > 0 ? `in ${formatSpan(ms)}` : `${formatSpan(-ms)} ago`
}

/** A duration in its largest unit: `12s`, `5m`, `3h`, `2d`. */
export function formatSpan(ms: number): string {
  const seconds = Math.max(0, Math.floor(ms / 1000))
  if (seconds < 60) return `${seconds}s`
  if (seconds < 3_600) return `${Math.floor(seconds / 60)}m`
  return seconds < 86_400 ? `${Math.floor(seconds / 3_600)}h` : `${Math.floor(seconds / 86_400)}d`
}

/** Reads `90s`, `30m`, `2h` or `7d` as milliseconds; undefined for any other text. */
export function readSpan(text: string): number | undefined {
  const span = /^(\d{1,9})([smhd])$/.exec(text)
  return span === null ? undefined : Number(span[1]) * UNITS[span[2] as keyof typeof UNITS]
}

/** Reads `30m`, `2h`, `7d` or a date as wall-clock milliseconds; undefined for any other text. */
export function readSince(text: string, now = Date.now()): number | undefined {
  const spanMs = readSpan(text)
  if (spanMs !== undefined) return now - spanMs
  const date = Date.parse(text)
  return Number.isNaN(date) ? undefined : date
}

/** Reads the value of an option as a count; a text says what is wrong with it. */
export function readCount(text: string, option: string): number | string {
  const count = Number(text)
  if (Number.isInteger(count) && count >= 1) return count
  return `${option} must be a whole number above 0, not ${JSON.stringify(text)}`
}

/** Reads the value of an option as a time before now, in wall-clock milliseconds; a text says what is wrong with it. */
export function readPast(text: string, option: string, now = Date.now()): number | string {
  const time = readSince(text, now)
  if (time === undefined) return `${option} must be like 30m, 2h, 7d or a date, not ${JSON.stringify(text)}`
  return time <= now ? time : `${option} must be in the past: ${text} is still to come`
}

const UNITS = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

const BYTE_UNITS = ['bytes', 'KB', 'MB', 'GB', 'TB'] as const

/** A size for people, in decimal units: `1.5 MB`. */
export function formatBytes(bytes: number): string {
  const power = Math.min(BYTE_UNITS.length - 1, Math.floor(Math.log10(Math.max(bytes, 1)) / 3))
  return `${Number((bytes / 1_000 ** power).toPrecision(3))} ${BYTE_UNITS[power]}`
}

/** Reads `1500`, `500MB` or `2GB`; undefined for any other text. */
export function readBytes(text: string): number | undefined {
  const size = /^(\d{1,15}(?:\.\d+)?) ?(?:([KMGT])B)?$/i.exec(text)
  if (size === null) return undefined
  const power = size[2] === undefined ? 0 : 'KMGT'.indexOf(size[2].toUpperCase()) + 1
  return Math.round(Number(size[1]) * 1_000 ** power)
}
