// Counts over time for a stacked plot: each series is the sum of those below it.

import type { Bucket } from '../../../src/protocol/views.ts'

/** From bottom to top: by severity. */
export const STACK_ORDER = ['pass', 'flag', 'ask', 'block'] as const

/** Times in seconds, then a series for each key from the top of the stack to its bottom. */
export function stackBuckets(buckets: readonly Bucket[]): readonly [readonly number[], ...(readonly number[][])] {
  const heights = STACK_ORDER.map((_, level) =>
    buckets.map((bucket) => STACK_ORDER.slice(0, level + 1).reduce((sum, key) => sum + bucket[key], 0)),
  )
  return [buckets.map(({ at }) => at / 1_000), ...heights.toReversed()]
}

/** All buckets of a time range, empty ones included, oldest first. */
export function fillBuckets(
  buckets: readonly Bucket[],
  { stepMs, count, until }: { readonly stepMs: number; readonly count: number; readonly until: number },
): readonly Bucket[] {
  const last = Math.floor(until / stepMs) * stepMs
  const known = new Map(buckets.map((bucket) => [Math.floor(bucket.at / stepMs) * stepMs, bucket]))
  return Array.from({ length: count }, (_, index) => {
    const at = last - (count - 1 - index) * stepMs
    return { ...(known.get(at) ?? { pass: 0, flag: 0, ask: 0, block: 0, error: 0 }), at }
  })
}

/** The sum of all buckets. */
export function sumBuckets(buckets: readonly Bucket[]): Omit<Bucket, 'at'> {
  const sum = { pass: 0, flag: 0, ask: 0, block: 0, error: 0 }
  for (const bucket of buckets) {
    for (const key of [...STACK_ORDER, 'error'] as const) sum[key] += bucket[key]
  }
  return sum
}
