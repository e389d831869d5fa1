// The ports of storage: what the rest of the product needs of a store, declared in one place. The stores in memory and in
// SQLite implement them. Types and defaults only.

import type { Decision } from '../engine/verdict.ts'
import type { Task, TaskDraft, TaskRecord, TaskStatus } from '../tasks/task.ts'
import type { TaskMove } from '../tasks/transitions.ts'
import type { Checkpoint, Verification } from '../trace/chain.ts'
import type {
  Component,
  EvaluationRecord,
  EventRecord,
  LogRow,
  StepRecord,
  TraceEntry,
  TraceRecord,
} from '../trace/record.ts'

/** The trace. Several processes may write to it at once. */
export interface TraceStore {
  /**
   * Records a step with all its evaluations, or an event. Redacts at once; resolves when the entry is committed. Entries of
   * the same turn of the event loop share a transaction, in the order of their calls. All reads see the entry. Rejects when the
   * entry could not be committed in time. It is then kept in memory and written when that is possible again, after an event
   * `trace:gap`.
   */
  append(entry: TraceEntry, options?: AppendOptions): Promise<Appended>
  /** The log lines that match, oldest first: the newest of them, or the first after `afterSeq`. */
  query(filter?: TraceFilter): LogRow[]
  /** Like `query`, with whole records. */
  records(filter?: TraceFilter): TraceRecord[]
  /** A step or event by its id or unique prefix, or the `last` step. */
  get(id: string): Found
  /** Totals since the beginning, without reading the records. */
  counters(options?: CounterOptions): Counters
  /** Actions and hook runs since a time, counted page by page. */
  statistics(request?: StatisticsRequest): TraceStatistics
  /** Checks the chain page by page and names the first bad record. */
  verify(request?: VerifyRequest): Verification
  /** The chain as JSON lines: a line for the cut, where there was a cut, then a line per record. */
  export(): IterableIterator<string>
  /** Removes the oldest records; the chain stays verifiable from the cut on. */
  retain(policy: RetainPolicy): Retained
  /** Safe to call twice. */
  close(): void
}

/** Which part of the chain to verify; default all of it. */
export interface VerifyRequest {
  /** Start after this record, which must still be the same one. */
  readonly after?: Checkpoint | undefined
  /** Receives the number of records after each page. */
  readonly onProgress?: ((records: number) => void) | undefined
}

export interface AppendOptions {
  /** How long to wait for a locked database; default: that of the store. */
  readonly waitMs?: number | undefined
}

/** The sequence numbers of an entry: its step or event first, then its evaluations. */
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
  /** Only records after this number: for following the trace. */
  readonly afterSeq?: number | undefined
  /** Only records before this number: for paging back. */
  readonly beforeSeq?: number | undefined
  /** Maximum number of lines; default 100. */
  readonly limit?: number | undefined
  /** Include the records of steps; default false: evaluations and events only. */
  readonly steps?: boolean | undefined
}

/** The result of `get`. */
export type Found =
  | { readonly found: 'step'; readonly record: StepRecord; readonly evaluations: readonly EvaluationRecord[] }
  | { readonly found: 'event'; readonly record: EventRecord }
  | { readonly found: 'nothing' }
  /** The prefix is not unique: the first few ids that begin with it. */
  | { readonly found: 'several'; readonly ids: readonly string[] }

/** Evaluations by decision, failures included; `error` counts the failures, `skip` the hooks that did not run. */
export interface EvaluationCounts {
  readonly pass: number
  readonly flag: number
  readonly ask: number
  readonly block: number
  readonly error: number
  readonly skip: number
}

export interface CounterOptions {
  /** How many of the newest hours to return; default 24. */
  readonly hours?: number | undefined
}

/** Totals since the beginning: retention does not lower them. */
export interface Counters {
  readonly records: number
  readonly steps: number
  readonly total: EvaluationCounts
  readonly hooks: Readonly<Record<string, EvaluationCounts>>
  /** Oldest first; `hour` is the start of the hour, as in `2026-01-31T12:00:00.000Z`. */
  readonly hours: readonly { readonly hour: string; readonly tally: EvaluationCounts }[]
}

