// Trace records as the feed shows them. Records are redacted when they are written, so the feed contains no secrets.

import { toLine } from '../../display/display-text.ts'
import { buildPreview } from '../../display/step-preview.ts'
import { DECISION_RANK } from '../../engine/decision.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { EventView, FeedStep, FeedVerdict } from '../../protocol/feed-views.ts'
import type { EvaluationRecord, EventRecord, StepRecord, TraceRecord } from '../../trace/record.ts'
import { readFirstStep } from '../../trace/second-step.ts'
import { findWouldBe } from '../../trace/would-be.ts'

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
  const before = readFirstStep(record)
  const ranMs = isAfter && typeof facts.sinceMs === 'number' ? facts.sinceMs : undefined
  const would = findWouldBe(record, evaluations)
  const { hook, reason } = would ?? outcome
  return {
    ...{ seq, id, action: before ?? id, phase: isAfter ? 'after' : point === 'pre:tool' ? 'before' : 'alone' },
    ...{ time, point, tool: toShortLine(tool), agent: toShortLine(agent), host, session, turn, profile, workspace },
    preview: buildPreview(record.data),
    decision,
    wouldBe: would?.decision,
    blocked: outcome.blocked,
    hook,
    reason: reason === undefined ? undefined : toLine(reason, MAX_REASON),
    wouldBlock: outcome.blocked ? undefined : would?.hook,
    isEdited: outcome.data === undefined ? undefined : true,
    rule: findRule(evaluations, would ?? outcome),
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

/** Builds the short form of a verdict. */
export function buildVerdict({ hook, decision, applied, durationMs, cause, skipped }: EvaluationRecord): FeedVerdict {
  return { hook, decision, applied, durationMs, isError: cause === 'policy' ? undefined : true, skipped }
}

// The rule of the most severe evidence: of the deciding hook, or of a hook that is as strict.
function findRule(evaluations: readonly EvaluationRecord[], { hook, decision }: Decider): string | undefined {
  const rated = evaluations.filter(({ metadata }) => firstRule(metadata) !== undefined)
  const own = rated.find((evaluation) => evaluation.hook === hook)
  const other = rated.find((evaluation) => DECISION_RANK[evaluation.decision] >= DECISION_RANK[decision])
  return firstRule((own ?? other)?.metadata)
}

type Decider = Pick<EvaluationRecord, 'decision'> & { readonly hook?: string | undefined }

function firstRule(metadata: unknown): string | undefined {
  const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : undefined
  const [first] = Array.isArray(risk?.evidence) ? (risk.evidence as unknown[]) : []
  return isRecord(first) && typeof first.rule === 'string' ? first.rule : undefined
}

function toShortLine(text: string | undefined): string | undefined {
  return text === undefined ? undefined : toLine(text, MAX_PREVIEW)
}

function round(ms: number): number {
  return Math.round(ms * 1_000) / 1_000
}
