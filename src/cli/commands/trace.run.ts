// `arc trace verify` and `arc trace export`: verifies or exports the audit trail.

import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { parseFileTarget } from '../../daemon/anchor-sender.ts'
import { describe } from '../../engine/errors.ts'
import { arcHome } from '../../platform/home.ts'
import {
  type AnchorCheck,
  type AnchorSource,
  anchorsIn,
  checkAnchors,
  journalAnchors,
} from '../../storage/anchor-check.ts'
import { verifyArchiveFile } from '../../storage/archive-file.ts'
import { checkGaps, describeGaps, type GapCheck } from '../../storage/gap-check.ts'
import { verifyFile } from '../../storage/sqlite/parallel-verification.ts'
import { TraceFactsReader } from '../../storage/sqlite/trace-facts.ts'
import { readVerified, type VerifiedRecord, writeVerified } from '../../storage/verified-record.ts'
import { openDryRun } from '../../supervisor/dry-run.ts'
import type { TraceFacts } from '../../trace/anchors.ts'
import type { Verification } from '../../trace/chain.ts'
import colors from '../colors.ts'
import { context } from '../context.ts'
import { openTrace } from '../home-stores.ts'
import { info, report } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'

export interface VerifyArguments {
  readonly json?: boolean
  /** Only the records after the last verification. */
  readonly since?: 'last'
  /** An archive or an export. */
  readonly file?: string
  /** A file with anchors: a copy from another machine, or an extract of a system log. */
  readonly anchors?: string
}

/** Verifies the hash chain and the anchors; exit code 1 if a record is bad or an anchor does not match. */
export async function verifyTrace(options: VerifyArguments): Promise<number> {
  if (options.file !== undefined) return verifyArchive(resolve(context().cwd, options.file), options.json === true)
  const home = arcHome()
  // Before the store is opened, since opening moves a damaged database aside.
  const given = options.anchors === undefined ? [] : [anchorsIn(resolve(context().cwd, options.anchors))]
  const { mismatch, ...anchors } = checkAnchors(home, [...given, ...readConfigured(home), journalAnchors()])
  const { since, ...chain } = await verifyHome(home, options.since === 'last', options.json === true)
  const ok = chain.ok && mismatch === undefined
  const gaps = checkGaps(home)
  const result = { ...chain, ok, since, gaps, anchors: { ...anchors, ...(mismatch !== undefined && { mismatch }) } }
  if (options.json === true) context().stdout.write(`${JSON.stringify(result)}\n`)
  else printResult(result)
  return ok ? 0 : 1
}

type HomeVerification = Verification & { readonly since?: VerifiedRecord | undefined }

async function verifyHome(home: string, isIncremental: boolean, isJson: boolean): Promise<HomeVerification> {
  // `databaseFile` would make the home.
  const file = join(home, 'arc.db')
  if (!existsSync(file)) return { ok: true, records: 0 }
  const { database, head, cut } = readFacts(file)
  const before = readVerified(home)
  // The memory of another database says nothing about this one.
  const since = isIncremental && before?.database === database ? before : undefined
  const progress = new ProgressLine({ isJson })
  const total = head.seq - (since?.seq ?? cut.seq)
  const onProgress = (records: number): void => progress.count('verified', records, total)
  const result = await verifyFile(file, { after: since, onProgress })
  progress.end()
  if (result.ok && result.head !== undefined) {
    const time = new Date().toISOString()
    const whole = since === undefined ? { seq: result.head.seq, time } : since.whole
    remember(home, { ...result.head, database, time, whole })
  }
  return { ...result, since }
}

function readFacts(file: string): Pick<TraceFacts, 'database' | 'head' | 'cut'> {
  const reader = new TraceFactsReader(file)
  try {
    return reader.read(({ database, head, cut }) => ({ database, head, cut }))
  } finally {
    reader.close()
  }
}

// The result does not depend on it: the next verification only takes longer.
function remember(home: string, verified: VerifiedRecord): void {
  try {
    writeVerified(home, verified)
  } catch (error) {
    report(`The verified record could not be remembered: ${describe(error)}`)
  }
}

function printResult(result: HomeVerification & { anchors: AnchorCheck; gaps: GapCheck }): void {
  const { ok, records, firstBad, since, anchors, gaps } = result
  const { checked, mismatch, setAside } = anchors
  const range = since === undefined ? '' : ` since record ${since.seq} (${since.time})`
  if (ok) info(colors.green(`ok: ${records} records${range}, hash chain intact, ${checked} anchors match`))
  if (since !== undefined) info(describeWhole(since))
  if (firstBad !== undefined) info(colors.red(`broken: ${JSON.stringify(firstBad)}`))
  if (mismatch !== undefined) {
    info(colors.red(`${mismatch.kind}: ${mismatch.message}`))
    if (mismatch.expected !== undefined) info(`  expected  ${JSON.stringify(mismatch.expected)}`)
    if (mismatch.found !== undefined) info(`  found     ${JSON.stringify(mismatch.found)}`)
  }
  for (const file of setAside) info(`  moved aside: ${file}`)
  const missing = describeGaps(gaps)
  if (missing !== undefined) info(colors.yellow(`  ${missing} (arc logs --action trace:gap)`))
}

function describeWhole({ whole }: VerifiedRecord): string {
  const last = whole === undefined ? 'never verified as a whole' : `last verified as a whole at ${whole.time}`
  return `  The records before were not checked: ${last}. \`arc trace verify\` checks all.`
}

async function verifyArchive(file: string, isJson: boolean): Promise<number> {
  const progress = new ProgressLine({ isJson })
  const result = await verifyArchiveFile(file, (records) => progress.count('verified', records))
  progress.end()
  const { ok, records, firstBad, cut, head } = result
  if (isJson) context().stdout.write(`${JSON.stringify({ ...result, file })}\n`)
  else if (ok) {
    info(colors.green(`ok: ${records} records, ${(cut?.seq ?? 0) + 1} to ${head?.seq ?? 0}, hash chain intact`))
  } else info(colors.red(`broken: ${JSON.stringify(firstBad)}`))
  return ok ? 0 : 1
}

// Only files of the configuration: anchors at a URL cannot be read back.
function readConfigured(home: string): AnchorSource[] {
  const { preview, close } = openDryRun({ cwd: home, report })
  try {
    const files = preview.config.trace.anchors.filter((target) => target.startsWith('file:')).map(parseFileTarget)
    return files.filter((file) => existsSync(file)).map(anchorsIn)
  } finally {
    close()
  }
}

/** Prints all records as lines of JSON. */
export async function exportTrace(): Promise<number> {
  const store = openTrace()
  // On a terminal the records themselves show that it is alive.
  const progress = new ProgressLine({ isJson: context().stdout.isTTY === true })
  const total = countRecords()
  let exported = 0
  try {
    for (const line of store.export()) {
      progress.count('exported', ++exported, total)
      // Waits for a slow reader instead of buffering the whole trail.
      if (!context().stdout.write(`${line}\n`)) await once(context().stdout, 'drain')
    }
    return 0
  } finally {
    progress.end()
    store.close()
  }
}

function countRecords(): number | undefined {
  const file = join(arcHome(), 'arc.db')
  if (!existsSync(file)) return undefined
  const { head, cut } = readFacts(file)
  return head.seq - cut.seq
}
