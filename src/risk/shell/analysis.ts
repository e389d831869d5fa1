// The state of one analysis: results, and work counted against the limits in limits.ts.

import type { Function as FunctionNode } from 'unbash'
import type { Span } from '../assessment.ts'
import type { ShellCommand, Snippet, Unknown, Word } from './execution.ts'
import type { Frame } from './frame.ts'
import { clipUnknownText, MAX_FILE_STEPS, MAX_PARSED_CHARS, MAX_SHELL_DEPTH, MAX_STEPS, MAX_UNKNOWN } from './limits.ts'
import type { SourceFile, SourceFiles } from './source-files.ts'

interface Limits {
  readonly steps: number
  readonly parsedChars: number
  readonly isExhausted: boolean
}

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
  /** The files that the text runs; undefined where no file may be read. */
  readonly sources: SourceFiles | undefined
  private steps = 0
  private parsedChars = 0
  /** What all files together used of the limits for files. */
  private ofFiles = { steps: MAX_STEPS - MAX_FILE_STEPS, parsedChars: 0, isExhausted: false }

  constructor(text: string, sources?: SourceFiles) {
    this.text = text
    this.sources = sources
  }

  /**
   * Runs the text of a file. Files have separate limits, so that a long file cannot hide the rest of the analysed text.
   * Returns undefined for a file that runs itself.
   */
  runFile<T>(file: SourceFile, run: () => T, part?: string): T | undefined {
    const { sources } = this
    const isInFile = sources?.isRunning === true
    if (sources === undefined || !sources.begin(file, part)) return undefined
    const outer = isInFile ? undefined : this.takeLimits(this.ofFiles)
    try {
      return run()
    } finally {
      sources.end()
      if (outer !== undefined) this.ofFiles = this.takeLimits(outer)
    }
  }

  // Inside of a file, further files share the limits of the first.
  private takeLimits(limits: Limits): Limits {
    const { steps, parsedChars, isExhausted } = this
    this.steps = limits.steps
    this.parsedChars = limits.parsedChars
    this.isExhausted = limits.isExhausted
    return { steps, parsedChars, isExhausted }
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
    const file = this.sources?.find(span.start)
    const { text, base } = file ?? { text: this.text, base: 0 }
    return clipUnknownText(text.slice(span.start - base, span.end - base))
  }
}
