// Parses a script. The parser is fast on ordinary text, but slow on some inputs, and it can overflow the stack.

import { type ParsedScript, parse } from 'unbash'
import type { Span } from '../assessment.ts'
import type { Analysis } from './analysis.ts'
import { type Frame, findOffset, spanAt } from './frame.ts'
import { clipUnknownText, MAX_SCRIPT_CHARS } from './limits.ts'

/** Limit on the parser's scans for closing brackets, in characters of about twelve nanoseconds each. */
const MAX_SCANNED_CHARS = 4_000_000
const MAX_HEREDOCS = 200

/** The parsed script; undefined when it cannot be parsed. Errors are noted. */
export function parseScript(analysis: Analysis, text: string, frame: Frame): ParsedScript | undefined {
  const whole = spanAt(frame, 0, text.length)
  const readable = text.length > MAX_SCRIPT_CHARS ? cutOff(analysis, text, frame) : text
  if (!analysis.spendParsing(readable.length, whole)) return undefined
  if (isCostly(readable)) {
    analysis.noteUnknown({ why: 'too-long', span: whole, text: clipUnknownText(text) })
    return undefined
  }
  try {
    const script = parse(readable)
    noteErrors(analysis, script, frame, whole)
    return script
  } catch {
    // The parser throws nothing but a stack overflow.
    analysis.noteUnknown({ why: 'too-deep', span: whole, text: clipUnknownText(text) })
    return undefined
  }
}

/** Notes the errors of a parsed script, including those of nested scripts. */
export function noteErrors(analysis: Analysis, script: ParsedScript, frame: Frame, whole: Span): void {
  const error = script.errors?.[0]
  if (!error) return
  const why = error.message.includes('nesting depth') ? 'too-deep' : 'syntax'
  const start = findOffset(frame, error.pos)
  const span = start === undefined ? whole : { start: Math.min(start, whole.end), end: whole.end }
  analysis.noteUnknown({ why, span, text: clipUnknownText(frame.source.slice(error.pos) || frame.source) })
}

// The start of a text that is too long is parsed, up to the end of a line if possible.
function cutOff(analysis: Analysis, text: string, frame: Frame): string {
  const line = text.lastIndexOf('\n', MAX_SCRIPT_CHARS)
  const end = line > MAX_SCRIPT_CHARS / 2 ? line : MAX_SCRIPT_CHARS
  analysis.noteUnknown({
    why: 'too-long',
    span: spanAt(frame, end, text.length),
    text: clipUnknownText(text.slice(end)),
  })
  return text.slice(0, end)
}

// The parser searches for the end of each `{`, `$[` and `<<`, which takes hours for a text made of them.
function isCostly(text: string): boolean {
  if (text.length < 2_000) return false
  let scanned = 0
  let heredocs = 0
  const open: number[] = []
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 0x7b || (code === 0x5b && text.charCodeAt(at - 1) === 0x24)) open.push(at)
    else if (code === 0x7d || code === 0x5d) scanned += at - (open.pop() ?? at)
    else if (code === 0x3c && text.charCodeAt(at + 1) === 0x3c) heredocs++
  }
  for (const at of open) scanned += text.length - at
  return scanned > MAX_SCANNED_CHARS || heredocs > MAX_HEREDOCS
}
