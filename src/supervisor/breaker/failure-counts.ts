// Failures in a row of each hook, in addition to the count of the breaker: a hook that works must not hide a hook that
// always fails. Pure.

import { isRecord } from '../../engine/plain-data.ts'

/** Failures in a row by hook and point; a hook whose last run worked has no entry. */
export type FailureCounts = Readonly<Record<string, number>>

/** The runs of one step, by hook and point. */
export interface StepRuns {
  readonly failed: readonly string[]
  readonly worked: readonly string[]
}

export const NO_FAILURES: FailureCounts = Object.freeze({})
const NO_RUNS: StepRuns = Object.freeze({ failed: [], worked: [] })

// More hooks than a pipeline has: entries of earlier configurations are dropped first.
const MAX_COUNTED = 200

/** The counts after a step; the same object when nothing changes. A count stops at `limit`. */
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

/** Whether one of these hooks has reached the limit. */
export function hasReached(counts: FailureCounts, failed: readonly string[], limit: number): boolean {
  return failed.some((key) => (counts[key] ?? 0) >= limit)
}

/** Reads stored counts; invalid entries are dropped. */
export function readFailureCounts(stored: unknown): FailureCounts {
  if (!isRecord(stored)) return NO_FAILURES
  const counts = Object.entries(stored).filter(([, count]) => Number.isInteger(count) && (count as number) > 0)
  return counts.length === 0 ? NO_FAILURES : (Object.fromEntries(counts) as FailureCounts)
}
