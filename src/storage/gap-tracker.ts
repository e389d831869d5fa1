// Counts the entries that could not be recorded in time, from the first until the gap itself is recorded.

import { describe } from '../engine/errors.ts'
import { newId } from '../platform/ids.ts'
import type { EventEntry } from '../trace/record.ts'
import type { Gap, GapNotes } from './gap-notes.ts'
import { RepeatedFailure, type ReportFailure, TRACE_FAILURE } from './repeated-failure.ts'

/** The gap of this process that is not recorded yet. */
export class GapTracker {
  readonly #notes: GapNotes | undefined
  readonly #failure: RepeatedFailure
  readonly #report: ReportFailure
  #gap: Gap | undefined
  #late = 0

  constructor(notes?: GapNotes, report: ReportFailure = () => undefined) {
    this.#notes = notes
    this.#report = report
    const ends = (count: number): string => `${summarize(count, this.#late)}.`
    this.#failure = new RepeatedFailure({ begins: TRACE_FAILURE.begins, ends }, report)
  }

  get gap(): Gap | undefined {
    return this.#gap
  }

  /** Entries could not be recorded in time. Some of them may be written later. */
  add(times: readonly number[], error: unknown): void {
    if (times.length === 0) return
    this.#extend(times, error)
    this.#failure.fail(error, times.length)
  }

  /** Something happened to the database, which is recorded. No entry is late because of it. */
  note(error: Error): void {
    this.#extend([], error)
    this.#report(error.message)
  }

  #extend(times: readonly number[], error: unknown): void {
    const why = describe(error)
    const now = Date.now()
    const { id = newId(), count = 0, first = times[0] ?? now, last = times[0] ?? now } = this.#gap ?? {}
    const gap = {
      ...{ id, why, count: count + times.length },
      first: times.reduce((least, time) => Math.min(least, time), first),
      last: times.reduce((most, time) => Math.max(most, time), last),
    }
    this.#gap = this.#notes?.write(gap) ?? gap
  }

  /** The event that records the gap; `late`: how many of the entries are written after it. */
  toEntry(late: number): EventEntry | undefined {
    return this.#gap && gapEntry(this.#gap, late)
  }

  /** The gap is being committed. What happens from here on is another one. */
  detach(): void {
    this.#gap = undefined
  }

  /** The gap that was detached is recorded. */
  close(late: number): void {
    if (this.#gap === undefined) this.#notes?.clear()
    this.#late = late
    this.#failure.end()
  }

  /** Nothing more is written by this process: the note stays for the next. */
  end(): void {
    this.#late = 0
    this.#failure.end()
  }
}

/** The event that records a gap. */
export function gapEntry({ id, count, first, last, why }: Gap, late: number): EventEntry {
  const times = { first: new Date(first).toISOString(), last: new Date(last).toISOString() }
  const reason = count === 0 ? why : `${summarize(count, late)}: ${why}`
  const metadata = { count, ...times, late, lost: count - late, why }
  return { id, time: Date.now(), component: 'trace', action: 'trace:gap', level: 'error', reason, metadata }
}

function summarize(count: number, late: number): string {
  const what = `${count} ${count === 1 ? 'entry was' : 'entries were'} not recorded in time`
  return `${what} (${late} written late, ${count - late} missing from the trace)`
}
