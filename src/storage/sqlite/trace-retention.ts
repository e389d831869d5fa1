// Removes the oldest records. The cut stores the hash of the last removed record, so that the chain can be verified from
// there on. A step is never separated from its evaluations.

import type { RetainPolicy } from '../ports.ts'
import type { TraceReader } from './trace-reader.ts'
import type { TraceRow, TraceRows } from './trace-rows.ts'

const BATCH = 2_000

/** The last record to remove. */
export function findCut({ before, maxBytes }: RetainPolicy, rows: TraceRows, reader: TraceReader): number {
  const byAge = before === undefined ? 0 : reader.firstSince(before) - 1
  const bySize = maxBytes === undefined ? 0 : findCutBySize(maxBytes, rows)
  return Math.max(byAge, bySize)
}

/** Removes a batch of the records up to there, inside the caller's transaction. Returns how many. */
export function removeBatch(rows: TraceRows, upTo: number): number {
  const page = rows.page(rows.end('cut').seq, BATCH)
  const wanted = page.findLast(({ seq }) => seq <= upTo)
  if (wanted === undefined) return 0
  const last = findEndOfStep(rows, wanted)
  const { bytes, count } = rows.sizeUpTo(last.seq)
  rows.removeUpTo(last.seq)
  rows.setEnd('cut', { seq: last.seq, hash: last.hash, clock: last.clock, bytes: 0 })
  const head = rows.end('head')
  rows.setEnd('head', { ...head, bytes: Math.max(0, head.bytes - bytes) })
  return count
}

function findCutBySize(maxBytes: number, rows: TraceRows): number {
  let { bytes } = rows.end('head')
  let last = rows.end('cut').seq
  while (bytes > maxBytes) {
    const page = rows.page(last, BATCH)
    if (page.length === 0) break
    for (const { seq, body } of page) {
      if (bytes <= maxBytes) break
      bytes -= Buffer.byteLength(body)
      last = seq
    }
  }
  return last
}

function findEndOfStep(rows: TraceRows, from: TraceRow): TraceRow {
  let last = from
  for (;;) {
    const next = rows.bySeq(last.seq + 1)
    if (next === undefined || next.step === null) return last
    last = next
  }
}
