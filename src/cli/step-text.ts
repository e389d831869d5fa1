// A step as a person reads it in the terminal before the answer: every argument, line for line, with the matched part
// marked and in view. A long text is shown from both ends.

import { escapeHidden } from '../daemon/live/display-text.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { Evidence } from '../risk/assessment.ts'
import colors from './colors.ts'
import { oneLine, widthOf } from './output.ts'

/** A place in a text. */
interface Place {
  readonly start: number
  readonly end: number
}

/** How much to show. */
export interface ShowOptions {
  /** What was matched; spans count in the argument that has that text there. */
  readonly evidence?: readonly Evidence[]
  /** How to see all of it, such as `arc why ID`; without it nothing is left out. */
  readonly more?: string | undefined
}

const INDENT = '  '
const MAX_ARGUMENTS = 60
// Of a long text: so many lines from each end, and around each match.
const MAX_LINES = 40
const END_LINES = 12
const NEAR_LINES = 2
// Of a long line: so many characters from each end, and around each match.
const MAX_LINE = 1_000
const END_CHARACTERS = 300
const NEAR_CHARACTERS = 150

/** The arguments of a step as lines: each by its name, texts line for line. */
export function argumentLines(args: unknown, options: ShowOptions = {}): readonly string[] {
  const leaves = leavesOf(args, '')
  const shown = leaves.map(({ name, value }) => ({ name, value, places: placesIn(value, options.evidence ?? []) }))
  const isLong = options.more !== undefined && shown.length > MAX_ARGUMENTS
  const kept = isLong ? shown.filter(({ places }, at) => at < MAX_ARGUMENTS || places.length > 0) : shown
  const lines = kept.flatMap(({ name, value, places }) => leafLines(name, value, places, options.more))
  const hidden = shown.length - kept.length
  return hidden === 0 ? lines : [...lines, gap(`${hidden} more arguments hidden; all of it: ${options.more}`)]
}

/** A named fact about a step, on one line. */
export function factLine(name: string, value: string): string {
  return `${INDENT}${colors.dim(`${name}:`)} ${oneLine(value, Number.POSITIVE_INFINITY)}`
}

interface Leaf {
  readonly name: string
  readonly value: unknown
}

// Deeper than this a value is shown as JSON.
const MAX_DEPTH = 20

