// How often in a row each hook failed, beside the breaker's own count: another hook that works must not hide one that
// never does. Pure.

import { isRecord } from '../../engine/plain-data.ts'

/** Failures in a row by hook and point; what worked when it last ran is not in it. */
export type FailureCounts = Readonly<Record<string, number>>

/** What ran in one step, by hook and point. */
export interface StepRuns {
  readonly failed: readonly string[]
  readonly worked: readonly string[]
}

export const NO_FAILURES: FailureCounts = Object.freeze({})
const NO_RUNS: StepRuns = Object.freeze({ failed: [], worked: [] })

// More hooks than a pipeline has: what is left over from other configurations goes first.
const MAX_COUNTED = 200

/** The counts after a step. The same object when nothing changes; counts end at `limit`, which is all one has to know. */
export function countRuns(counts: FailureCounts, { failed, worked }: StepRuns = NO_RUNS, limit: number): FailureCounts {
  const isSame = failed.every((key) => counts[key] === limit) && !worked.some((key) => Object.hasOwn(counts, key))
  if (isSame) return counts
  const next = new Map(Object.entries(counts))
  for (const key of worked) next.delete(key)
  for (const key of failed) {
    const count = Math.min(limit, (next.get(key) ?? 0) + 1)
    next.delete(key)
    next.set(key, count)
  }
  return Object.fromEntries([...next].slice(-MAX_COUNTED))
}

/** Has one of these failed so often in a row? */
export function hasReached(counts: FailureCounts, failed: readonly string[], limit: number): boolean {
  return failed.some((key) => (counts[key] ?? 0) >= limit)
}

/** Reads a counts as it was kept; what is none counts for nothing. */
export function readFailureCounts(kept: unknown): FailureCounts {
  if (!isRecord(kept)) return NO_FAILURES
  const counts = Object.entries(kept).filter(([, count]) => Number.isInteger(count) && (count as number) > 0)
  return counts.length === 0 ? NO_FAILURES : (Object.fromEntries(counts) as FailureCounts)
}
