// What the trace holds: one record per step, one per evaluation of it, and one per event of the other components.
// Shapes, and the small rules that give a record its action, level and component. No I/O.

import type { Cause } from '../engine/degradation.ts'
import type { Mode } from '../engine/mode.ts'
import type { Evaluation, Outcome, Skip } from '../engine/outcome.ts'
import type { StepEnvelope } from '../engine/step.ts'
import type { Answer, Decision, Dropped } from '../engine/verdict.ts'

export type Level = 'debug' | 'info' | 'warn' | 'error'

/** Whose record it is. */
export type Component =
  | 'hooks'
  | 'launch'
  | 'breaker'
  | 'retry'
  | 'tasks'
  | 'roundtable'
  | 'config'
  | 'daemon'
  | 'hosts'
  | 'trace'

/** What became of an evaluation, as the log names it. */
export type EvaluationAction = 'hook:pass' | 'hook:flag' | 'hook:ask' | 'hook:block' | 'hook:error' | 'hook:skip'

interface RecordBase {
  /** The place in the chain: contiguous, from 1. */
  readonly seq: number
  readonly id: string
  /** When it happened, in ISO form. */
  readonly time: string
  readonly level: Level
  readonly component: Component
  readonly action: string
  readonly profile?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly agent?: string | undefined
}

/** The source of a step: a hook of a host, with or without the daemon, `POST /v1/dispatch`, a program, the CLI. */
export type Via = 'hook' | 'daemon-hook' | 'dispatch' | 'library' | 'cli'

/** The source and the process of a step. */
export interface StepOrigin {
  readonly via: Via
  readonly process?: OriginProcess | undefined
}

export interface OriginProcess {
  /** The process that made the call: for hooks the one that started the hook, as the caller says. */
  readonly pid?: number | undefined
  /** The process that evaluated and recorded the step. */
  readonly recordedBy: number
  /** Over which connection of the daemon. */
  readonly connection?: 'socket' | 'port' | undefined
}

/** One step: its data and its outcome. Its evaluations follow it directly in the chain. */
export interface StepRecord extends RecordBase {
  readonly kind: 'step'
  readonly point: string
  readonly tool?: string | undefined
  readonly source?: string | undefined
  readonly workspace?: string | undefined
  readonly decision: Decision
  /** The data as the caller gave it. */
  readonly data: unknown
  readonly metadata?: unknown
  readonly outcome: RecordedOutcome
  /** How many records of evaluations follow. */
  readonly evaluations: number
  /** The configuration that was in force: its hash or name. */
  readonly configuration?: string | undefined
  /** Not in records of versions that did not know it. */
  readonly via?: Via | undefined
  readonly process?: OriginProcess | undefined
}

/** The outcome as it is kept: the data only where hooks changed it. */
export interface RecordedOutcome {
  readonly decision: Decision
  readonly blocked: boolean
  readonly control: Outcome['control']
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  readonly data?: unknown
  readonly metadata?: unknown
  readonly answer?: Answer | undefined
  /** The decision if every hook were in enforce; not in records of versions that did not know it (`readWouldBe`). */
  readonly wouldBe?: Decision | undefined
}

/** One hook's evaluation of a step. */
export interface EvaluationRecord extends RecordBase {
  readonly kind: 'evaluation'
  readonly action: EvaluationAction
  /** The point of the hook, where the action is a step of another point too: a tool call that writes a file. */
  readonly at?: string | undefined
  /** The place of the step's own record. */
  readonly step: number
  readonly point: string
  readonly tool?: string | undefined
  readonly hook: string
  readonly priority: number
  readonly mode: Mode
  readonly decision: Decision
  readonly applied: boolean
  readonly cause: Cause
  readonly durationMs: number
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  readonly modify?: unknown
  readonly metadata?: unknown
  readonly dropped?: readonly Dropped[] | undefined
  readonly skipped?: Skip | undefined
  readonly loweredBy?: 'breaker' | undefined
}

/** Something that happened outside of an evaluation: a breaker that opened, a task that moved on, a cut of the trace. */
export interface EventRecord extends RecordBase {
  readonly kind: 'event'
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  readonly metadata?: unknown
}

export type TraceRecord = StepRecord | EvaluationRecord | EventRecord

/** A dispatch that is over, to be recorded. */
export interface StepEntry {
  /** The step before any edit. */
  readonly step: StepEnvelope
  readonly evaluations: readonly Evaluation[]
  readonly outcome: Outcome
  /** Wall-clock time in ms. */
  readonly time: number
  readonly configuration?: string | undefined
  readonly origin?: StepOrigin | undefined
}

/** An event to be recorded. */
export interface EventEntry {
  readonly id: string
  readonly time: number
  readonly component: Component
  readonly action: string
  readonly level?: Level | undefined
  readonly profile?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly turn?: string | undefined
  readonly agent?: string | undefined
  readonly hook?: string | undefined
  readonly reason?: string | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
}

export type TraceEntry = StepEntry | EventEntry

/** The action of an evaluation: a failure is an error whatever it was taken for, a hook that did not run is a skip. */
export function readAction({ skipped, cause, decision }: Evaluation): EvaluationAction {
  if (skipped !== undefined) return 'hook:skip'
  return cause === 'policy' ? `hook:${decision}` : 'hook:error'
}

/** How loud an action is. */
export function readLevel(action: EvaluationAction): Level {
  if (action === 'hook:error') return 'error'
  return action === 'hook:pass' || action === 'hook:skip' ? 'info' : 'warn'
}

/** The component that steps of a point are logged under. */
export function readComponent(point: string): 'hooks' | 'launch' {
  return point === 'pre:launch' || point === 'post:launch' ? 'launch' : 'hooks'
}

/** A line of the log, as `arc logs --json` prints it. */
export interface LogRow {
  readonly id: string
  readonly seq: number
  readonly time: string
  readonly level: Level
  readonly component: Component
  readonly action: string
  readonly profile?: string | undefined
  readonly host?: string | undefined
  readonly session?: string | undefined
  readonly point?: string | undefined
  readonly tool?: string | undefined
  readonly hook?: string | undefined
  readonly mode?: Mode | undefined
  readonly decision?: Decision | undefined
  readonly applied?: boolean | undefined
  readonly cause?: Cause | undefined
  readonly reason?: string | undefined
  readonly durationMs?: number | undefined
}

/** The line of the log for a record. */
export function buildLogRow(record: TraceRecord): LogRow {
  const evaluation = record.kind === 'evaluation' ? record : undefined
  const step = record.kind === 'event' ? undefined : record
  const decider = record.kind === 'step' ? record.outcome : record
  return {
    id: record.id,
    seq: record.seq,
    time: record.time,
    level: record.level,
    component: record.component,
    action: record.action,
    profile: record.profile,
    host: record.host,
    session: record.session,
    point: step?.point,
    tool: step?.tool,
    hook: decider.hook,
    mode: evaluation?.mode,
    decision: step?.decision,
    applied: evaluation?.applied,
    cause: evaluation?.cause,
    reason: decider.reason,
    durationMs: evaluation?.durationMs,
  }
}
