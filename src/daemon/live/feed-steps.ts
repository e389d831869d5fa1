// Records as the feed shows them. Only what the single writer has redacted comes in here, so nothing else can go out.

import { isRecord } from '../../engine/plain-data.ts'
import type { EventView, FeedStep, FeedVerdict } from '../../protocol/feed-views.ts'
import type { EvaluationRecord, EventRecord, StepRecord, TraceRecord } from '../../trace/record.ts'
import { toLine } from './display-text.ts'

/** A step with its evaluations. */
export interface WholeStep {
  readonly record: StepRecord
  readonly evaluations: readonly EvaluationRecord[]
}

/** Records in order, put together: whole steps, events, and how far it goes. */
export interface GroupedRecords {
  readonly steps: readonly WholeStep[]
  readonly events: readonly EventRecord[]
  /** The last record that belongs to a whole; undefined when there is none. */
  readonly last: number | undefined
}

const MAX_PREVIEW = 200
const MAX_REASON = 300

/** Puts records together. Where more are to come, a step whose evaluations are not all there yet is left for then. */
export function groupRecords(
  records: readonly TraceRecord[],
  { isPart }: { readonly isPart: boolean },
): GroupedRecords {
  const steps: WholeStep[] = []
  const events: EventRecord[] = []
  let last: number | undefined
  for (let at = 0; at < records.length; ) {
    const record = records[at] as TraceRecord
    if (record.kind === 'step') {
      const own = records.slice(at + 1, at + 1 + record.evaluations)
      const evaluations = own.filter((one) => one.kind === 'evaluation' && one.step === record.seq)
      if (isPart && own.length < record.evaluations) break
      steps.push({ record, evaluations: evaluations as EvaluationRecord[] })
      at += 1 + evaluations.length
    } else {
      // An evaluation by itself has lost its step to a cut.
      if (record.kind === 'event') events.push(record)
      at += 1
    }
    last = (records[at - 1] as TraceRecord).seq
  }
  return { steps, events, last }
}

/** A step in the feed. */
export function buildFeedStep({ record, evaluations }: WholeStep): FeedStep {
  const { seq, id, time, point, tool, agent, host, session, turn, profile, workspace, decision, outcome } = record
  const facts = isRecord(record.metadata) ? record.metadata : {}
  const isAfter = point.startsWith('post:tool')
  const before = isAfter && typeof facts.preStep === 'string' ? facts.preStep : undefined
  const ranMs = isAfter && typeof facts.sinceMs === 'number' ? facts.sinceMs : undefined
  // Of what was stopped anyway nobody asks who else would have.
  const wouldBlock = outcome.blocked ? undefined : whoWouldHave(evaluations)
  return {
    ...{ seq, id, action: before ?? id, phase: isAfter ? 'after' : point === 'pre:tool' ? 'before' : 'alone' },
    ...{ time, point, tool: lined(tool), agent: lined(agent), host, session, turn, profile, workspace },
    preview: buildPreview(record.data),
    decision,
    blocked: outcome.blocked,
    hook: outcome.hook,
    reason: outcome.reason === undefined ? undefined : toLine(outcome.reason, MAX_REASON),
    wouldBlock,
    isEdited: outcome.data === undefined ? undefined : true,
    rule: ruleIn(evaluations),
    durationMs: round(evaluations.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    verdicts: evaluations.map(buildVerdict),
    ranMs,
    isUnsupervised: facts.unsupervised === true ? true : undefined,
  }
}

/** An event in the feed. */
export function buildEventView(record: EventRecord): EventView {
  const { seq, id, time, level, component, action, host, session, reason, metadata } = record
  const step = isRecord(metadata) && typeof metadata.step === 'string' ? metadata.step : undefined
  const told = reason === undefined ? undefined : toLine(reason, MAX_REASON)
  return { seq, id, time, level, component, action, host, session, reason: told, step }
}

/** Would it have held or stopped the step, had its mode let it? */
export function wouldHaveBlocked({ decision, applied, skipped }: EvaluationRecord): boolean {
  return (decision === 'block' || decision === 'ask') && !applied && skipped === undefined
}

// A block ends what a question would have held.
function whoWouldHave(evaluations: readonly EvaluationRecord[]): string | undefined {
  const stopping = evaluations.filter(wouldHaveBlocked)
  return (stopping.find(({ decision }) => decision === 'block') ?? stopping[0])?.hook
}

/** One hook's verdict in short. */
export function buildVerdict({ hook, decision, applied, durationMs, cause, skipped }: EvaluationRecord): FeedVerdict {
  return { hook, decision, applied, durationMs, isError: cause === 'policy' ? undefined : true, skipped }
}

// What stands for a step, in the order in which it says most.
const TELLING = [
  'command',
  'file_path',
  'path',
  'url',
  'query',
  'pattern',
  'prompt',
  'message',
  'output',
  'description',
]

/** The command, path or message of a step, on one line. */
export function buildPreview(data: unknown): string {
  const { args, config }: { readonly args?: unknown; readonly config?: unknown } = isRecord(data) ? data : {}
  // Of a spawned agent, what it is told to do.
  const text = tellingIn(args) ?? tellingIn(data) ?? tellingIn(config)
  if (text !== undefined) return toLine(text, MAX_PREVIEW)
  const rest = isRecord(args) ? args : isRecord(data) ? data : {}
  return Object.keys(rest).length === 0 ? '' : toLine(JSON.stringify(rest), MAX_PREVIEW)
}

/** The text that says what it is: the command, else the next best. */
function tellingIn(value: unknown): string | undefined {
  if (!isRecord(value)) return undefined
  const key = TELLING.find((name) => typeof value[name] === 'string' && value[name] !== '')
  return key === undefined ? undefined : (value[key] as string)
}

function ruleIn(evaluations: readonly EvaluationRecord[]): string | undefined {
  for (const { metadata } of evaluations) {
    const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : undefined
    const [gravest] = Array.isArray(risk?.evidence) ? (risk.evidence as unknown[]) : []
    if (isRecord(gravest) && typeof gravest.rule === 'string') return gravest.rule
  }
  return undefined
}

function lined(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toLine(text, MAX_PREVIEW)
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
