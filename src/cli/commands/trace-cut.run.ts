// `arc trace cut`: removes the oldest records now, after confirmation.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { ArcError } from '../../engine/errors.ts'
import { arcHome } from '../../platform/home.ts'
import { newId } from '../../platform/ids.ts'
import { readKeepPolicy } from '../../storage/keep-policy.ts'
import { openStores } from '../../storage/open-stores.ts'
import { findCut, type KeepPolicy, type RetentionResult, runRetention } from '../../storage/retention-run.ts'
import { TraceRetention, type TraceUsage } from '../../storage/sqlite/trace-retention.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import { type Confirmed, confirm } from '../confirm.ts'
import { formatBytes, info, printJson, readBytes, readSince, report } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'

export interface CutArguments {
  readonly before?: string
  readonly keepDays?: string
  readonly keepBytes?: string
  readonly dryRun?: boolean
  readonly force?: boolean
  readonly json?: boolean
}

/** What would be removed. */
interface Plan {
  readonly upTo: number
  readonly records: number
  readonly usage: TraceUsage
}

/** Removes the oldest records; exit code 1 if that was not confirmed or not possible. */
export async function cutTrace(options: CutArguments): Promise<number> {
  const home = arcHome()
  const { keep, archive } = readSettings(home, options)
  const plan = await readPlan(home, keep)
  if (options.dryRun === true) return printPlan(plan, options.json === true)
  if (plan === undefined || plan.records === 0) {
    if (options.json === true) printJson({ removed: 0, cut: plan?.usage.cut ?? null, archives: [] })
    else info('Nothing to remove.')
    return 0
  }
  const confirmed = await confirm('remove records of the trace', {
    show: () => info(`${describePlan(plan)}${archive === undefined ? '' : ` They are archived in ${archive} first.`}`),
    question: 'Remove them?',
  })
  if (confirmed === undefined) return 1
  const result = await cut(home, { ...options, keep, archive, confirmed })
  if (result.status === 'busy') {
    throw new ArcError('ARC_STORE_BUSY', `Process ${result.pid} is removing old records now; try again later.`)
  }
  const { removed, cut: end, archives } = result
  if (options.json === true) printJson({ removed, cut: end, archives })
  else
    info(`Removed ${removed} records, up to ${end.seq}.${archives.map((file) => `\n  archived in ${file}`).join('')}`)
  return 0
}

interface CutOptions extends CutArguments {
  readonly keep: KeepPolicy
  readonly archive: string | undefined
  readonly confirmed: Confirmed
}

async function cut(home: string, { keep, archive, confirmed, force, json }: CutOptions): Promise<RetentionResult> {
  const stores = openStores(home, report)
  const progress = new ProgressLine({ isJson: json })
  const stopping = new AbortController()
  // Ctrl-C ends after the current batch, so that the cut is recorded.
  const stop = (): void => stopping.abort()
  process.once('SIGINT', stop)
  try {
    const retention = stores.openRetention()
    if (retention === undefined) throw new ArcError('ARC_STORE_UNAVAILABLE', 'The database cannot be opened.')
    const { trace, state } = stores
    const onProgress = (removed: number, of: number): void => progress.count('removed', removed, of)
    const work = { retention, trace, state, keep, archive, newId, isForced: force === true }
    return await runRetention({ ...work, cause: { ...confirmed }, signal: stopping.signal, onProgress })
  } finally {
    process.off('SIGINT', stop)
    progress.end()
    stores.close()
  }
}

async function readPlan(home: string, keep: KeepPolicy): Promise<Plan | undefined> {
  const file = join(home, 'arc.db')
  if (!existsSync(file)) return undefined
  const retention = new TraceRetention(file)
  try {
    const usage = retention.usage()
    const found = await findCut({ retention, keep })
    const last = found > usage.cut.seq ? retention.endOfStep(found) : undefined
    const upTo = last?.seq ?? usage.cut.seq
    return { upTo, records: upTo - usage.cut.seq, usage }
  } finally {
    retention.close()
  }
}

function printPlan(plan: Plan | undefined, isJson: boolean): number {
  const { upTo = 0, records = 0, usage } = plan ?? {}
  const total = (usage?.head.seq ?? 0) - (usage?.cut.seq ?? 0)
  if (isJson) printJson({ dryRun: true, removed: records, upTo, kept: total - records, bytes: usage?.usedBytes ?? 0 })
  else info(plan === undefined || records === 0 ? 'Nothing to remove.' : describePlan(plan))
  return 0
}

function describePlan({ upTo, records, usage }: Plan): string {
  const total = usage.head.seq - usage.cut.seq
  const since = usage.oldest === undefined ? '' : ` since ${new Date(usage.oldest).toISOString()}`
  return `Removes ${records} of ${total} records${since}, up to record ${upTo}; the database has ${formatBytes(usage.usedBytes)}.`
}

// The options, or the configuration without options.
function readSettings(home: string, options: CutArguments): { keep: KeepPolicy; archive: string | undefined } {
  const { preview, close } = openDryRun({ cwd: home, report })
  try {
    const { keep, archive } = preview.config.trace
    const { before, keepDays, keepBytes } = options
    const isGiven = [before, keepDays, keepBytes].some((option) => option !== undefined)
    return { keep: isGiven ? readOptions(options) : readKeepPolicy(keep, Date.now()), archive }
  } finally {
    close()
  }
}

function readOptions({ before, keepDays, keepBytes }: CutArguments): KeepPolicy {
  const time = before === undefined ? undefined : (readSince(before) ?? invalid('--before', '30d or a date', before))
  const days = keepDays === undefined ? null : readDays(keepDays)
  const bytes =
    keepBytes === undefined ? null : (readBytes(keepBytes) ?? invalid('--keep-bytes', '500MB or 2GB', keepBytes))
  const keep = readKeepPolicy({ days, bytes }, Date.now())
  const times = [time, keep.before].filter((limit) => limit !== undefined)
  return { ...keep, before: times.length === 0 ? undefined : Math.max(...times) }
}

function readDays(text: string): number {
  return /^\d{1,6}(?:\.\d+)?$/.test(text) ? Number(text) : invalid('--keep-days', 'a number of days', text)
}

function invalid(option: string, expected: string, given: string): never {
  throw new ArcError('ARC_OPTION_INVALID', `${option} takes ${expected}, not ${JSON.stringify(given)}.`)
}
