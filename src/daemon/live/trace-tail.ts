// Follows the trace as it grows: one read for the counters and all streams. Records of this daemon are read at once, records
// of other processes when the database files change, and at the latest by a timer.

import { type FSWatcher, watch } from 'node:fs'
import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { describe } from '../../engine/errors.ts'
import type { TraceStore } from '../../storage/ports.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { DecisionCounters } from './decision-counters.ts'
import type { GroupedRecords } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'

/** The records of one read. */
export interface Batch extends GroupedRecords {
  /** The record before the first one. */
  readonly after: number
  readonly to: number
  readonly records: readonly TraceRecord[]
  /** The first record that exists; greater than `after` + 1 if records were removed. */
  readonly first: number
}

/** Called after each read, also without new records, so that a slow reader is tried again. */
type Listener = (batch: Batch | undefined) => void

interface TraceTailSource {
  readonly home: string
  readonly report: (message: string) => void
  trace(): Promise<TraceStore>
}

// How many of the newest records are counted at the start, and after a long time without a reader.
const MAX_COUNTED = 10_000
const POLL_MS = 100
// The minimum time between reads: at a thousand steps a second each read has about fifty.
const MIN_INTERVAL_MS = 40
// Limits how long a read delays a hook call.
const MAX_READ = 300

/** Reads the trace once for all listeners. */
export class TraceTail {
  readonly #source: TraceTailSource
  readonly #listeners = new Set<Listener>()
  #counters = new DecisionCounters()
  #seq: number | undefined
  #reading: Promise<void> | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #next: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #watcher: FSWatcher | undefined

  constructor(source: TraceTailSource) {
    this.#source = source
  }

  /** The counters as of the last read. */
  get counters(): DecisionCounters {
    return this.#counters
  }

  /** The last record that was read; 0 before the first. */
  get seq(): number {
    return this.#seq ?? 0
  }

  /** Reads all new records. */
  catchUp(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Reads soon, if there are listeners: call it after a write. */
  wake(): void {
    if (this.#listeners.size === 0 || this.#next !== undefined) return
    const waitMs = Math.max(0, this.#readAt + MIN_INTERVAL_MS - performance.now())
    this.#next = setTimeout(() => {
      this.#next = undefined
      this.catchUp().catch((error) => this.#source.report(`The trace cannot be read: ${describe(error)}`))
    }, waitMs).unref()
  }

  /** Adds a listener; returns its removal. Without listeners nothing runs. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#poll === undefined) this.#start()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Releases timers and files; safe to call twice. */
  close(): void {
    clearInterval(this.#poll)
    clearTimeout(this.#next)
    this.#poll = undefined
    this.#next = undefined
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #start(): void {
    this.#poll = setInterval(() => this.wake(), POLL_MS).unref()
    try {
      const watcher = watch(this.#source.home, { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith('arc.db')) this.wake()
      })
      // Without the watcher the timer suffices.
      watcher.on('error', () => watcher.close())
      this.#watcher = watcher
    } catch (error) {
      this.#source.report(`The database files cannot be watched, so updates come a little later: ${describe(error)}`)
    }
  }

  async #read(): Promise<void> {
    const trace = await this.#source.trace()
    if (this.#seq === undefined) this.#skipToNewest(trace)
    for (;;) {
      const after = this.seq
      const { last, first, isPart, ...read } = readAfter(trace, after, { limit: MAX_READ })
      this.#readAt = performance.now()
      if (last === undefined || first === undefined) break
      this.#add({ ...read, last, after, to: last, first })
      if (!isPart) return
      // After a long time without a read: the counters skip the old records, and streams read them on their own.
      if (findNewestSeq(trace) - last > MAX_COUNTED) this.#skipToNewest(trace)
      await yieldToEvents()
    }
    // A damaged database was set aside: its trace starts again, and so do the counters.
    if (findNewestSeq(trace) < this.seq) this.#skipToNewest(trace)
    this.#notify(undefined)
  }

  // Starts the counters again with the newest records.
  #skipToNewest(trace: TraceStore): void {
    this.#counters = new DecisionCounters()
    this.#seq = Math.max(0, findNewestSeq(trace) - MAX_COUNTED)
  }

  #add(batch: Batch): void {
    for (const step of batch.steps) this.#counters.addStep(step)
    for (const event of batch.events) this.#counters.addEvent(event)
    this.#seq = batch.to
    this.#notify(batch)
  }

  #notify(batch: Batch | undefined): void {
    for (const listener of this.#listeners) listener(batch)
  }
}

/** The newest record; 0 if there is none. */
export function findNewestSeq(trace: TraceStore): number {
  return trace.records({ limit: 1, steps: true }).at(-1)?.seq ?? 0
}
