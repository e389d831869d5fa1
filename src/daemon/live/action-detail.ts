// One action, whole: its steps, what each hook said and on what evidence, what was changed, and what else is recorded of it.

import { setImmediate as breathe } from 'node:timers/promises'
import { isRecord } from '../../engine/plain-data.ts'
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
import type { EvaluationRecord } from '../../trace/record.ts'
import type { Found, TraceStore } from '../../trace/store.ts'
import { escapeHidden } from './display-text.ts'
import { buildEventView, buildFeedStep, buildVerdict, type WholeStep, wouldHaveBlocked } from './feed-steps.ts'
import { readAfter } from './trace-scan.ts'

// So many records after a step are looked through for what belongs to it.
const MAX_LOOKED = 4_000
const MAX_CHANGES = 200

/** An action by the id of one of its steps, or the beginning of one. */
export async function readAction(
  trace: TraceStore,
  id: string,
): Promise<ActionDetail | Exclude<Found, { found: 'step' }>> {
  const found = trace.get(id)
  if (found.found !== 'step') return found
  const opening = openingOf(trace, found)
  const { steps, events } = await whatFollows(trace, opening)
  const all = [opening, ...steps]
  const action = all.reduce<Action | undefined>(
    (one, whole) => joinStep(one, buildFeedStep(whole)),
    undefined,
  ) as Action
  return { action, steps: all.map(stepDetail), events }
}

// A step after another one is shown with it, where that is still kept.
function openingOf(trace: TraceStore, whole: WholeStep): WholeStep {
  const { action, id } = buildFeedStep(whole)
  if (action === id) return whole
  const before = trace.get(action)
  return before.found === 'step' && before.record.id === action ? before : whole
}

interface Following {
  readonly steps: readonly WholeStep[]
  readonly events: readonly EventView[]
}

async function whatFollows(trace: TraceStore, { record }: WholeStep): Promise<Following> {
  const steps: WholeStep[] = []
  const events: EventView[] = []
  const only = record.session === undefined ? {} : { session: record.session }
  let after = record.seq
  for (let looked = 0; looked < MAX_LOOKED; ) {
    const page = readAfter(trace, after, only)
    steps.push(...page.steps.filter((whole) => whole.record.id !== record.id && belongs(whole, record.id)))
    events.push(...page.events.map(buildEventView).filter(({ step }) => step === record.id))
    // A tool is over once, and one that was stopped never is: what else was told of it stands close by.
    const isOver = steps.length > 0 || record.decision === 'block'
    if (page.last === undefined || !page.isPart || isOver) break
    after = page.last
    looked += page.records.length
    await breathe()
  }
  return { steps, events }
}

function belongs(whole: WholeStep, id: string): boolean {
  return whole.record.point.startsWith('post:') && buildFeedStep(whole).action === id
}

function stepDetail(whole: WholeStep): StepDetail {
  const { record, evaluations } = whole
  const { reason, suggestion, data } = record.outcome
  return {
    step: buildFeedStep(whole),
    data: escapeHidden(JSON.stringify(record.data, null, 2) ?? ''),
    reason: reason === undefined ? undefined : escapeHidden(reason),
    suggestion: suggestion === undefined ? undefined : escapeHidden(suggestion),
    configuration: record.configuration,
    verdicts: evaluations.map((evaluation) => verdictDetail(evaluation, whole)),
    changes: data === undefined ? [] : differences(record.data, data),
  }
}

function verdictDetail(evaluation: EvaluationRecord, { record }: WholeStep): VerdictDetail {
  const { priority, mode, loweredBy, cause, reason, suggestion, modify, metadata } = evaluation
  return {
    ...buildVerdict(evaluation),
    priority,
    mode,
    isLowered: loweredBy !== undefined,
    cause,
    reason: reason === undefined ? undefined : escapeHidden(reason),
    suggestion: suggestion === undefined ? undefined : escapeHidden(suggestion),
    wouldBlock: wouldHaveBlocked(evaluation),
    changes: modify === undefined ? [] : differences(record.data, modify),
    evidence: evidenceIn(metadata, judgedText(record.data)),
    metadata: metadata === undefined ? undefined : escapeHidden(JSON.stringify(metadata, null, 2)),
  }
}

// What risk detection looked at: the command, or the message.
function judgedText(data: unknown): string | undefined {
  const { args, prompt } = isRecord(data) ? data : {}
  const command = isRecord(args) ? args.command : undefined
  return [command, prompt].find((text) => typeof text === 'string') as string | undefined
}

function evidenceIn(metadata: unknown, text: string | undefined): readonly EvidenceView[] {
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
      ...placeIn(text, one.span, matched),
    }
  })
}

// Redaction moves what stands behind it: a span is only true where the text at it is still what was matched.
function placeIn(text: string | undefined, span: unknown, matched: unknown): Partial<EvidenceView> {
  if (text === undefined || !isRecord(span) || typeof matched !== 'string') return {}
  const { start, end } = span
  const isPlace = typeof start === 'number' && typeof end === 'number' && start >= 0 && end > start
  if (!isPlace || end > text.length) return {}
  const isTrue = text.slice(start, end).startsWith(matched.replace(/…$/, ''))
  return isTrue ? { text, start, end } : {}
}

// The fields that have another value after, by their path.
function differences(before: unknown, after: unknown): readonly ChangeView[] {
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
    const [was, is] = [old, now].map((value) => (value === undefined ? null : textOf(value)))
    if (was !== is) changes.push({ key: path.join('.'), before: was ?? null, after: is ?? 'nothing' })
  }
  compare(before, after, [])
  return changes
}

// A text as it stands, so that its lines can be compared; anything else as JSON.
function textOf(value: unknown): string {
  return escapeHidden(typeof value === 'string' ? value : JSON.stringify(value, null, 2))
}
