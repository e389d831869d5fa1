// A report with the commands to type next, for each form of output.

import type { TraceReport } from '../../../daemon/live/report.ts'

/** A report with the commands to type next. */
export interface ReportWithNext extends TraceReport {
  /** The mode of the active profile. */
  readonly mode: string
  readonly next: readonly NextCommand[]
}

export interface NextCommand {
  readonly command: string
  readonly why: string
}
