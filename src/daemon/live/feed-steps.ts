// Trace records as the feed shows them. Records are redacted when they are written, so the feed contains no secrets.

import { toLine } from '../../engine/display-text.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { buildPreview } from '../../engine/step-preview.ts'
import type { EventView, FeedStep, FeedVerdict } from '../../protocol/feed-views.ts'
import type { EvaluationRecord, EventRecord, StepRecord, TraceRecord } from '../../trace/record.ts'

/** A step with its evaluations. */
export interface WholeStep {
  readonly record: StepRecord
  readonly evaluations: readonly EvaluationRecord[]
}

/** Records in order, grouped into complete steps and events. */
export interface GroupedRecords {
  readonly steps: readonly WholeStep[]
  readonly events: readonly EventRecord[]
  /** The last record of a complete step or an event; undefined if there is none. */
  readonly last: number | undefined
}

const MAX_PREVIEW = 200
const MAX_REASON = 300

/** Groups records. If more records follow, a step whose evaluations are incomplete is skipped. */
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
      // The step of a single evaluation was removed.
      if (record.kind === 'event') events.push(record)
      at += 1
    }
    last = (records[at - 1] as TraceRecord).seq
  }
  return { steps, events, last }
}

/** Builds the feed's view of a step. */
export function buildFeedStep({ record, evaluations }: WholeStep): FeedStep {
  const { seq, id, time, point, tool, agent, host, session, turn, profile, workspace, decision, outcome } = record
  const facts = isRecord(record.metadata) ? record.metadata : {}
  const isAfter = point.startsWith('post:tool')
  const before = isAfter && typeof facts.preStep === 'string' ? facts.preStep : undefined
  const ranMs = isAfter && typeof facts.sinceMs === 'number' ? facts.sinceMs : undefined
  // Not shown for a blocked step.
  const wouldBlock = outcome.blocked ? undefined : findWouldBlock(evaluations)
  return {
    ...{ seq, id, action: before ?? id, phase: isAfter ? 'after' : point === 'pre:tool' ? 'before' : 'alone' },
    ...{ time, point, tool: toShortLine(tool), agent: toShortLine(agent), host, session, turn, profile, workspace },
    preview: buildPreview(record.data),
    decision,
    blocked: outcome.blocked,
    hook: outcome.hook,
    reason: outcome.reason === undefined ? undefined : toLine(outcome.reason, MAX_REASON),
    wouldBlock,
    isEdited: outcome.data === undefined ? undefined : true,
    rule: findRule(evaluations),
    durationMs: round(evaluations.reduce((sum, { durationMs }) => sum + durationMs, 0)),
    verdicts: evaluations.map(buildVerdict),
    ranMs,
    isUnsupervised: facts.unsupervised === true ? true : undefined,
  }
}

/** Builds the feed's view of an event. */
export function buildEventView(record: EventRecord): EventView {
  const { seq, id, time, level, component, action, host, session, reason, metadata } = record
  const step = isRecord(metadata) && typeof metadata.step === 'string' ? metadata.step : undefined
  const text = reason === undefined ? undefined : toLine(reason, MAX_REASON)
  return { seq, id, time, level, component, action, host, session, reason: text, step }
}

/** Would the hook have blocked the step or required approval in a stricter mode? */
export function wouldHaveBlocked({ decision, applied, skipped }: EvaluationRecord): boolean {
  return (decision === 'block' || decision === 'ask') && !applied && skipped === undefined
}

// A block takes precedence over an approval.
function findWouldBlock(evaluations: readonly EvaluationRecord[]): string | undefined {
  const stopping = evaluations.filter(wouldHaveBlocked)
  return (stopping.find(({ decision }) => decision === 'block') ?? stopping[0])?.hook
}

/** Builds the short form of a verdict. */
export function buildVerdict({ hook, decision, applied, durationMs, cause, skipped }: EvaluationRecord): FeedVerdict {
  return { hook, decision, applied, durationMs, isError: cause === 'policy' ? undefined : true, skipped }
}

function findRule(evaluations: readonly EvaluationRecord[]): string | undefined {
  for (const { metadata } of evaluations) {
    const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : undefined
    const [first] = Array.isArray(risk?.evidence) ? (risk.evidence as unknown[]) : []
    if (isRecord(first) && typeof first.rule === 'string') return first.rule
  }
  return undefined
}

function toShortLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toLine(text, MAX_PREVIEW)
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
