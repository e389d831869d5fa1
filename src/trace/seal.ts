// The single writer's work, the same for every store: an entry becomes redacted drafts, drafts become links of the chain.
// Redaction happens before any lock is taken; sealing, which needs the end of the chain, is as little as possible.

import type { Evaluation, Outcome } from '../engine/outcome.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { Decision } from '../engine/verdict.ts'
import { canonicalize, canonicalizeOrdered } from './canonical.ts'
import { type Checkpoint, GENESIS, type Link, linkHash } from './chain.ts'
import {
  type EvaluationRecord,
  type EventEntry,
  type EventRecord,
  type OriginProcess,
  type RecordedOutcome,
  readAction,
  readComponent,
  readLevel,
  type StepEntry,
  type StepOrigin,
  type StepRecord,
  type TraceEntry,
  type TraceRecord,
} from './record.ts'
import type { Redactor } from './redact.ts'

/** A link with what it is found by. All of it follows from its text and the links before. */
export interface Sealed extends Link {
  readonly kind: TraceRecord['kind']
  readonly id: string
  /** When it happened, in ms. */
  readonly time: number
  /** The latest time seen so far, in ms: unlike the time of a record it never goes back. */
  readonly clock: number
  readonly component: string
  readonly action: string
  readonly decision: Decision | undefined
  readonly session: string | undefined
  readonly hook: string | undefined
  /** The step's record, for an evaluation. */
  readonly step: number | undefined
}

/** The end of the chain. */
export interface Head extends Checkpoint {
  readonly clock: number
}

export const NO_HEAD: Head = { ...GENESIS, clock: 0 }

type Mutable<R> = R extends TraceRecord ? R & { seq: number } : never

/** A record that has no place in the chain yet: its numbers are filled in when it is sealed. */
export type Draft = Mutable<TraceRecord>

/** The records of an entry, redacted: its step or event first. */
export function buildDrafts(entry: TraceEntry, redactor: Redactor): readonly Draft[] {
  return 'step' in entry ? stepDrafts(entry, redactor) : [eventDraft(entry, redactor)]
}

/** Puts drafts of one entry at the end of the chain. */
export function seal(drafts: readonly Draft[], head: Head): Sealed[] {
  let last = head
  const first = head.seq + 1
  return drafts.map((draft) => {
    const sealed = sealOne(draft, last, first)
    last = sealed
    return sealed
  })
}

// Filled in place, and all literals below have their fields in canonical order, as what the redaction gives has: copying
// and sorting them again would cost more than everything else here.
function sealOne(draft: Draft, last: Head, step: number): Sealed {
  const seq = last.seq + 1
  draft.seq = seq
  if (draft.kind === 'evaluation') (draft as { step: number }).step = step
  const body = isFlat(draft) ? canonicalizeOrdered(draft) : canonicalize(draft)
  return readSealed(draft, last.clock, seq, body, linkHash(last.hash, body))
}

// Most evaluations are: what values of others hold is to be looked at, but these are all our own.
function isFlat(draft: Draft): boolean {
  if (draft.kind !== 'evaluation') return false
  return draft.metadata === undefined && draft.modify === undefined && draft.dropped === undefined
}

/** A link with what it is found by, given the clock before it. */
export function readSealed(record: TraceRecord, clockBefore: number, seq: number, body: string, hash: string): Sealed {
  const { kind, id, component, action, session } = record
  const time = parseTime(record.time)
  const clock = Math.max(time, clockBefore)
  const decision = record.kind === 'event' ? undefined : record.decision
  const hook = record.kind === 'step' ? undefined : record.hook
  const step = record.kind === 'evaluation' ? record.step : undefined
  return { seq, body, hash, kind, id, time, clock, component, action, decision, session, hook, step }
}

let parsedText = ''
let parsedTime = 0

/** The time of a record in ms. The records of a step all have its time, so the last one is remembered. */
export function parseTime(text: string): number {
  if (text !== parsedText) {
    parsedText = text
    parsedTime = Date.parse(text)
  }
  return parsedTime
}

function stepDrafts(entry: StepEntry, redactor: Redactor): Draft[] {
  const { step, evaluations, outcome, time, configuration, origin } = entry
  const names = redactNames(step, redactor)
  const shared: Shared = {
    names,
    time: isoTime(time),
    component: readComponent(step.point),
    point: redactor.name(step.point),
    step: step.point,
    tool: redactTool(step.data, redactor),
  }
  const id = redactor.text(step.id)
  const data = redactor.value(step.data)
  const draft: StepRecord = {
    action: `step:${outcome.decision}`,
    agent: names.agent,
    component: shared.component,
    configuration,
    data,
    decision: outcome.decision,
    evaluations: evaluations.length,
    host: names.host,
    id,
    kind: 'step',
    level: outcome.decision === 'pass' ? 'info' : 'warn',
    metadata: valueIfAny(step.metadata, redactor),
    outcome: recordedOutcome(outcome, data, evaluations, redactor),
    point: shared.point,
    process: copyProcess(origin),
    profile: names.profile,
    seq: 0,
    session: names.session,
    source: redactor.name(step.source),
    time: shared.time,
    tool: shared.tool,
    turn: names.turn,
    via: origin?.via,
    workspace: redactor.path(step.workspace),
  }
  const drafts: Draft[] = [draft]
  for (const evaluation of evaluations) {
    drafts.push(evaluationDraft(evaluation, `${id}.${drafts.length}`, shared, redactor))
  }
  return drafts
}

