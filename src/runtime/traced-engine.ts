// The engine with a durable trace: a step and all its evaluations are committed before its outcome is handed back.
// A trace that cannot be written never changes a decision; it is reported.

import type { EngineOptions, EngineServices } from '../core/engine.ts'
import { describe } from '../core/errors.ts'
import type { Evaluation, Outcome } from '../core/outcome.ts'
import type { StepContext, StepEnvelope } from '../core/step.ts'
import type { TraceStore } from '../trace/store.ts'
import { HookEngine } from './engine.ts'
import { newId } from './ids.ts'

/**
 * An engine whose evaluations go to a trace store.
 * @example
 * const engine = new TracedEngine(new SqliteTraceStore('arc.db'), { mode: 'enforce' })
 */
export class TracedEngine extends HookEngine {
  readonly #store: TraceStore
  readonly #open: Map<string, Evaluation[]>
  readonly #wall: () => number
  /** The configuration in force, for the record: its hash or name. */
  configuration: string | undefined
  /** Told of all evaluations of a step when it is over: what a breaker feeds on. */
  onStep: ((evaluations: readonly Evaluation[]) => void) | undefined

  constructor(store: TraceStore, options: EngineOptions = {}, services: Partial<EngineServices> = {}) {
    const open = new Map<string, Evaluation[]>()
    const sink: EngineOptions['sink'] = (evaluation, step) => {
      open.get(step.id)?.push(evaluation)
      options.sink?.(evaluation, step)
    }
    super({ ...options, sink }, services)
    this.#store = store
    this.#open = open
    const { clock } = services
    this.#wall = clock === undefined ? Date.now : () => clock.wall()
  }

  // The parent's signature is generic over points; what is recorded is not.
  override dispatch: HookEngine['dispatch'] = ((point: unknown, data: object, context: StepContext = {}) => {
    const id = context.id ?? newId()
    const step = this.#envelope(id, point, data, context)
    this.#open.set(id, [])
    const commit = (outcome: Outcome): Outcome => this.#commit(step, outcome)
    try {
      const outcome = super.dispatch(point as never, data as never, { ...context, id }) as Outcome | Promise<Outcome>
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
    return { ...context, id, point: name, data, metadata: context.metadata ?? {} }
  }

  #commit(step: StepEnvelope, outcome: Outcome): Outcome {
    const evaluations = this.#open.get(step.id) ?? []
    this.#open.delete(step.id)
    if (evaluations.length === 0) return outcome
    this.#tell(evaluations)
    try {
      const { configuration } = this
      this.#store.append({ step, evaluations, outcome, time: this.#wall(), configuration })
    } catch (error) {
      process.stderr.write(`arc: the trace could not be written: ${describe(error)}\n`)
      return outcome
    }
    // Whoever is stopped is told where to look: `arc why <id>`.
    return outcome.blocked ? { ...outcome, metadata: { ...outcome.metadata, traceId: step.id } } : outcome
  }

  #tell(evaluations: readonly Evaluation[]): void {
    try {
      this.onStep?.(evaluations)
    } catch (error) {
      process.stderr.write(`arc: what came of a step could not be counted: ${describe(error)}\n`)
    }
  }
}
