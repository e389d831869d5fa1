// The details of an action: its steps, the verdict and evidence of each hook, the changes, and related events.

import { setImmediate as yieldToEvents } from 'node:timers/promises'
import { escapeHidden } from '../../display/display-text.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { canBeAllowed } from '../../exceptions/allow-note.ts'
import { joinStep } from '../../protocol/feed.ts'
import type {
  Action,
  ActionDetail,
  ChangeView,
  EventView,
  EvidenceView,
  StepDetail,
  VerdictDetail,
} from '../../protocol/feed-views.ts'
import type { Found, TraceStore } from '../../storage/ports.ts'
import type { EvaluationRecord } from '../../trace/record.ts'
import { wouldStop } from '../../trace/would-be.ts'
import { buildEventView, buildFeedStep, buildVerdict, type WholeStep } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'

// How many records after a step are searched for the rest of its action.
const MAX_SEARCHED = 4_000
const MAX_CHANGES = 200

/** Reads an action by the id of one of its steps, or a prefix of the id. */
export async function readActionDetail(
  trace: TraceStore,
  id: string,
): Promise<ActionDetail | Exclude<Found, { found: 'step' }>> {
  const found = trace.get(id)
  if (found.found !== 'step') return found
  const opening = findFirstStep(trace, found)
  const { steps, events } = await readFollowing(trace, opening)
  const all = [opening, ...steps]
  const action = all.reduce<Action | undefined>(
    (one, whole) => joinStep(one, buildFeedStep(whole)),
    undefined,
  ) as Action
  return { action, steps: all.map(buildStepDetail), events }
}

// The first step of the action, if it still exists.
function findFirstStep(trace: TraceStore, whole: WholeStep): WholeStep {
  const { action, id } = buildFeedStep(whole)
  if (action === id) return whole
  const before = trace.get(action)
  return before.found === 'step' && before.record.id === action ? before : whole
}

interface Following {
  readonly steps: readonly WholeStep[]
  readonly events: readonly EventView[]
}

async function readFollowing(trace: TraceStore, { record }: WholeStep): Promise<Following> {
  const steps: WholeStep[] = []
  const events: EventView[] = []
  const only = record.session === undefined ? {} : { session: record.session }
  let after = record.seq
  for (let searched = 0; searched < MAX_SEARCHED; ) {
    const page = readAfter(trace, after, only)
    steps.push(...page.steps.filter((whole) => whole.record.id !== record.id && belongs(whole, record.id)))
    events.push(...page.events.map(buildEventView).filter(({ step }) => step === record.id))
    // A tool call ends once, and a blocked call never runs: related events are close to it.
    const isOver = steps.length > 0 || record.decision === 'block'
    if (page.last === undefined || !page.isPart || isOver) break
    after = page.last
    searched += page.records.length
    await yieldToEvents()
  }
  return { steps, events }
}

function belongs(whole: WholeStep, id: string): boolean {
  return whole.record.point.startsWith('post:') && buildFeedStep(whole).action === id
}

function buildStepDetail(whole: WholeStep): StepDetail {
  const { record, evaluations } = whole
  const { reason, suggestion, data } = record.outcome
  return {
    step: buildFeedStep(whole),
    data: escapeHidden(JSON.stringify(record.data, null, 2) ?? ''),
    reason: reason === undefined ? undefined : escapeHidden(reason),
    suggestion: suggestion === undefined ? undefined : escapeHidden(suggestion),
    canBeAllowed: canBeAllowed(evaluations),
    configuration: record.configuration,
    verdicts: evaluations.map((evaluation) => buildVerdictDetail(evaluation, whole)),
    changes: data === undefined ? [] : findChanges(record.data, data),
  }
}

function buildVerdictDetail(evaluation: EvaluationRecord, { record }: WholeStep): VerdictDetail {
  const { priority, mode, loweredBy, cause, reason, suggestion, modify, metadata, at, dropped } = evaluation
  return {
    ...buildVerdict(evaluation),
    priority,
    mode,
    isLowered: loweredBy !== undefined,
    cause,
    reason: reason === undefined ? undefined : escapeHidden(reason),
    suggestion: suggestion === undefined ? undefined : escapeHidden(suggestion),
    wouldBlock: wouldStop(evaluation),
    at,
    obstacle: evaluation.applied ? undefined : dropped?.map(({ why }) => escapeHidden(why)).at(0),
    changes: modify === undefined ? [] : findChanges(record.data, modify),
    evidence: readEvidence(metadata, readRiskText(record.data)),
    metadata: metadata === undefined ? undefined : escapeHidden(JSON.stringify(metadata, null, 2)),
  }
}

// The text that risk detection analyzed: the command or the prompt.
function readRiskText(data: unknown): string | undefined {
  const { args, prompt } = isRecord(data) ? data : {}
  const command = isRecord(args) ? args.command : undefined
  return [command, prompt].find((text) => typeof text === 'string') as string | undefined
}

function readEvidence(metadata: unknown, text: string | undefined): readonly EvidenceView[] {
  const risk = isRecord(metadata) && isRecord(metadata.risk) ? metadata.risk : {}
  const list = Array.isArray(risk.evidence) ? (risk.evidence as unknown[]) : []
  return list.filter(isRecord).map((one) => {
    const { rule, tier, effect, reason, alternative, matched } = one
    return {
      rule: String(rule),
      tier: Number(tier),
      effect: String(effect),
      reason: String(reason),
      ...(typeof alternative === 'string' && { alternative }),
      ...(typeof matched === 'string' && { matched }),
      ...readSpan(text, one.span, matched),
    }
  })
}

// Redaction shifts the text after it: a span is valid only if the text there is still the matched text.
function readSpan(text: string | undefined, span: unknown, matched: unknown): Partial<EvidenceView> {
  if (text === undefined || !isRecord(span) || typeof matched !== 'string') return {}
  const { start, end } = span
  const isSpan = typeof start === 'number' && typeof end === 'number' && start >= 0 && end > start
  if (!isSpan || end > text.length) return {}
  const isValid = text.slice(start, end).startsWith(matched.replace(/…$/, ''))
  return isValid ? { text, start, end } : {}
}

// The changed fields by path.
function findChanges(before: unknown, after: unknown): readonly ChangeView[] {
  const changes: ChangeView[] = []
  const compare = (old: unknown, now: unknown, path: readonly string[]): void => {
    if (changes.length >= MAX_CHANGES) return
    if (isRecord(now) && (isRecord(old) || path.length === 0)) {
      const fields = isRecord(old) ? old : {}
      for (const [key, value] of Object.entries(now)) {
        compare(Object.hasOwn(fields, key) ? fields[key] : undefined, value, [...path, key])
      }
      return
    }
    const [was, is] = [old, now].map((value) => (value === undefined ? null : formatValue(value)))
    if (was !== is) changes.push({ key: path.join('.'), before: was ?? null, after: is ?? 'nothing' })
  }
  compare(before, after, [])
  return changes
}

// A string as it is, so that its lines can be compared; other values as JSON.
function formatValue(value: unknown): string {
  return escapeHidden(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}
