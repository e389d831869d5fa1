// Follows the record as it grows, once for everybody: the figures and all streams are fed from one reading. What this daemon
// wrote is looked for at once, what other processes wrote when the database's files change, and at the latest soon after.

import { type FSWatcher, watch } from 'node:fs'
import { setImmediate as breathe } from 'node:timers/promises'
import { describe } from '../../engine/errors.ts'
import type { TraceRecord } from '../../trace/record.ts'
import type { TraceStore } from '../../trace/store.ts'
import { DecisionCounters } from './decision-counters.ts'
import type { GroupedRecords } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'

/** What came in one reading, between two places of the record. */
export interface Batch extends GroupedRecords {
  /** Begins behind this record. */
  readonly after: number
  readonly to: number
  readonly records: readonly TraceRecord[]
  /** The first record that was there; more than one behind `after` when some were cut off. */
  readonly first: number
}

/** Told of each reading; of nothing new as well, so that a slow reader is tried again. */
type Listener = (batch: Batch | undefined) => void

interface TraceTailSource {
  readonly home: string
  readonly report: (message: string) => void
  trace(): Promise<TraceStore>
}

// So many of the newest records are counted at first, and after a long time without anybody looking.
const COUNTED = 10_000
const LOOK_EVERY_MS = 100
// Readings are at least so far apart: at a thousand steps a second each brings some fifty of them.
const APART_MS = 40
// A hook that comes meanwhile waits for no more than this.
const MAX_READ = 300

/** One reading of the record for all. */
export class TraceTail {
  readonly #source: TraceTailSource
  readonly #listeners = new Set<Listener>()
  #tally = new DecisionCounters()
  #seq: number | undefined
  #reading: Promise<void> | undefined
  #readAt = Number.NEGATIVE_INFINITY
  #next: NodeJS.Timeout | undefined
  #poll: NodeJS.Timeout | undefined
  #watcher: FSWatcher | undefined

  constructor(source: TraceTailSource) {
    this.#source = source
  }

  /** The figures, as of the last reading. */
  get counters(): DecisionCounters {
    return this.#tally
  }

  /** The last record that was read. */
  get seq(): number {
    return this.#seq ?? 0
  }

  /** Reads all that is new. */
  catchUp(): Promise<void> {
    this.#reading ??= this.#read().finally(() => {
      this.#reading = undefined
    })
    return this.#reading
  }

  /** Something was written: read soon, if anybody listens. */
  wake(): void {
    if (this.#listeners.size === 0 || this.#next !== undefined) return
    const waitMs = Math.max(0, this.#readAt + APART_MS - performance.now())
    this.#next = setTimeout(() => {
      this.#next = undefined
      this.catchUp().catch((error) => this.#source.report(`The record cannot be followed: ${describe(error)}`))
    }, waitMs).unref()
  }

  /** Listens until the disposer is called. Nobody listening costs nothing. */
  listen(listener: Listener): () => void {
    this.#listeners.add(listener)
    if (this.#poll === undefined) this.#begin()
    return () => {
      this.#listeners.delete(listener)
      if (this.#listeners.size === 0) this.close()
    }
  }

  /** Lets go of timers and files; safe to call twice. */
  close(): void {
    clearInterval(this.#poll)
    clearTimeout(this.#next)
    this.#poll = undefined
    this.#next = undefined
    this.#watcher?.close()
    this.#watcher = undefined
  }

  #begin(): void {
    this.#poll = setInterval(() => this.wake(), LOOK_EVERY_MS).unref()
    try {
      const watcher = watch(this.#source.home, { persistent: false }, (_event, name) => {
        if (name === null || name.startsWith('arc.db')) this.wake()
      })
      // It only makes things faster: without it the timer does.
      watcher.on('error', () => watcher.close())
      this.#watcher = watcher
    } catch (error) {
      this.#source.report(`The database's files cannot be watched, so news comes a little later: ${describe(error)}`)
    }
  }

  async #read(): Promise<void> {
    const trace = await this.#source.trace()
    if (this.#seq === undefined) this.#jump(trace)
    for (;;) {
      const after = this.seq
      const { last, first, isPart, ...read } = readAfter(trace, after, { limit: MAX_READ })
      this.#readAt = performance.now()
      if (last === undefined || first === undefined) break
      this.#take({ ...read, last, after, to: last, first })
      if (!isPart) return
      // Nobody looked for long: what lies between is of no interest to the figures, and streams read it themselves.
      if (findNewestSeq(trace) - last > COUNTED) this.#jump(trace)
      await breathe()
    }
    // A damaged database was set aside: its record begins anew, and so does everything that follows it.
    if (findNewestSeq(trace) < this.seq) this.#jump(trace)
    this.#tell(undefined)
  }

  // The figures begin anew with the newest records.
  #jump(trace: TraceStore): void {
    this.#tally = new DecisionCounters()
    this.#seq = Math.max(0, findNewestSeq(trace) - COUNTED)
  }

  #take(batch: Batch): void {
    for (const step of batch.steps) this.#tally.addStep(step)
    for (const event of batch.events) this.#tally.addEvent(event)
    this.#seq = batch.to
    this.#tell(batch)
  }

  #tell(batch: Batch | undefined): void {
    for (const listener of this.#listeners) listener(batch)
  }
}

/** The last record there is; 0 when there is none. */
export function findNewestSeq(trace: TraceStore): number {
  return trace.records({ limit: 1, steps: true }).at(-1)?.seq ?? 0
}
