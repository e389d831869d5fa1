// The log of evaluations and events: a line each, with the command and the project of the step.

import { findNewestSeq } from '../../../daemon/live/trace-tail.ts'
import { readMainText } from '../../../display/step-preview.ts'
import type { TraceFilter, TraceStore } from '../../../storage/ports.ts'
import { buildLogRow, type LogRow, type StepRecord, type TraceRecord } from '../../../trace/record.ts'
import colors from '../../colors.ts'
import {
  DECISION_STYLE,
  displayWidth,
  formatTime,
  info,
  oneLine,
  print,
  printJson,
  terminalColumns,
  wrap,
} from '../../output.ts'
import type { LogLimits, LogsOptions } from './log-options.ts'

/** A line of the log with the command and the project of its step. */
type LogLine = LogRow & { readonly command?: string | undefined; readonly project?: string | undefined }

const POLL_MS = 200

/** Prints the evaluations that match. */
export async function printEvaluations(store: TraceStore, options: LogsOptions, limits: LogLimits): Promise<number> {
  const { component, action, session, hook, decision, json, follow } = options
  const filter = { component, action, session, hook, decision, ...limits } as TraceFilter
  const print = new EvaluationPrinter(store, json === true)
  const from = findNewestSeq(store)
  const records = store.records(filter)
  for (const record of records) print.record(record)
  if (records.length === 0 && json !== true) info('No matching records. To create some: arc sample')
  if (follow === true) await followRecords(store, filter, Math.max(from, records.at(-1)?.seq ?? 0), print)
  return 0
}

// Runs until the process is interrupted or its output is closed.
async function followRecords(
  store: TraceStore,
  filter: TraceFilter,
  from: number,
  print: EvaluationPrinter,
): Promise<never> {
  for (let afterSeq = from; ; ) {
    const records = store.records({ ...filter, afterSeq })
    for (const record of records) print.record(record)
    afterSeq = records.at(-1)?.seq ?? afterSeq
    if (records.length > 0) continue
    // A database that was replaced starts again.
    if (findNewestSeq(store) < afterSeq) afterSeq = 0
    await new Promise((resolve) => setTimeout(resolve, POLL_MS))
  }
}

class EvaluationPrinter {
  readonly #store: TraceStore
  readonly #isJson: boolean
  // The evaluations of a step follow each other.
  #step: StepRecord | undefined

  constructor(store: TraceStore, isJson: boolean) {
    this.#store = store
    this.#isJson = isJson
  }

  record(record: TraceRecord): void {
    const step = record.kind === 'evaluation' ? this.#findStep(record.step) : undefined
    const line: LogLine = {
      ...buildLogRow(record),
      command: step && readMainText(step.data),
      project: step?.workspace,
    }
    if (this.#isJson) printJson(line)
    else printLine(line)
  }

  #findStep(seq: number): StepRecord | undefined {
    if (this.#step?.seq !== seq) {
      const [record] = this.#store.records({ afterSeq: seq - 1, limit: 1, steps: true })
      this.#step = record?.kind === 'step' && record.seq === seq ? record : undefined
    }
    return this.#step
  }
}

const MAX_COMMAND = 60

function printLine(line: LogLine): void {
  const { icon, paint } = DECISION_STYLE[line.decision ?? 'pass']
  const parts = [line.point, line.tool, line.command]
  const what = parts.flatMap((part) => (part === undefined ? [] : [oneLine(part, MAX_COMMAND)])).join(' ')
  const isHeld = line.decision === 'ask' || line.decision === 'block'
  const applied = line.applied === false && isHeld ? ' (not applied)' : ''
  const action = `${icon} ${oneLine(line.action).padEnd(10)}`
  const source = oneLine(line.hook ?? line.component).padEnd(20)
  const head = `${colors.dim(formatTime(line.time))} ${paint(action)} ${source}`
  const text = [head, what + applied].filter((part) => part !== '').join(' ')
  // The reason follows on the same line if it fits, else on the next lines.
  const room = terminalColumns() - displayWidth(text) - 2
  if (line.reason === undefined) print(text)
  else if (displayWidth(line.reason) <= room) print(`${text}  ${colors.dim(oneLine(line.reason))}`)
  else {
    print(text)
    for (const part of wrap(oneLine(line.reason, 400), terminalColumns() - INDENT.length))
      print(colors.dim(INDENT + part))
  }
}

const INDENT = ' '.repeat(11)
