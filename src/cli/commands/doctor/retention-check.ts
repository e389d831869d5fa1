// `arc doctor`: what the trace keeps, and how much there is.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import type { Config } from '../../../config/config.ts'
import { describe } from '../../../engine/errors.ts'
import type { Check } from '../../../hosts/check.ts'
import { TraceRetention } from '../../../storage/sqlite/trace-retention.ts'
import { SqliteTraceStore } from '../../../storage/sqlite/trace-store.ts'
import { formatBytes } from '../../output.ts'

/** The check of the retention of a home. */
export function retentionCheck(home: string, { keep, archive }: Config['trace']): Check {
  const name = 'retention'
  const days = keep.days === null ? 'no limit of age' : `${keep.days} days`
  const bytes = keep.bytes === null ? 'no limit of size' : formatBytes(keep.bytes)
  const kept = `keeps ${days}, ${bytes}${archive === undefined ? '' : `, archives in ${archive}`}`
  const file = join(home, 'arc.db')
  if (!existsSync(file)) return { name, ok: true, detail: kept }
  try {
    const failure = readFailure(file)
    if (failure !== undefined) {
      const fix = 'Fix the reason, then run: arc trace cut'
      return { name, ok: false, detail: `${kept}; old records were not removed: ${failure}`, fix }
    }
    return { name, ok: true, detail: `${kept}; there are ${describeUsage(file)}` }
  } catch (error) {
    return { name, ok: false, detail: describe(error), fix: 'Check for a program that locks the database.' }
  }
}

function describeUsage(file: string): string {
  const retention = new TraceRetention(file)
  try {
    const { cut, head, oldest, usedBytes } = retention.usage()
    const since = oldest === undefined ? '' : ` since ${new Date(oldest).toISOString().slice(0, 10)}`
    return `${head.seq - cut.seq} records${since}, ${formatBytes(usedBytes)}`
  } finally {
    retention.close()
  }
}

// The reason why the newest run removed nothing.
function readFailure(file: string): string | undefined {
  const store = new SqliteTraceStore(file)
  try {
    const last = (action: string) => store.query({ component: 'trace', action, limit: 1 })[0]
    const failed = last('trace:cut-failed')
    return failed !== undefined && failed.seq > (last('trace:cut')?.seq ?? 0) ? failed.reason : undefined
  } finally {
    store.close()
  }
}
