// How often in a row each hook failed, beside the breaker's own count: another hook that works must not hide one that
// never does. Pure.

import { isRecord } from '../../engine/plain-data.ts'

/** Failures in a row by hook and point; what worked when it last ran is not in it. */
export type Tally = Readonly<Record<string, number>>

/** What ran in one step, by hook and point. */
export interface StepRuns {
  readonly failed: readonly string[]
  readonly worked: readonly string[]
}

export const NO_TALLY: Tally = Object.freeze({})
const NO_RUNS: StepRuns = Object.freeze({ failed: [], worked: [] })

// More hooks than a pipeline has: what is left over from other configurations goes first.
const MAX_COUNTED = 200

/** The tally after a step. The same object when nothing changes; counts end at `limit`, which is all one has to know. */
export function countRuns(tally: Tally, { failed, worked }: StepRuns = NO_RUNS, limit: number): Tally {
  const isSame = failed.every((key) => tally[key] === limit) && !worked.some((key) => Object.hasOwn(tally, key))
  if (isSame) return tally
  const counts = new Map(Object.entries(tally))
  for (const key of worked) counts.delete(key)
  for (const key of failed) {
    const count = Math.min(limit, (counts.get(key) ?? 0) + 1)
    counts.delete(key)
    counts.set(key, count)
  }
  return Object.fromEntries([...counts].slice(-MAX_COUNTED))
}

/** Has one of these failed so often in a row? */
export function hasReached(tally: Tally, failed: readonly string[], limit: number): boolean {
  return failed.some((key) => (tally[key] ?? 0) >= limit)
}

/** Reads a tally as it was kept; what is none counts for nothing. */
export function readTally(kept: unknown): Tally {
  if (!isRecord(kept)) return NO_TALLY
  const counts = Object.entries(kept).filter(([, count]) => Number.isInteger(count) && (count as number) > 0)
  return counts.length === 0 ? NO_TALLY : (Object.fromEntries(counts) as Tally)
}
