// How much work one analysis may do. All limits count work, none reads a clock, so that the same text always gives the
// same answer. What is beyond a limit is unknown, never safe.

import type { Span } from '../assessment.ts'
import { noteUnknown, type Walk } from './context.ts'

/** Characters of one script that are parsed; the parser needs about half a microsecond for each at worst. */
export const MAX_SCRIPT_CHARS = 65_536
/** Characters parsed in all; nested scripts count at each level, and more the deeper, as the parser reads them again. */
const MAX_PARSED_CHARS = 131_072
const MAX_STEPS = 6_000
/** Scripts and groups inside each other. */
export const MAX_DEPTH = 32
/** Commands kept as the input of another. */
export const MAX_FROM = 32
/** Texts longer than this are not computed: `${x//a/aaaa}` doubles quickly. */
export const MAX_VALUE_CHARS = 65_536
/** What is not known stands as it was written where that is not longer than this. */
export const MAX_WRITTEN_CHARS = 1_024
export const MAX_BRACE_WORDS = 64
const MAX_UNKNOWN_TEXT = 200

/** Counts steps; false when the analysis has done enough, which is noted once. */
export function spend(walk: Walk, steps: number, span: Span): boolean {
  walk.steps += steps
  if (walk.steps <= MAX_STEPS) return true
  exhaust(walk, span)
  return false
}

/** Counts characters given to the parser, in the same way. */
export function spendParsing(walk: Walk, chars: number, span: Span): boolean {
  walk.parsedChars += chars
  if (walk.parsedChars <= MAX_PARSED_CHARS) return true
  exhaust(walk, span)
  return false
}

/** A part of the analysed text, short enough to show. */
export function clip(text: string): string {
  return text.length > MAX_UNKNOWN_TEXT ? `${text.slice(0, MAX_UNKNOWN_TEXT)}…` : text
}

function exhaust(walk: Walk, span: Span): void {
  if (walk.isExhausted) return
  walk.isExhausted = true
  noteUnknown(walk, { why: 'too-long', span, text: clip(walk.text.slice(span.start, span.end)) })
}
