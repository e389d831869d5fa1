// What outlives a process: hosts start one per event, so counters in memory would count nothing.
// Declared here, kept by the store. Synchronous, as the trace is.

import { ArcError, show } from '../engine/errors.ts'

/** One value and how often it has been written. */
export interface StateEntry {
  readonly key: string
  /** Plain JSON. */
  readonly value: unknown
  readonly version: number
}

/** Small values by key, changed only by compare-and-set: of two who race, exactly one wins. */
export interface StateStore {
  get(key: string): StateEntry | undefined
  /**
   * Writes if the version is still this one (0: not there yet). False when somebody else was faster. With `keepMs` the
   * value is kept for at least so long after it was last written, and may be gone afterwards.
   */
  set(key: string, value: unknown, version: number, keepMs?: number): boolean
  /** Removes if the version is still this one. A value made anew never has a version that was seen before. */
  remove(key: string, version: number): boolean
  /** All whose key begins so, in order of their keys. */
  list(prefix: string): readonly StateEntry[]
  /** Reads, computes and writes while nobody else can write: for `update`, where the store can do so. */
  change?<T>(key: string, change: (value: T | undefined) => T | undefined, keepMs?: number): T | undefined
}

/** For how long what belongs to a session or one of its turns is kept: longer than anybody comes back to one. */
export const SESSION_KEPT_MS = 7 * 86_400_000

// So often it is tried without keeping others out: a race is rare, and a lock is dear when nothing changes.
const FREE_TRIES = 3
// A store without `change` loses a race only when another wins it; so often in a row, something else is wrong.
const MAX_TRIES = 1_000

/**
 * Changes a value however many others do so at once: reads, computes, writes, and begins again when it was too late.
 * `undefined` from `change` leaves all as it is, and writes nothing. `change` may be called several times.
 */
export function update<T>(
  store: StateStore,
  key: string,
  change: (value: T | undefined) => T | undefined,
  keepMs?: number,
): T | undefined {
  const tries = store.change === undefined ? MAX_TRIES : FREE_TRIES
  for (let at = 0; at < tries; at++) {
    const entry = store.get(key)
    const before = entry?.value as T | undefined
    const after = change(before)
    if (after === undefined) return before
    if (store.set(key, after, entry?.version ?? 0, keepMs)) return after
  }
  if (store.change !== undefined) return store.change(key, change, keepMs)
  throw new ArcError('ARC_STORE_BUSY', `Others changed ${show(key)} first, ${tries} times in a row.`)
}

/** The key of something that belongs to one turn of one session; other parts come from outside, so they are quoted. */
export function turnKey(kind: string, session: string, turn: string | undefined): string {
  return `${kind}:${JSON.stringify([session, turn ?? ''])}`
}
