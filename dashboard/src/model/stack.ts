// Counts over time, piled up for a stacked plot: each line is the sum of those below it.

import type { Bucket } from '../../../src/protocol/views.ts'

/** From the bottom: what is grave stands on what is harmless. */
export const STACK_ORDER = ['pass', 'flag', 'ask', 'block'] as const

/** Times in seconds, then for each of the keys, from the top of the pile to its bottom, the height it reaches. */
export function stackOf(buckets: readonly Bucket[]): readonly [readonly number[], ...(readonly number[][])] {
  const heights = STACK_ORDER.map((_, level) =>
    buckets.map((bucket) => STACK_ORDER.slice(0, level + 1).reduce((sum, key) => sum + bucket[key], 0)),
  )
  return [buckets.map(({ at }) => at / 1_000), ...heights.toReversed()]
}

/** All buckets of a span of time, those without anything included, oldest first. */
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

/** What all of them come to. */
export function sumOf(buckets: readonly Bucket[]): Omit<Bucket, 'at'> {
  const sum = { pass: 0, flag: 0, ask: 0, block: 0, error: 0 }
  for (const bucket of buckets) {
    for (const key of [...STACK_ORDER, 'error'] as const) sum[key] += bucket[key]
  }
  return sum
}
