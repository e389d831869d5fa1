// Reads the record in order, forward or back, a little at a time: whoever looks at a long record must not keep hooks waiting.

import { setImmediate as breathe } from 'node:timers/promises'
import type { TraceRecord } from '../../trace/record.ts'
import type { TraceFilter, TraceStore } from '../../trace/store.ts'
import { type GroupedRecords, groupRecords } from './feed-steps.ts'

const PAGE = 400

/** What came after a place, whole steps only; nothing more when `last` is undefined. */
export function readAfter(trace: TraceStore, after: number, options: TraceFilter = {}): GroupedRecords & ReadAfter {
  for (let limit = options.limit ?? PAGE; ; limit *= 2) {
    const records = trace.records({ ...options, afterSeq: after, limit, steps: true })
    const isPart = records.length === limit
    const gathered = groupRecords(records, { isPart })
    // A step with more evaluations than a page holds.
    if (isPart && gathered.last === undefined) continue
    return { ...gathered, records: upTo(records, gathered.last), first: records[0]?.seq, isPart }
  }
}

interface ReadAfter {
  /** The same, record by record. */
  readonly records: readonly TraceRecord[]
  /** The first record there is, to see whether some are missing before it. */
  readonly first: number | undefined
  /** There is more. */
  readonly isPart: boolean
}

/** What came before a place, page by page, the newest first; within a page the oldest first. */
export async function* readBack(
  trace: TraceStore,
  before: number | undefined,
  filter: TraceFilter = {},
): AsyncGenerator<GroupedRecords & { readonly read: number; readonly first: number }> {
  let end = before
  for (let limit = PAGE; ; ) {
    const records = trace.records({ ...filter, steps: true, limit, ...(end !== undefined && { beforeSeq: end }) })
    const isLast = records.length < limit
    // Evaluations at the beginning belong to a step of the page before it.
    const from = isLast ? 0 : records.findIndex(({ kind }) => kind !== 'evaluation')
    const first = records[Math.max(0, from)]
    if (first === undefined) return
    if (from < 0) {
      limit *= 2
      continue
    }
    yield { ...groupRecords(records.slice(from), { isPart: false }), read: records.length, first: first.seq }
    if (isLast) return
    end = first.seq
    limit = PAGE
    await breathe()
  }
}

function upTo(records: readonly TraceRecord[], last: number | undefined): readonly TraceRecord[] {
  if (last === undefined) return []
  return records.at(-1)?.seq === last ? records : records.filter(({ seq }) => seq <= last)
}
