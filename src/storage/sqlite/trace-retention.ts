// Cuts the beginning of the trace off. The cut keeps the hash of the last record that went, so that the chain can be
// checked from there on; a step never loses its evaluations.

import type { RetainPolicy } from '../ports.ts'
import type { Database } from './driver/driver.ts'
import { findSegment, type TraceIndex } from './trace-index.ts'
import type { TraceReader } from './trace-reader.ts'
import type { TraceRows } from './trace-rows.ts'

const PART = 2_000

/** The last record that has to go. */
export function findCut({ before, maxBytes }: RetainPolicy, rows: TraceRows, reader: TraceReader): number {
  const byAge = before === undefined ? 0 : reader.firstSince(before) - 1
  const bySize = maxBytes === undefined ? 0 : lastTooMuch(maxBytes, rows)
  return Math.max(byAge, bySize)
}

/** Removes some of the records up to there, in a transaction of its caller's. How many it removed. */
export function cutSome(db: Database, rows: TraceRows, places: TraceIndex, upTo: number): number {
  const cut = rows.end('cut')
  const page = rows.page(cut.seq, PART)
  const isOver = (page[0]?.seq ?? Number.POSITIVE_INFINITY) > upTo
  if (isOver) return 0
  const wanted = page.filter(({ seq }) => seq <= upTo).at(-1)?.seq ?? 0
  const last = rows.one(endOfStep(rows, wanted))
  if (last === undefined) return 0
  const size = db.prepare<[number], { bytes: number; count: number }>(
    'SELECT coalesce(sum(octet_length(body)), 0) AS bytes, count(*) AS count FROM trace WHERE seq <= ?',
  )
  const { bytes, count } = size.get(last.seq) ?? { bytes: 0, count: 0 }
  // What goes stays in the counters.
  if (last.seq > places.indexedUpTo()) places.indexUpTo(last.seq, rows.classes())
  places.removeIds(last.seq)
  db.prepare<[number]>('DELETE FROM trace WHERE seq <= ?').run(last.seq)
  rows.setEnd('cut', { seq: last.seq, hash: last.hash, clock: last.clock, bytes: 0 })
  const head = rows.end('head')
  rows.setEnd('head', { ...head, bytes: Math.max(0, head.bytes - bytes) })
  return count
}

/** Removes the lists of what was cut, some at a time, each in a transaction of its own. */
export function compactIndex(cut: number, write: <T>(work: (places: TraceIndex) => T) => T): void {
  let last = write((places) => places.compact(findSegment(cut + 1), { kind: 'class', name: '', class: -1, part: -1 }))
  while (last !== undefined) {
    const after = last
    last = write((places) => places.compact(findSegment(cut + 1), after))
  }
}

function lastTooMuch(maxBytes: number, rows: TraceRows): number {
  let { bytes } = rows.end('head')
  let last = rows.end('cut').seq
  while (bytes > maxBytes) {
    const page = rows.page(last, PART)
    if (page.length === 0) break
    for (const { seq, body } of page) {
      if (bytes <= maxBytes) break
      bytes -= Buffer.byteLength(body)
      last = seq
    }
  }
  return last
}

function endOfStep(rows: TraceRows, seq: number): number {
  let last = seq
  for (;;) {
    const next = rows.one(last + 1)
    if (next === undefined || next.step === null) return last
    last = next.seq
  }
}
