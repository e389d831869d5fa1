// What the parts of the analysis hand to each other: where a piece of text came from, and what was found so far.
// Holds no knowledge of any program.

import type { Function as FunctionNode } from 'unbash'
import type { Span } from '../assessment.ts'
import type { Input, Place, Redirect, ShellCommand, Snippet, Surroundings, Unknown, Word } from './execution.ts'
import type { Scope } from './scope.ts'

/** What a script would print, when that is certain. */
export type Output = string | undefined

/** Text that runs as code, or might: what is known of it and the commands that print it. */
export interface Feed {
  readonly text: Output
  readonly from: readonly ShellCommand[]
}

/** A word during the analysis: besides what rules see, where it came from. */
export interface Field extends Word {
  /** Where its text begins in the analysed text, when it stands there character by character. */
  readonly at?: number | undefined
  /** What it would print, for `<( )`. */
  readonly feed?: Feed | undefined
}

/** Positions of a script: shifted by an offset into the analysed text, or all at one place. */
type Origin = number | Span

/** How and where a script runs. Never changed: inner scripts get a changed copy. */
export interface Frame {
  /** The text that the positions of its nodes index. */
  readonly source: string
  readonly origin: Origin
  readonly via: readonly string[]
  readonly place: Place
  /** Redirects of the groups around it. */
  readonly redirects: readonly Redirect[]
  readonly input: Input | undefined
  readonly depth: number
  readonly isDormant: boolean
  readonly isBackground: boolean
  readonly isEndless: boolean
}

/** One simple command after expansion: its name first. Wrappers make a shorter one of it. */
export interface Call {
  readonly fields: readonly Field[]
  readonly span: Span
  readonly redirects: readonly Redirect[]
  readonly input: Input | undefined
  readonly env: ReadonlyMap<string, Word>
  readonly frame: Frame
  readonly scope: Scope
}

/** The state of one analysis. */
export interface Walk {
  readonly text: string
  readonly surroundings: Surroundings
  readonly commands: ShellCommand[]
  readonly snippets: Snippet[]
  readonly unknown: Unknown[]
  readonly assigned: Map<string, Word>
  /** Work done, counted against the limits in limits.ts. */
  steps: number
  parsedChars: number
  isExhausted: boolean
  loopDepth: number
  /** Which of several possible values of a variable is read at the moment, and how many others were seen. */
  choice: number
  choicesSeen: number
  /** Functions that run at the moment, and all that ever ran. */
  readonly calling: Set<FunctionNode>
  readonly called: Set<FunctionNode>
}

export const NOWHERE: readonly Redirect[] = []
export const NO_ENV: ReadonlyMap<string, Word> = new Map()

/** The place in the analysed text of a node of a script. */
export function spanAt(frame: Frame, pos: number, end: number): Span {
  const { origin, source } = frame
  if (typeof origin !== 'number') return origin
  // In unfinished text the parser's positions may lie behind its end.
  const start = Math.min(pos, source.length)
  return { start: origin + start, end: origin + Math.max(start, Math.min(end, source.length)) }
}

/** Where a position of a script is in the analysed text, if that can be said. */
export function offsetAt(frame: Frame, pos: number): number | undefined {
  return typeof frame.origin === 'number' ? frame.origin + pos : undefined
}

/** A word made by the analysis. */
export function makeField(text: string, span: Span, isKnown = true): Field {
  return { text, isKnown, isGlob: false, span }
}

/** Parts noted as unknown; more of them would say nothing new. */
const MAX_UNKNOWN = 64

/** Notes a part that could not be understood; the same part once. */
export function noteUnknown(walk: Walk, unknown: Unknown): void {
  if (walk.unknown.length >= MAX_UNKNOWN) return
  const isNoted = walk.unknown.some(
    (other) => other.why === unknown.why && other.span.start === unknown.span.start && other.text === unknown.text,
  )
  if (!isNoted) walk.unknown.push(unknown)
}
