// The state of one analysis: results, and work counted against the limits in limits.ts.

import type { Function as FunctionNode } from 'unbash'
import type { Span } from '../assessment.ts'
import type { ShellCommand, Snippet, Unknown, Word } from './execution.ts'
import type { Frame } from './frame.ts'
import { clipUnknownText, MAX_PARSED_CHARS, MAX_SHELL_DEPTH, MAX_STEPS, MAX_UNKNOWN } from './limits.ts'

export class Analysis {
  readonly text: string
  readonly commands: ShellCommand[] = []
  readonly snippets: Snippet[] = []
  readonly unknown: Unknown[] = []
  readonly assigned = new Map<string, Word>()
  isExhausted = false
  loopDepth = 0
  /** Index of the possible value that variables currently have, and the highest number of alternatives seen. */
  choice = 0
  choicesSeen = 0
  /** Functions on the call stack, and all functions that were ever called. */
  readonly calling = new Set<FunctionNode>()
  readonly called = new Set<FunctionNode>()
  private steps = 0
  private parsedChars = 0

  constructor(text: string) {
    this.text = text
  }

  /** Counts steps. Returns false when the limit is reached, which is noted once. */
  spend(steps: number, span: Span): boolean {
    this.steps += steps
    if (this.steps <= MAX_STEPS) return true
    this.exhaust(span)
    return false
  }

  /** Counts characters given to the parser, in the same way. */
  spendParsing(chars: number, span: Span): boolean {
    this.parsedChars += chars
    if (this.parsedChars <= MAX_PARSED_CHARS) return true
    this.exhaust(span)
    return false
  }

  /** Whether the nesting is beyond the limit, which is noted. */
  isTooDeep(frame: Frame, span: Span): boolean {
    if (frame.depth <= MAX_SHELL_DEPTH) return false
    this.noteUnknown({ why: 'too-deep', span, text: this.clipSpan(span) })
    return true
  }

  /** Notes a part that could not be understood. The same part is noted once. */
  noteUnknown(unknown: Unknown): void {
    if (this.unknown.length >= MAX_UNKNOWN) return
    const isNoted = this.unknown.some(
      (other) => other.why === unknown.why && other.span.start === unknown.span.start && other.text === unknown.text,
    )
    if (!isNoted) this.unknown.push(unknown)
  }

  private exhaust(span: Span): void {
    if (this.isExhausted) return
    this.isExhausted = true
    this.noteUnknown({ why: 'too-long', span, text: this.clipSpan(span) })
  }

  private clipSpan(span: Span): string {
    return clipUnknownText(this.text.slice(span.start, span.end))
  }
}
