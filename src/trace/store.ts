// Where the trace is kept: the interface that the memory store and the database both satisfy.
// Everything is synchronous: an entry is committed before the outcome it records is handed back.

import type { Decision } from '../engine/verdict.ts'
import type { Checkpoint, Verification } from './chain.ts'
import type { Component, EvaluationRecord, EventRecord, LogRow, StepRecord, TraceEntry, TraceRecord } from './record.ts'

/** Keeps the trace. Many may write to one store at once, also from several processes. */
export interface TraceStore {
  /** Records a step with all its evaluations, or an event: whole or not at all. */
  append(entry: TraceEntry): Appended
  /** The same for many, in one transaction. */
  appendAll(entries: readonly TraceEntry[]): readonly Appended[]
  /** The lines of the log that match, oldest first: the newest of them, or those after `afterSeq`. */
  query(filter?: TraceFilter): LogRow[]
  /** The same as whole records. */
  records(filter?: TraceFilter): TraceRecord[]
  /** One step or event by its id, by the beginning of its id if only one begins so, or the `last` step. */
  get(id: string): Found
  /** How much happened, without counting anew. */
  counters(options?: CounterOptions): Counters
  /** Checks the chain and names the first bad record. */
  verify(): Verification
  /** The chain as lines of JSON: a line for the cut if there was one, then one for each record. */
  export(): IterableIterator<string>
  /** Removes the oldest records; the chain stays verifiable from the cut on. */
  retain(policy: RetainPolicy): Retained
  /** Safe to call twice. */
  close(): void
}

/** Where an entry went: its step or event, then its evaluations. */
export interface Appended {
  readonly id: string
  readonly seqs: readonly number[]
}

export interface TraceFilter {
  readonly component?: Component | undefined
  readonly action?: string | undefined
  readonly session?: string | undefined
  readonly hook?: string | undefined
  readonly decision?: Decision | undefined
  /** Not older than this wall-clock time in ms. */
  readonly since?: number | undefined
  /** Only what came after this record: for following. */
  readonly afterSeq?: number | undefined
  /** Only what came before this record: for paging back. */
  readonly beforeSeq?: number | undefined
  /** At most so many lines; 100 unless set. */
  readonly limit?: number | undefined
  /** The records of steps as well; only evaluations and events unless set. */
  readonly steps?: boolean | undefined
}

/** What `get` found. */
export type Found =
  | { readonly found: 'step'; readonly record: StepRecord; readonly evaluations: readonly EvaluationRecord[] }
  | { readonly found: 'event'; readonly record: EventRecord }
  | { readonly found: 'nothing' }
  /** Several begin so: some of them. */
  | { readonly found: 'several'; readonly ids: readonly string[] }

/** Evaluations by what was decided, failures included; how many of them failed; and how many did not run. */
export interface Tally {
  readonly pass: number
  readonly flag: number
  readonly ask: number
  readonly block: number
  readonly error: number
  readonly skip: number
}

export interface CounterOptions {
  /** How many hours, the newest ones; 24 unless set. */
  readonly hours?: number | undefined
}

/** Counted since the beginning: retention takes nothing from them. */
export interface Counters {
  readonly records: number
  readonly steps: number
  readonly total: Tally
  readonly hooks: Readonly<Record<string, Tally>>
  /** Oldest first; `hour` is its beginning, as in `2026-01-31T12:00:00.000Z`. */
  readonly hours: readonly { readonly hour: string; readonly tally: Tally }[]
}

export interface RetainPolicy {
  /** Remove what is older than this wall-clock time in ms. */
  readonly before?: number | undefined
  /** Remove the oldest until the text of the records is at most this long. */
  readonly maxBytes?: number | undefined
  /** The time and the id to record the cut with. */
  readonly now: number
  readonly id: string
}

export interface Retained {
  readonly removed: number
  readonly cut: Checkpoint
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 2 ** 31 - 1

/** How many lines a filter asks for: none for less than one or what is no number. */
export function limitOf({ limit = DEFAULT_LIMIT }: TraceFilter): number {
  return limit >= 1 ? Math.min(Math.floor(limit), MAX_LIMIT) : 0
}

export const DEFAULT_HOURS = 24
/** How many ids are named when several begin alike. */
export const MAX_NAMED = 10
