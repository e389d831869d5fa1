// Parts of a text that a rule matched, to be underlined. Spans come from outside: they may lie, overlap or end nowhere.

export interface Span {
  readonly start: number
  readonly end: number
}

export interface Marked {
  readonly text: string
  readonly isMarked: boolean
}

/** The text in pieces, those within a span marked. Put together they are the text again. */
export function markSpans(text: string, spans: readonly Span[]): readonly Marked[] {
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

// Within the text, in order, those that touch as one.
function unite(text: string, spans: readonly Span[]): readonly Span[] {
  const within = spans
    .map(({ start, end }) => ({ start: clamp(start, text.length), end: clamp(end, text.length) }))
    .filter(({ start, end }) => end > start)
    .sort((a, b) => a.start - b.start)
  const united: Span[] = []
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
