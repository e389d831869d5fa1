// Compare-and-set on the state. Hosts start a process per event, so a counter in memory would count nothing.

import { ArcError, show } from '../engine/errors.ts'
import type { StateStore } from './ports.ts'

/** How long the state of a session or turn is retained. */
export const SESSION_TTL_MS = 7 * 86_400_000

// Tried without a lock first: a race is rare, and a lock is expensive when nothing changes.
const UNLOCKED_TRIES = 3
// A store without `change` loses a race only to another writer; after this many losses something else is wrong.
const MAX_TRIES = 1_000

/**
 * Changes a value, however many processes do so at once: reads, computes and writes, and starts again when another
 * writer was first. When `change` returns undefined, nothing is written. `change` may be called several times.
 */
export function update<T>(
  store: StateStore,
  key: string,
  change: (value: T | undefined) => T | undefined,
  ttlMs?: number,
): T | undefined {
  const tries = store.change === undefined ? MAX_TRIES : UNLOCKED_TRIES
  for (let at = 0; at < tries; at++) {
    const entry = store.get(key)
    const before = entry?.value as T | undefined
    const after = change(before)
    if (after === undefined) return before
    if (store.set(key, after, entry?.version ?? 0, ttlMs)) return after
  }
  if (store.change !== undefined) return store.change(key, change, ttlMs)
  throw new ArcError('ARC_STORE_BUSY', `Others changed ${show(key)} first, ${tries} times in a row.`)
}

/** The key of a value that belongs to a turn of a session. Session and turn come from outside, so they are quoted. */
export function turnKey(kind: string, session: string, turn: string | undefined): string {
  return `${kind}:${JSON.stringify([session, turn ?? ''])}`
}
