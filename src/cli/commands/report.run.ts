// `arc report`: what was stopped, held, or would have been in enforce, on one screen, as Markdown or as JSON.

import { readReport, type TraceReport } from '../../daemon/live/report.ts'
import { ProfileHome } from '../../supervisor/profile-home.ts'
import { summarize } from '../../supervisor/profile-view.ts'
import { rowColumns, shortenId } from '../action-rows.ts'
import { context } from '../context.ts'
import { openTrace } from '../home-stores.ts'
import { print, printJson, readPast, report } from '../output.ts'
import { ProgressLine } from '../progress-line.ts'
import type { NextCommand, ReportWithNext } from './report/next-commands.ts'
import { formatMarkdown } from './report/report-markdown.ts'
import { formatReport } from './report/report-text.ts'

/** The options of `arc report`. */
export interface ReportOptions {
  readonly since: string
  readonly markdown?: boolean
  readonly json?: boolean
}

const USAGE = 2

/** Prints the report. */
export async function printReport(options: ReportOptions): Promise<number> {
  const now = Date.now()
  const since = readPast(options.since, '--since', now)
  if (typeof since === 'string' || (options.json === true && options.markdown === true)) {
    report(typeof since === 'string' ? since : 'use either --json or --markdown')
    return USAGE
  }
  const found = await read(since, now, options.since)
  if (options.json === true) printJson({ ...found, next: found.next.map(({ command }) => command) })
  else if (options.markdown === true) context().stdout.write(formatMarkdown(found))
  else for (const line of formatReport(found, rowColumns())) print(line)
  return 0
}

async function read(since: number, now: number, given: string): Promise<ReportWithNext> {
  const store = openTrace()
  const progress = new ProgressLine()
  try {
    const found = await readReport(store, since, now, (records) => progress.count('counted', records))
    const profiles = new ProfileHome()
    const mode = summarize(profiles, profiles.active).enforcement
    const id = found.rules[0]?.examples[0]?.id
    return { ...found, mode, next: listNext(found, mode, given, id && shortenId(store, id)) }
  } finally {
    progress.end()
    store.close()
  }
}

// The most useful commands, at most three.
function listNext(
  found: TraceReport,
  mode: string,
  since: string,
  example: string | undefined,
): readonly NextCommand[] {
  if (found.actions === 0) {
    return [
      { command: 'arc install', why: 'supervise an agent' },
      { command: 'arc sample', why: 'or play a sample session' },
    ]
  }
  const filter = found.wouldStop > 0 ? '--would-block' : found.stopped > 0 ? '--decision block' : '--decision ask'
  const isStopping = found.wouldStop + found.stopped + found.held > 0
  const [rule] = found.rules
  const all: readonly (NextCommand | false)[] = [
    isStopping && { command: `arc logs ${filter} --since ${since}`, why: 'list these actions' },
    example !== undefined && { command: `arc why ${example}`, why: `explain ${rule?.rule ?? rule?.hook ?? 'one'}` },
    mode !== 'enforce' && { command: 'arc mode enforce', why: describeEnforce(found, mode) },
    found.hooks.some(({ errors }) => errors > 0) && {
      command: `arc logs --action hook:error --since ${since}`,
      why: 'hooks that failed',
    },
  ]
  return all.filter((one) => one !== false).slice(0, MAX_NEXT)
}

const MAX_NEXT = 3

function describeEnforce({ wouldStop }: TraceReport, mode: string): string {
  return wouldStop === 0 ? `nothing would have been stopped; the mode is ${mode}` : `apply them; the mode is ${mode}`
}
