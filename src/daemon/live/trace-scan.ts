// Reads the trace in order, forward or backward, page by page: reading a long trace must not delay hook calls.

import { setImmediate as yieldToEvents } from 'node:timers/promises'
import type { TraceFilter, TraceStore } from '../../storage/ports.ts'
import type { TraceRecord } from '../../trace/record.ts'
import { type GroupedRecords, groupRecords } from './feed-steps.ts'

const PAGE = 400

/** The records after a position, complete steps only; none if `last` is undefined. */
export function readAfter(trace: TraceStore, after: number, options: TraceFilter = {}): GroupedRecords & ReadAfter {
  for (let limit = options.limit ?? PAGE; ; limit *= 2) {
    const records = trace.records({ ...options, afterSeq: after, limit, steps: true })
    const isPart = records.length === limit
    const gathered = groupRecords(records, { isPart })
    // A step has more evaluations than the page has records.
    if (isPart && gathered.last === undefined) continue
    return { ...gathered, records: takeUpTo(records, gathered.last), first: records[0]?.seq, isPart }
  }
}

interface ReadAfter {
  /** The same as single records. */
  readonly records: readonly TraceRecord[]
  /** The first record that exists, to detect removed records before it. */
  readonly first: number | undefined
  /** There are more records. */
  readonly isPart: boolean
}

/** The records before a position, page by page, newest page first; within a page oldest first. */
export async function* readBack(
  trace: TraceStore,
  before: number | undefined,
  filter: TraceFilter = {},
): AsyncGenerator<GroupedRecords & { readonly read: number; readonly first: number }> {
  let end = before
  for (let limit = PAGE; ; ) {
    const records = trace.records({ ...filter, steps: true, limit, ...(end !== undefined && { beforeSeq: end }) })
    const isLast = records.length < limit
    // Evaluations at the start of a page belong to a step of the page before.
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
    await yieldToEvents()
  }
}

function takeUpTo(records: readonly TraceRecord[], last: number | undefined): readonly TraceRecord[] {
  if (last === undefined) return []
  return records.at(-1)?.seq === last ? records : records.filter(({ seq }) => seq <= last)
}
