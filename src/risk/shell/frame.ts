// Positions and origins during the analysis: frames of scripts, fields of words, inputs. Knows no program.

import type { Span } from '../assessment.ts'
import type { CommandLocation, Input, Redirect, ShellCommand, Word } from './execution.ts'

/** The text that a script would print; undefined when it is not certain. */
export type Output = string | undefined

/** Text that runs as code, or may run: its known text and the commands that print it. */
export interface CodeSource {
  readonly text: Output
  readonly from: readonly ShellCommand[]
}

/** A word during the analysis: a word as rules see it, and its origin. */
export interface Field extends Word {
  /** Offset of its text in the analysed text, when the text is there character by character. */
  readonly at?: number | undefined
  /** The output of `<( )`. */
  readonly source?: CodeSource | undefined
}

/** An input with the offset of its text, so that positions in it can be reported. */
export interface LocatedInput extends Input {
  readonly at?: number | undefined
  /** The text with its unknown parts as written. */
  readonly written?: string | undefined
  /** The file that it is read from: `< file`. */
  readonly file?: string | undefined
}

/** An input that exists, with unknown content. */
export const UNKNOWN_INPUT: LocatedInput = { from: [], written: '' }

/** Maps positions of a script: an offset into the analysed text, or one span for all positions. */
type Origin = number | Span

/** How and where a script runs. Immutable: inner scripts get a changed copy. */
export interface Frame {
  /** The text that the positions of its nodes index. */
  readonly source: string
  readonly origin: Origin
  readonly via: readonly string[]
  readonly location: CommandLocation
  /** Redirects of the enclosing groups. */
  readonly redirects: readonly Redirect[]
  readonly input: Input | undefined
  readonly depth: number
  readonly isDormant: boolean
  readonly isBackground: boolean
  readonly isEndless: boolean
}

export const NO_REDIRECTS: readonly Redirect[] = []
export const NO_ENV: ReadonlyMap<string, Word> = new Map()

/** The frame of the analysed text itself. */
export function topFrame(source: string): Frame {
  return {
    source,
    origin: 0,
    via: [],
    location: 'local',
    redirects: NO_REDIRECTS,
    input: undefined,
    depth: 0,
    isDormant: false,
    isBackground: false,
    isEndless: false,
  }
}

/** The span of a script's node in the analysed text. */
export function spanAt(frame: Frame, pos: number, end: number): Span {
  const { origin, source } = frame
  if (typeof origin !== 'number') return origin
  // In unfinished text the parser may report positions beyond the end.
  const start = Math.min(pos, source.length)
  return { start: origin + start, end: origin + Math.max(start, Math.min(end, source.length)) }
}

/** The offset of a script's position in the analysed text; undefined when there is no such offset. */
export function findOffset(frame: Frame, pos: number): number | undefined {
  return typeof frame.origin === 'number' ? frame.origin + pos : undefined
}

/** Makes a word that is not written in the analysed text. */
export function makeField(text: string, span: Span, isKnown = true): Field {
  return { text, isKnown, isGlob: false, span }
}