export interface StatisticsRequest {
  /** Not older than this wall-clock time in ms. */
  readonly since?: number | undefined
  /** Receives the number of records after each page. */
  readonly onProgress?: ((records: number) => void) | undefined
}

export interface TraceStatistics {
  /** Actions: the two steps of a tool call count once, at the time of the first. */
  readonly actions: number
  /** The same by quarter of an hour, the size that fits the days of every time zone; oldest first. `at` is in ms. */
  readonly quarters: readonly { readonly at: number; readonly actions: number }[]
  /** By name. Skipped runs do not count. */
  readonly hooks: readonly HookStatistics[]
}

export interface HookStatistics {
  readonly name: string
  readonly runs: number
  readonly errors: number
  /** The duration that 95 of 100 runs do not exceed, to two digits. */
  readonly p95Ms: number
}

export interface RetainPolicy {
  /** Remove records older than this wall-clock time in ms. */
  readonly before?: number | undefined
  /** Remove the oldest records until the rest has at most this many bytes of text. */
  readonly maxBytes?: number | undefined
  /** Time and id of the event that records the cut. */
  readonly now: number
  readonly id: string
}

export interface Retained {
  readonly removed: number
  readonly cut: Checkpoint
}

const DEFAULT_LIMIT = 100
const MAX_LIMIT = 2 ** 31 - 1

/** The limit of a filter; 0 for a value below one or not a number. */
export function readLimit({ limit = DEFAULT_LIMIT }: TraceFilter): number {
  return limit >= 1 ? Math.min(Math.floor(limit), MAX_LIMIT) : 0
}

export const DEFAULT_HOURS = 24
/** How many ids `get` names when a prefix is not unique. */
export const MAX_NAMED_IDS = 10

/** A value and its version, which counts its writes. */
export interface StateEntry {
  readonly key: string
  /** Plain JSON. */
  readonly value: unknown
  readonly version: number
}

/** Small values by key, changed by compare-and-set only: of two writers that race, exactly one wins. */
export interface StateStore {
  get(key: string): StateEntry | undefined
  /**
   * Writes if the version is still this one (0: the key does not exist yet); false when another writer was first. With
   * `ttlMs` the value lives at least that long after its last write, and may be removed afterwards.
   */
  set(key: string, value: unknown, version: number, ttlMs?: number): boolean
  /** Removes if the version is still this one. A version number is never used twice for a key. */
  remove(key: string, version: number): boolean
  /** The entries whose key begins with the prefix, in order of their keys. */
  list(prefix: string): readonly StateEntry[]
  /** Reads, computes and writes under the lock of the store, where it has such a lock: used by `update`. */
  change?<T>(key: string, change: (value: T | undefined) => T | undefined, ttlMs?: number): T | undefined
}

/** Selects tasks; all given fields must match. */
export interface TaskFilter {
  readonly status?: TaskStatus | undefined
  /** Delegated by this agent. */
  readonly from?: string | undefined
  /** Assigned to this agent. */
  readonly to?: string | undefined
  /** How many of the newest to return. */
  readonly limit?: number | undefined
}

/** Tasks with their histories. A task changes only through its state machine; of two writers that race exactly one wins. */
export interface TaskStore {
  /** Creates a task in the state `assigned`. Throws when the id is taken or the draft is invalid. */
  create(id: string, draft: TaskDraft, at: number): Task
  get(id: string): Task | undefined
  /** All moves of a task, from the first. */
  history(id: string): readonly TaskRecord[]
  /** In order of creation, which is the order of the ids. */
  list(filter?: TaskFilter): readonly Task[]
  /** Applies a move that the state machine allows, and records it; throws otherwise and changes nothing. */
  move(id: string, move: TaskMove): Task
  /** Extends the lease of a worker; false when the worker has none. */
  renew(id: string, holder: string, at: number): boolean
  /** The tasks whose lease has run out. */
  expired(at: number): readonly Task[]
  /** Safe to call twice. */
  close(): void
}

/** How long a task is retained after its end. */
export const TASK_RETENTION_MS = 7 * 86_400_000

/** Each new task removes this many expired ones, so that no separate clean-up is needed. */
export const PURGE_BATCH = 4
