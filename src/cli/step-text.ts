// Prints the arguments of a step line by line, with the matched parts underlined. A long text is cut in the middle.

import { escapeHidden } from '../display/display-text.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { Evidence } from '../risk/assessment.ts'
import colors from './colors.ts'
import { displayWidth, oneLine } from './output.ts'

/** A span of a text. */
interface TextSpan {
  readonly start: number
  readonly end: number
}

/** Options of the output. */
export interface ShowOptions {
  /** The matched rules; a span belongs to the argument that has the matched text at that position. */
  readonly evidence?: readonly Evidence[]
  /** The command that shows everything, such as `arc why ID`; without it nothing is cut. */
  readonly more?: string | undefined
}

const INDENT = '  '
const MAX_ARGUMENTS = 60
// A longer text is cut to lines at both ends and around each match.
const MAX_LINES = 40
const END_LINES = 12
const NEAR_LINES = 2
// A longer line is cut to characters at both ends and around each match.
const MAX_LINE = 1_000
const END_CHARACTERS = 300
const NEAR_CHARACTERS = 150

/** Formats the arguments of a step, each with its name. */
export function argumentLines(args: unknown, options: ShowOptions = {}): readonly string[] {
  const leaves = flattenArguments(args, '')
  const shown = leaves.map(({ name, value }) => ({ name, value, places: findMatches(value, options.evidence ?? []) }))
  const isLong = options.more !== undefined && shown.length > MAX_ARGUMENTS
  const visible = isLong ? shown.filter(({ places }, at) => at < MAX_ARGUMENTS || places.length > 0) : shown
  const lines = visible.flatMap(({ name, value, places }) => leafLines(name, value, places, options.more))
  const hidden = shown.length - visible.length
  return hidden === 0 ? lines : [...lines, gap(`${hidden} more arguments hidden; show all: ${options.more}`)]
}

/** Formats a name and a value on one line. */
export function factLine(name: string, value: string): string {
  return `${INDENT}${colors.dim(`${name}:`)} ${oneLine(value, Number.POSITIVE_INFINITY)}`
}

interface Leaf {
  readonly name: string
  readonly value: unknown
}

// Deeper values are shown as JSON.
const MAX_DEPTH = 20

function flattenArguments(value: unknown, name: string, depth = 0): readonly Leaf[] {
  const isList = Array.isArray(value)
  const keys = isList || isRecord(value) ? Object.keys(value) : []
  if (keys.length === 0 || depth >= MAX_DEPTH) return [{ name, value }]
  return keys.flatMap((key) => {
    const inner = isList ? `${name}[${key}]` : name === '' ? key : `${name}.${key}`
    return flattenArguments((value as Readonly<Record<string, unknown>>)[key], inner, depth + 1)
  })
}

// The matched spans in this value. Redaction may have moved the text, so it is compared.
function findMatches(value: unknown, evidence: readonly Evidence[]): readonly TextSpan[] {
  if (typeof value !== 'string') return []
  const places = evidence.flatMap(({ span, matched }) => {
    const text = matched?.replace(/…$/, '') ?? ''
    if (span === undefined || text === '' || span.end > value.length || span.end <= span.start) return []
    return value.slice(span.start, span.end).startsWith(text) ? [{ start: span.start, end: span.end }] : []
  })
  return places.sort((a, b) => a.start - b.start)
}

function leafLines(name: string, value: unknown, places: readonly TextSpan[], more: string | undefined): string[] {
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

function numbered(lines: readonly string[], places: readonly TextSpan[], more: string | undefined): string[] {
  const starts: number[] = []
  let at = 0
  for (const line of lines) {
    starts.push(at)
    at += line.length + 1
  }
  const own = lines.map((line, index) => clipToLine(places, starts[index] ?? 0, line.length))
  const isShown = more === undefined || lines.length <= MAX_LINES ? () => true : inView(lines.length, own)
  const width = String(lines.length).length
  const shown: string[] = []
  let hidden = 0
  for (const [index, line] of lines.entries()) {
    if (!isShown(index)) {
      hidden++
      continue
    }
    if (hidden > 0) shown.push(gap(`${hidden} lines hidden; show all: ${more}`))
    hidden = 0
    const marks = own[index] ?? []
    const number = String(index + 1).padStart(width)
    const head = `${marks.length > 0 ? colors.bold('>') : ' '} ${colors.dim(`${number} │`)} `
    shown.push(...markedLine(INDENT + head, line, marks, more))
  }
  return shown
}

// The parts of the spans in this line, relative to its start.
function clipToLine(places: readonly TextSpan[], start: number, length: number): readonly TextSpan[] {
  const own = places.filter((place) => place.start < start + Math.max(1, length) && place.end > start)
  return own.map((place) => ({ start: Math.max(0, place.start - start), end: Math.min(length, place.end - start) }))
}

// Of a match over many lines the first lines are shown.
function inView(count: number, own: readonly (readonly TextSpan[])[]): (index: number) => boolean {
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

// A line with its underline. The number of hidden characters is shown.
function markedLine(head: string, line: string, places: readonly TextSpan[], more: string | undefined): string[] {
  const pieces = splitLine(line, places, more)
  const text = pieces.map((piece) => (piece.isMarked ? colors.bold(piece.text) : piece.text)).join('')
  if (places.length === 0) return [head + text]
  const marks = pieces.map((piece) =>
    piece.isMarked ? `^${'~'.repeat(Math.max(0, displayWidth(piece.text) - 1))}` : blanks(piece.text),
  )
  return [head + text, `${' '.repeat(displayWidth(head))}${colors.red(marks.join('').trimEnd())}`]
}

function blanks(text: string): string {
  return text
    .split('\t')
    .map((part) => ' '.repeat(displayWidth(part)))
    .join('\t')
}

function splitLine(line: string, places: readonly TextSpan[], more: string | undefined): readonly Piece[] {
  const windows = visibleWindows(line, places, more)
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

function visibleWindows(line: string, places: readonly TextSpan[], more: string | undefined): readonly TextSpan[] {
  if (more === undefined || line.length <= MAX_LINE) return [{ start: 0, end: line.length }]
  const wanted = [
    { start: 0, end: END_CHARACTERS },
    ...places.slice(0, 20).map(({ start, end }) => ({
      start: Math.max(0, start - NEAR_CHARACTERS),
      end: Math.min(line.length, Math.min(end, start + MAX_LINE) + NEAR_CHARACTERS),
    })),
    { start: line.length - END_CHARACTERS, end: line.length },
  ].sort((a, b) => a.start - b.start)
  const windows: TextSpan[] = []
  for (const place of wanted) {
    const last = windows.at(-1)
    if (last !== undefined && place.start <= last.end)
      windows[windows.length - 1] = { start: last.start, end: Math.max(last.end, place.end) }
    else windows.push(place)
  }
  return windows
}
