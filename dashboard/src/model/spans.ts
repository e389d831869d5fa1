// Splits a text at the spans that a rule matched. Spans are untrusted: they may overlap or be out of range.

export interface MatchedSpan {
  readonly start: number
  readonly end: number
}

export interface Marked {
  readonly text: string
  readonly isMarked: boolean
}

/** The parts of a text, those inside a span marked. Joined they are the text. */
export function markSpans(text: string, spans: readonly MatchedSpan[]): readonly Marked[] {
  const pieces: Marked[] = []
  let at = 0
  for (const { start, end } of unite(text, spans)) {
    if (start > at) pieces.push({ text: text.slice(at, start), isMarked: false })
    pieces.push({ text: text.slice(start, end), isMarked: true })
    at = end
  }
  if (at < text.length) pieces.push({ text: text.slice(at), isMarked: false })
  return pieces
}

// Clipped to the text, sorted, and merged where they touch.
function unite(text: string, spans: readonly MatchedSpan[]): readonly MatchedSpan[] {
  const within = spans
    .map(({ start, end }) => ({ start: clamp(start, text.length), end: clamp(end, text.length) }))
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start)
  const united: MatchedSpan[] = []
  for (const span of within) {
    const last = united.at(-1)
    if (last !== undefined && span.start <= last.end) {
      united[united.length - 1] = { start: last.start, end: Math.max(last.end, span.end) }
    } else united.push(span)
  }
  return united
}

function clamp(value: number, max: number): number {
  return Number.isFinite(value) ? Math.min(Math.max(0, Math.trunc(value)), max) : 0
}
