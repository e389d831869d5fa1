// The engine with a durable trace: a step and all its evaluations are committed before its outcome is handed back.
// A trace that cannot be written never changes a decision; it is reported, once.

import type { EngineOptions, EngineServices } from '../engine/engine.ts'
import type { Evaluation, Outcome } from '../engine/outcome.ts'
import type { StepContext, StepEnvelope, WholeContext } from '../engine/step.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'
import { COUNT_TROUBLE, type Report, TRACE_TROUBLE, Trouble } from '../storage/repeated-failure.ts'
import type { StepOrigin, Via } from '../trace/record.ts'
import type { TraceStore } from '../trace/store.ts'

/** A context with the way that the step came in by: for the record only, no hook sees it. */
export type TracedContext = StepContext & { readonly origin?: StepOrigin | undefined }

/** Who hears of a trace that cannot be written; stderr unless set. */
export interface TracedEngineReports {
  readonly report?: Report | undefined
  /** Where others write to the same trace: told of once for all of them. */
  readonly trouble?: Trouble | undefined
  /** By which way steps come in that do not say so; `library` by default. */
  readonly via?: Via | undefined
}

/**
 * An engine whose evaluations go to a trace store.
 * @example
 * const engine = new TracedEngine(new SqliteTraceStore('arc.db'), { mode: 'enforce' })
 */
export class TracedEngine extends HookEngine {
  readonly #store: TraceStore
  readonly #open: Map<string, Evaluation[]>
  readonly #wall: () => number
  readonly #trouble: Trouble
  readonly #origin: StepOrigin
  readonly #countTrouble: Trouble
  /** The configuration in force, for the record: its hash or name. */
  configuration: string | undefined
  /** Told of all evaluations of a step when it is over: what a breaker feeds on. */
  onStep: ((evaluations: readonly Evaluation[]) => void) | undefined

  constructor(
    store: TraceStore,
    options: EngineOptions = {},
    services: Partial<EngineServices> = {},
    { report, trouble = new Trouble(TRACE_TROUBLE, report), via = 'library' }: TracedEngineReports = {},
  ) {
    const open = new Map<string, Evaluation[]>()
    const sink: EngineOptions['sink'] = (evaluation, step) => {
      open.get(step.id)?.push(evaluation)
      options.sink?.(evaluation, step)
    }
    super({ ...options, sink }, services)
    this.#store = store
    this.#open = open
    this.#trouble = trouble
    this.#origin = { via, process: { pid: process.pid, recordedBy: process.pid } }
    this.#countTrouble = new Trouble(COUNT_TROUBLE, report)
    const { clock } = services
    this.#wall = clock === undefined ? Date.now : () => clock.wall()
  }

  // The parent's signature is generic over points; what is recorded is not.
  override dispatch: HookEngine['dispatch'] = ((point: unknown, data: object, context: TracedContext = {}) => {
    const id = context.id ?? newId()
    const step = this.#envelope(id, point, data, context)
    this.#open.set(id, [])
    const commit = (outcome: Outcome): Outcome => this.#commit(step, outcome, context.origin ?? this.#origin)
    try {
      const known = context.id === undefined ? { ...context, id } : context
      const outcome = super.dispatch(point as never, data as never, known) as Outcome | Promise<Outcome>
      return outcome instanceof Promise ? outcome.then(commit) : commit(outcome)
    } catch (error) {
      this.#open.delete(id)
      throw error
    }
  }) as HookEngine['dispatch']

  // As the step came in: the copies that hooks see later have their edits in them.
  #envelope(id: string, point: unknown, data: object, context: StepContext): StepEnvelope {
    const given = typeof point === 'object' && point !== null ? (point as { name: unknown }).name : point
    const { name } = this.table.points.resolve(given)
    const { session, turn, agent, source, workspace, host, profile, metadata = {} } = context
    const whole = { id, point: name, session, turn, agent, source, workspace, host, profile, data, metadata }
    return whole satisfies WholeContext
  }

  #commit(step: StepEnvelope, outcome: Outcome, origin: StepOrigin): Outcome {
    const evaluations = this.#open.get(step.id) ?? []
    this.#open.delete(step.id)
    if (evaluations.length === 0) return outcome
    const { onStep, configuration } = this
    if (onStep !== undefined) this.#countTrouble.watch(() => onStep(evaluations))
    const entry = { step, evaluations, outcome, time: this.#wall(), configuration, origin }
    if (!this.#trouble.watch(() => void this.#store.append(entry))) return outcome
    // Whoever is stopped is told where to look: `arc why <id>`.
    return outcome.blocked ? { ...outcome, metadata: { ...outcome.metadata, traceId: step.id } } : outcome
  }
}