function copyProcess(origin: StepOrigin | undefined): OriginProcess | undefined {
  if (origin?.process === undefined) return undefined
  const { connection, pid, recordedBy } = origin.process
  return { connection, pid, recordedBy }
}

type Shared = Pick<EvaluationRecord, 'time' | 'component' | 'point' | 'tool'> & {
  readonly names: Names
  /** The point of the step, not redacted. */
  readonly step: string
}

function evaluationDraft(given: Evaluation, id: string, shared: Shared, redactor: Redactor): EvaluationRecord {
  const action = readAction(given)
  const { names } = shared
  return {
    action,
    agent: names.agent,
    applied: given.applied,
    at: shared.step === given.point ? undefined : redactor.name(given.point),
    cause: given.cause,
    component: shared.component,
    decision: given.decision,
    dropped: redactor.value(given.dropped) as Evaluation['dropped'],
    durationMs: finite(Math.round(given.durationMs * 1000) / 1000),
    hook: redactor.name(given.hook),
    host: names.host,
    id,
    kind: 'evaluation',
    level: readLevel(action),
    loweredBy: given.loweredBy,
    metadata: valueIfAny(given.metadata, redactor),
    mode: given.mode,
    modify: redactor.value(given.modify),
    point: shared.point,
    priority: finite(given.priority),
    profile: names.profile,
    reason: redactor.text(given.reason),
    seq: 0,
    session: names.session,
    skipped: given.skipped,
    step: 0,
    suggestion: redactor.text(given.suggestion),
    time: shared.time,
    tool: shared.tool,
    turn: names.turn,
  }
}

function eventDraft(entry: EventEntry, redactor: Redactor): EventRecord {
  const names = redactNames(entry, redactor)
  return {
    action: redactor.name(entry.action),
    agent: names.agent,
    component: entry.component,
    hook: redactor.name(entry.hook),
    host: names.host,
    id: redactor.text(entry.id),
    kind: 'event',
    level: entry.level ?? 'info',
    metadata: valueIfAny(entry.metadata, redactor),
    profile: names.profile,
    reason: redactor.text(entry.reason),
    seq: 0,
    session: names.session,
    time: isoTime(entry.time),
    turn: names.turn,
  }
}

type Names = Pick<EventEntry, 'profile' | 'host' | 'session' | 'turn' | 'agent'>

function redactNames({ profile, host, session, turn, agent }: Names, redactor: Redactor): Names {
  return {
    profile: redactor.name(profile),
    host: redactor.name(host),
    session: redactor.name(session),
    turn: redactor.name(turn),
    agent: redactor.name(agent),
  }
}

function recordedOutcome(
  outcome: Outcome,
  dataBefore: unknown,
  evaluations: readonly Evaluation[],
  redactor: Redactor,
): RecordedOutcome {
  const { decision, blocked, control, hook, reason, suggestion, metadata, answer, wouldBe } = outcome
  const isEdited = evaluations.some(({ modify }) => modify !== undefined)
  return {
    answer: redactor.value(answer) as typeof answer,
    blocked,
    control,
    data: isEdited ? changed(outcome.data, dataBefore, redactor) : undefined,
    decision,
    hook: redactor.name(hook),
    metadata: valueIfAny(metadata, redactor),
    reason: redactor.text(reason),
    suggestion: redactor.text(suggestion),
    wouldBe,
  }
}

// The data only if it was edited.
function changed(after: unknown, before: unknown, redactor: Redactor): unknown {
  const kept = redactor.value(after)
  return canonicalize(kept) === canonicalize(before) ? undefined : kept
}

function valueIfAny(given: Readonly<Record<string, unknown>> | undefined, redactor: Redactor): unknown {
  if (given === undefined || Object.keys(given).length === 0) return undefined
  return redactor.value(given)
}

function redactTool(data: object, redactor: Redactor): string | undefined {
  const tool = isRecord(data) ? data.tool : undefined
  return typeof tool === 'string' ? redactor.name(tool) : undefined
}

// A clock that tells nonsense must not keep anything from being recorded.
const MAX_TIME = 8.64e15

function isoTime(ms: number): string {
  const isTime = Number.isFinite(ms) && ms >= 0 && ms <= MAX_TIME
  return new Date(isTime ? ms : 0).toISOString()
}

function finite(value: number): number {
  return Number.isFinite(value) ? value : 0
}