function leavesOf(value: unknown, name: string, depth = 0): readonly Leaf[] {
  const isList = Array.isArray(value)
  const keys = isList || isRecord(value) ? Object.keys(value) : []
  if (keys.length === 0 || depth >= MAX_DEPTH) return [{ name, value }]
  return keys.flatMap((key) => {
    const inner = isList ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`
    return leavesOf((value as Readonly<Record<string, unknown>>)[key], inner, depth + 1)
  })
}

// Where this value has what was matched. Redaction may have moved it: only a text that is still there counts.
function placesIn(value: unknown, evidence: readonly Evidence[]): readonly Place[] {
  if (typeof value !== 'string') return []
  const places = evidence.flatMap(({ span, matched }) => {
    const text = matched?.replace(/…$/, '') ?? ''
    if (span === undefined || text === '' || span.end > value.length || span.end <= span.start) return []
    return value.slice(span.start, span.end).startsWith(text) ? [{ start: span.start, end: span.end }] : []
  })
  return places.sort((a, b) => a.start - b.start)
}

function leafLines(name: string, value: unknown, places: readonly Place[], more: string | undefined): string[] {
  const label = oneLine(name === '' ? 'arguments' : name, 200)
  if (typeof value !== 'string') {
    const text = value === undefined ? 'undefined' : JSON.stringify(value)
    return [`${INDENT}${colors.dim(`${label}:`)} ${escapeHidden(text)}`]
  }
  const lines = value.split('\n')
  if (lines.length === 1) {
    const head = `${INDENT}${colors.dim(`${label}:`)} `
    return markedLine(head, value, places, more)
  }
  return [`${INDENT}${colors.dim(`${label}: (${lines.length} lines)`)}`, ...numbered(lines, places, more)]
}

function numbered(lines: readonly string[], places: readonly Place[], more: string | undefined): string[] {
  const starts: number[] = []
  let at = 0
  for (const line of lines) {
    starts.push(at)
    at += line.length + 1
  }
  const own = lines.map((line, index) => placesOfLine(places, starts[index] ?? 0, line.length))
  const isShown = more === undefined || lines.length <= MAX_LINES ? () => true : inView(lines.length, own)
  const width = String(lines.length).length
  const shown: string[] = []
  let hidden = 0
  for (const [index, line] of lines.entries()) {
    if (!isShown(index)) {
      hidden++
      continue
    }
    if (hidden > 0) shown.push(gap(`${hidden} lines hidden; all of it: ${more}`))
    hidden = 0
    const marks = own[index] ?? []
    const number = String(index + 1).padStart(width)
    const head = `${marks.length > 0 ? colors.bold('>') : ' '} ${colors.dim(`${number} │`)} `
    shown.push(...markedLine(INDENT + head, line, marks, more))
  }
  return shown
}

// The part of each place that lies in this line, counted from its beginning.
function placesOfLine(places: readonly Place[], start: number, length: number): readonly Place[] {
  const own = places.filter((place) => place.start < start + Math.max(1, length) && place.end > start)
  return own.map((place) => ({ start: Math.max(0, place.start - start), end: Math.min(length, place.end - start) }))
}

// A match over many lines is in view at its beginning.
function inView(count: number, own: readonly (readonly Place[])[]): (index: number) => boolean {
  const near = new Set<number>()
  for (let index = 0; index < count; index++) {
    const isStart = (own[index] ?? []).length > 0 && ((own[index - 1] ?? []).length === 0 || near.size < 200)
    if (!isStart) continue
    for (let line = index - NEAR_LINES; line <= index + NEAR_LINES; line++) near.add(line)
  }
  return (index) => index < END_LINES || index >= count - END_LINES || near.has(index)
}

function gap(text: string): string {
  return `${INDENT}  ${colors.dim(`… ${text}`)}`
}

interface Piece {
  readonly text: string
  readonly isMarked: boolean
}

// The line with its marks below. What is cut out of a long line is counted.
function markedLine(head: string, line: string, places: readonly Place[], more: string | undefined): string[] {
  const pieces = piecesOf(line, places, more)
  const text = pieces.map((piece) => (piece.isMarked ? colors.bold(piece.text) : piece.text)).join('')
  if (places.length === 0) return [head + text]
  const marks = pieces.map((piece) =>
    piece.isMarked ? `^${'~'.repeat(Math.max(0, widthOf(piece.text) - 1))}` : blanks(piece.text),
  )
  return [head + text, `${' '.repeat(widthOf(head))}${colors.red(marks.join('').trimEnd())}`]
}

function blanks(text: string): string {
  return text
    .split('\t')
    .map((part) => ' '.repeat(widthOf(part)))
    .join('\t')
}

function piecesOf(line: string, places: readonly Place[], more: string | undefined): readonly Piece[] {
  const windows = windowsOf(line, places, more)
  const pieces: Piece[] = []
  let at = 0
  for (const { start, end } of windows) {
    if (start > at) pieces.push({ text: ` … ${start - at} characters hidden … `, isMarked: false })
    at = start
    for (const place of places) {
      const from = Math.max(at, place.start)
      const to = Math.min(end, place.end)
      if (to <= from) continue
      if (from > at) pieces.push({ text: escapeHidden(line.slice(at, from)), isMarked: false })
      pieces.push({ text: escapeHidden(line.slice(from, to)), isMarked: true })
      at = to
    }
    if (end > at) pieces.push({ text: escapeHidden(line.slice(at, end)), isMarked: false })
    at = Math.max(at, end)
  }
  return pieces
}

function windowsOf(line: string, places: readonly Place[], more: string | undefined): readonly Place[] {
  if (more === undefined || line.length <= MAX_LINE) return [{ start: 0, end: line.length }]
  const wanted = [
    { start: 0, end: END_CHARACTERS },
    ...places.slice(0, 20).map(({ start, end }) => ({
      start: Math.max(0, start - NEAR_CHARACTERS),
      end: Math.min(line.length, Math.min(end, start + MAX_LINE) + NEAR_CHARACTERS),
    })),
    { start: line.length - END_CHARACTERS, end: line.length },
  ].sort((a, b) => a.start - b.start)
  const windows: Place[] = []
  for (const place of wanted) {
    const last = windows.at(-1)
    if (last !== undefined && place.start <= last.end)
      windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, place.end) }
    else windows.push(place)
  }
  return windows
}
