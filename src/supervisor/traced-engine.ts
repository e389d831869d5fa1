// The engine with a durable trace: a step and its evaluations are committed before `dispatch` returns the outcome.
// A trace that cannot be written never changes a decision; the failure is reported once.

import type { ActionOptions, EngineOptions, EngineServices, RecordedDispatch } from '../engine/engine.ts'
import type { Mode } from '../engine/mode.ts'
import type { Evaluation, Outcome } from '../engine/outcome.ts'
import type { PersonsYes } from '../engine/permission.ts'
import type { DeclaredPoint } from '../engine/point-names.ts'
import { buildEnvelope, type CompleteContext, completeContext, type StepContext } from '../engine/step.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'
import type { TraceStore } from '../storage/ports.ts'
import { COUNT_FAILURE, RepeatedFailure, type ReportFailure, TRACE_FAILURE } from '../storage/repeated-failure.ts'
import type { StepOrigin, Via } from '../trace/record.ts'

/** A context with the origin of the step: only for the trace, hooks do not see the origin. */
export type TracedContext = StepContext &
  ActionOptions & {
    readonly origin?: StepOrigin | undefined
    /** How long to wait for a locked database; default: that of the store. */
    readonly recordWaitMs?: number | undefined
    /** What the agent itself decided about the step: recorded as a flag, beside the verdicts of hooks. */
    readonly hostFinding?: HostFinding | undefined
  }

/** A decision of the agent itself, such as a refusal of its reviewer. */
export interface HostFinding {
  /** The name instead of that of a hook. */
  readonly hook: string
  readonly reason: string
}

/** An outcome whose step may not be committed yet. */
export interface TracedOutcome {
  readonly outcome: Outcome
  /** Resolves when the step is committed, or cannot be: false. Undefined for a step that met no hook. */
  readonly recorded?: Promise<boolean> | undefined
  /** The step's id, if the outcome has to name it: for `arc why <id>`. */
  readonly traceId?: string | undefined
  readonly evaluations?: readonly Evaluation[] | undefined
  /** The answer of a person for the own permissions of the agent. */
  readonly yes?: PersonsYes | undefined
}

/** How a traced engine reports a trace that cannot be written. */
export interface TracedEngineReports {
  /** Default: stderr. */
  readonly report?: ReportFailure | undefined
  /** Shared by all writers of the same trace, so that a failure is reported once. */
  readonly traceFailure?: RepeatedFailure | undefined
  /** The origin of steps without one; default `library`. */
  readonly via?: Via | undefined
}

/**
 * An engine whose evaluations go to a trace store.
 * @example
 * const engine = new TracedEngine(new SqliteTraceStore('arc.db'), { mode: 'enforce' })
 */
export class TracedEngine extends HookEngine {
  readonly #store: TraceStore
  readonly #wall: () => number
  readonly #traceFailure: RepeatedFailure
  readonly #origin: StepOrigin
  readonly #countFailure: RepeatedFailure
  /** The configuration in force, for the trace: its hash or name. */
  configuration: string | undefined
  /** Receives all evaluations of a finished step; feeds the breaker. */
  onStep: ((evaluations: readonly Evaluation[]) => void) | undefined

  constructor(
    store: TraceStore,
    options: EngineOptions = {},
    services: Partial<EngineServices> = {},
    { report, traceFailure = new RepeatedFailure(TRACE_FAILURE, report), via = 'library' }: TracedEngineReports = {},
  ) {
    super(options, services, { hasTrace: true })
    this.#store = store
    this.#traceFailure = traceFailure
    this.#origin = { via, process: { pid: process.pid, recordedBy: process.pid } }
    this.#countFailure = new RepeatedFailure(COUNT_FAILURE, report)
    const { clock } = services
    this.#wall = clock === undefined ? Date.now : () => clock.wall()
  }

  // The parent's signature is generic over points; the trace is not.
  override dispatch: HookEngine['dispatch'] = ((
    point: string | DeclaredPoint,
    data: object,
    context: TracedContext = {},
  ) => {
    const complete = completeContext(context, {}, newId)
    return whenRecorded(this.dispatchTraced(point, data, complete, context))
  }) as HookEngine['dispatch']

  /** Dispatches a step whose context is complete. The outcome is known before the step is committed to the trace. */
  dispatchTraced(
    point: string | DeclaredPoint,
    data: object,
    context: CompleteContext,
    {
      origin = this.#origin,
      recordWaitMs,
      hostFinding,
      honours,
      derive,
      partOf,
    }: Omit<TracedContext, keyof StepContext> = {},
  ): TracedOutcome | Promise<TracedOutcome> {
    const append = (dispatched: RecordedDispatch): TracedOutcome => {
      this.#count(dispatched.evaluations)
      const { mode } = this
      const isAdded = hostFinding !== undefined && mode !== 'off'
      const { outcome, evaluations, point: name } = isAdded ? withFinding(dispatched, hostFinding, mode) : dispatched
      if (evaluations.length === 0) return { outcome }
      const { configuration } = this
      // The data as it was dispatched: the step that hooks see contains their edits.
      const step = buildEnvelope(context, name, data)
      const entry = { step, evaluations, outcome, time: this.#wall(), configuration, origin }
      const recorded = this.#traceFailure.settle(this.#store.append(entry, { waitMs: recordWaitMs }))
      return { outcome, recorded, evaluations, traceId: outcome.blocked ? context.id : undefined }
    }
    const dispatched = this.dispatchRecorded(point, data, context, { honours, derive, partOf })
    return dispatched instanceof Promise ? dispatched.then(append) : append(dispatched)
  }

  #count(evaluations: readonly Evaluation[]): void {
    const { onStep } = this
    if (onStep !== undefined && evaluations.length > 0) this.#countFailure.watch(() => onStep(evaluations))
  }
}

function withFinding(dispatched: RecordedDispatch, { hook, reason }: HostFinding, mode: Mode): RecordedDispatch {
  const { outcome, evaluations, point } = dispatched
  const rated = { decision: 'flag', applied: false, cause: 'policy', durationMs: 0, reason } as const
  const flagged = outcome.decision === 'pass' ? { ...outcome, decision: 'flag' as const, hook, reason } : outcome
  return { point, outcome: flagged, evaluations: [{ hook, point, priority: 0, mode, ...rated }, ...evaluations] }
}

/** The outcome, once its step is committed. It names the step only if the step is on record. */
export function whenRecorded(traced: TracedOutcome | Promise<TracedOutcome>): Outcome | Promise<Outcome> {
  if (traced instanceof Promise) return traced.then(whenRecorded)
  const { outcome, recorded, traceId } = traced
  if (recorded === undefined) return outcome
  return recorded.then((isRecorded) =>
    isRecorded && traceId !== undefined ? { ...outcome, metadata: { ...outcome.metadata, traceId } } : outcome,
  )
}
