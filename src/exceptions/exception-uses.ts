// How often each exception was used, and when last. Kept by the content of the exception, so that a number that is given
// again starts at zero.

import { createHash } from 'node:crypto'
import type { Exception } from '../config/config.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'

/** The uses of one exception. */
export interface ExceptionUses {
  readonly hits: number
  /** Wall-clock milliseconds. */
  readonly lastUsedAt?: number | undefined
}

/** Counts one use. */
export function countUse(state: StateStore, exception: Exception, now: number): void {
  update<ExceptionUses>(state, buildKey(exception), (before) => ({ hits: (before?.hits ?? 0) + 1, lastUsedAt: now }))
}

/** The uses so far. */
export function readUses(state: StateStore, exception: Exception): ExceptionUses {
  const { hits = 0, lastUsedAt } = (state.get(buildKey(exception))?.value ?? {}) as Partial<ExceptionUses>
  return { hits, lastUsedAt }
}

/** Forgets the uses of a removed exception. */
export function forgetUses(state: StateStore, exception: Exception): void {
  const entry = state.get(buildKey(exception))
  if (entry !== undefined) state.remove(entry.key, entry.version)
}

// The reason, the author and the position may change in an editor; the exception is still the same.
function buildKey({ kind, project, rules, command, folder, digest, createdAt }: Exception): string {
  const content = JSON.stringify([kind, project, rules, command, folder, digest, createdAt])
  return `exception:${createHash('sha256').update(content).digest('hex')}`
}
