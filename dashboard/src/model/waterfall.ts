// The layout of a waterfall. Long pauses are shortened: in a session that was open overnight the bars would otherwise be dots
// at the edges.

import type { Action } from '../../../src/protocol/views.ts'

interface Bar {
  /** From 0 to 1. */
  readonly left: number
  readonly width: number
}

interface Pause {
  /** The position from 0 to 1, and the real duration. */
  readonly left: number
  readonly ms: number
}

export interface Waterfall {
  /** A bar for each action, in the same order. */
  readonly bars: readonly Bar[]
  readonly pauses: readonly Pause[]
}

interface Interval {
  readonly start: number
  readonly end: number
}

/** The width of a long pause as a share of the active time. */
const PAUSE_SHARE = 0.04
const MIN_PAUSE_MS = 1_000

/** Lays out the actions of a session over time. */
export function layOutWaterfall(actions: readonly Action[]): Waterfall {
  const intervals = actions.map(intervalOf)
  const busy = unite(intervals)
  const workedMs = busy.reduce((sum, { start, end }) => sum + end - start, 0)
  const drawnMs = Math.max(MIN_PAUSE_MS, workedMs * PAUSE_SHARE)
  const marks: { readonly at: number; readonly drawn: number }[] = []
  const pauses: { readonly drawn: number; readonly ms: number }[] = []
  let drawn = 0
  busy.forEach(({ start, end }, index) => {
    const before = busy[index - 1]
    const pauseMs = before === undefined ? 0 : start - before.end
    if (pauseMs > drawnMs) pauses.push({ drawn: drawn + drawnMs / 2, ms: pauseMs })
    drawn += Math.min(pauseMs, drawnMs)
    marks.push({ at: start, drawn })
    drawn += end - start
  })
  const whole = drawn || 1
  return {
    bars: intervals.map(({ start, end }) => {
      const mark = lastBefore(marks, start)
      const left = (mark.drawn + start - mark.at) / whole
      return { left, width: (end - start) / whole }
    }),
    pauses: pauses.map(({ drawn: at, ms }) => ({ left: at / whole, ms })),
  }
}

// The tool's duration, or the hooks' duration if no tool ran.
function intervalOf({ time, ranMs, durationMs }: Action): Interval {
  const start = Date.parse(time)
  const length = ranMs === undefined ? durationMs : ranMs
  const from = Number.isFinite(start) ? start : 0
  return { start: from, end: from + Math.max(0.5, Number.isFinite(length) ? length : 0) }
}

function unite(intervals: readonly Interval[]): readonly Interval[] {
  const united: Interval[] = []
  for (const interval of intervals.toSorted((a, b) => a.start - b.start)) {
    const last = united.at(-1)
    if (last !== undefined && interval.start <= last.end) {
      united[united.length - 1] = { start: last.start, end: Math.max(last.end, interval.end) }
    } else united.push(interval)
  }
  return united
}

function lastBefore<T extends { readonly at: number }>(marks: readonly T[], at: number): T {
  let low = 0
  let high = marks.length - 1
  while (low < high) {
    const middle = (low + high + 1) >>> 1
    if ((marks[middle]?.at ?? 0) <= at) low = middle
    else high = middle - 1
  }
  return marks[low] as T
}
