// The gaps of a trace, for status, doctor and verification: those on record, and those that are only noted.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'
import { type Gap, GapNotes } from './gap-notes.ts'
import type { TraceStore } from './ports.ts'
import { SqliteTraceStore } from './sqlite/trace-store.ts'

/** What is missing from a trace. */
export interface GapCheck {
  /** The number of recorded gaps; the newest 1,000 at most. */
  readonly recorded: number
  /** How many entries of the recorded gaps are lost. */
  readonly lost: number
  /** When the last recorded gap ended. */
  readonly last?: string | undefined
  /** Gaps that are not recorded yet. */
  readonly pending: readonly Pick<Gap, 'count' | 'first' | 'last' | 'why'>[]
}

const MAX_GAPS = 1_000

/** Reads the gaps of a home. Does not create it. */
export function checkGaps(home: string): GapCheck {
  const pending = existsSync(home) ? new GapNotes(home).list() : []
  const file = join(home, 'arc.db')
  const recorded = readRecorded(file, pending.length > 0)
  return { ...recorded, pending: pending.map(({ count, first, last, why }) => ({ count, first, last, why })) }
}

/** One line about the gaps; undefined if there are none. */
export function describeGaps({ recorded, lost, last, pending }: GapCheck): string | undefined {
  const now = pending.reduce((sum, { count }) => sum + count, 0)
  const parts = [
    ...(now > 0 ? [`${now} ${now === 1 ? 'entry is' : 'entries are'} not recorded yet: ${pending[0]?.why ?? ''}`] : []),
    ...(recorded > 0
      ? [
          `${recorded} ${recorded === 1 ? 'gap' : 'gaps'} in the trace, ${lost} entries lost, the last at ${last ?? '?'}`,
        ]
      : []),
  ]
  return parts.length === 0 ? undefined : parts.join('; ')
}

const NONE: Omit<GapCheck, 'pending'> = { recorded: 0, lost: 0 }

// What is not recorded yet is reported also if the database cannot be read, which is often the reason.
function readRecorded(file: string, hasPending: boolean): Omit<GapCheck, 'pending'> {
  if (!existsSync(file)) return NONE
  let store: SqliteTraceStore | undefined
  try {
    store = new SqliteTraceStore(file, { waitMs: 1_000 })
    return countGaps(store)
  } catch (error) {
    if (hasPending) return NONE
    throw error
  } finally {
    store?.close()
  }
}

function countGaps(trace: Pick<TraceStore, 'records'>): Omit<GapCheck, 'pending'> {
  const gaps = trace.records({ component: 'trace', action: 'trace:gap', limit: MAX_GAPS })
  const metadata = gaps.map((record) => (isRecord(record.metadata) ? record.metadata : {}))
  const lost = metadata.reduce((sum, each) => sum + (typeof each.lost === 'number' ? each.lost : 0), 0)
  const last = metadata.at(-1)?.last
  return { recorded: gaps.length, lost, last: typeof last === 'string' ? last : undefined }
}
