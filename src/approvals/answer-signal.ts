// Wakes the calls of this process that wait for an answer, at once. Answers of other processes are found by reading the
// state again. The approvals of one state store share their signals.

import type { StateStore } from '../storage/ports.ts'

type Waiters = Map<string, Set<() => void>>

const WAITERS = new WeakMap<StateStore, Waiters>()

/** Calls `wake` when the approval changes in this process; returns the removal. */
export function onAnswer(state: StateStore, id: string, wake: () => void): () => void {
  const waiters: Waiters = WAITERS.get(state) ?? new Map()
  WAITERS.set(state, waiters)
  const own = waiters.get(id) ?? new Set()
  waiters.set(id, own)
  own.add(wake)
  return () => {
    own.delete(wake)
    if (own.size === 0 && waiters.get(id) === own) waiters.delete(id)
  }
}

/** Wakes everything that waits for this approval. */
export function signalAnswer(state: StateStore, id: string): void {
  for (const wake of [...(WAITERS.get(state)?.get(id) ?? [])]) wake()
}
