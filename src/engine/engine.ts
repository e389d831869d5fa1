// The engine: registers hooks and dispatches steps. Holds the current table and swaps it as a whole.
// Clock, ids, patterns and sink are injected.

import type { DerivedView, DeriveSteps, Honours } from './action-views.ts'
import type { Clock } from './clock.ts'
import type { OnError } from './degradation.ts'
import { Dispatch, type DispatchServices } from './dispatch.ts'
import { quietly, readFunction, readHookLimit, readPoints } from './engine-options.ts'
import { ArcError, describe, rejectUnknownOptions, show } from './errors.ts'
import { type Handler, type HookObject, type HookOptions, readNumber, readOnError, readTimeout } from './hook.ts'
import { TimeLimits } from './hook-run.ts'
import type { RegexCompiler } from './matcher.ts'
import { effectiveMode, type Mode, type ModeInput, readMode } from './mode.ts'
import type { Evaluation, Fault, Notice, Outcome, Sink } from './outcome.ts'
import { copyPlain } from './plain-data.ts'
import { BUILT_IN_POINTS, type DeclaredPoint, type PointRef, type SpecOf } from './point-names.ts'
import type { BuiltInPoints, DataOf, PointTable } from './points.ts'
import { NO_METADATA, type StepContext } from './step.ts'
import { type Added, buildPlan, HookTable, type Plan } from './table.ts'
import type { HandlerResult } from './verdict.ts'

/** Settings of an engine; all optional. */
export interface EngineOptions {
  /**
   * The highest mode of any hook: `off`, `log`, `advise` or `enforce`. In `log`, the default, nothing is stopped or changed:
   * a block counts as a `flag` in `outcome.decision`, and `outcome.wouldBe` is `block`. Blocks apply in `enforce`.
   */
  readonly mode?: ModeInput
  /** What a failing hook counts as, if the hook does not set its own; default `log`. */
  readonly onError?: OnError
  /** The time limit of a hook that does not set its own; default 5 000 ms. */
  readonly timeoutMs?: number
  readonly maxHooksPerPoint?: number
  /** Additional points, declared by `definePoint`. */
  readonly points?: readonly DeclaredPoint[]
  /** Receives every evaluation. Without a sink, evaluations are not recorded. */
  readonly sink?: Sink
  /** Receives the notice for the user, in advise and enforce: one for a step, the strictest. By default there are none. */
  readonly notify?: (notice: Notice) => void
  /** The highest mode allowed at present: a breaker's maximum mode. */
  readonly maxMode?: () => Mode
  /** Receives failures that do not change the decision. */
  readonly onFault?: (fault: Fault) => void
}

/** The services that an engine needs. */
export interface EngineServices {
  readonly clock: Clock
  readonly newId: () => string
  readonly regex: RegexCompiler
  readonly report: (fault: Fault) => void
}

/** The result of a dispatch with everything to store about it. */
export interface RecordedDispatch {
  readonly outcome: Outcome
  readonly evaluations: readonly Evaluation[]
  /** The canonical name of the point. */
  readonly point: string
}

/** What the caller of a dispatch can carry out, and what else the action is. */
export interface ActionOptions {
  readonly honours?: Honours | undefined
  readonly derive?: DeriveSteps | undefined
  /** The point at which the action ends: hooks that see an action once see it there. */
  readonly partOf?: string | undefined
}

/** One registered hook, for listings. */
export interface HookListing {
  readonly name: string
  readonly points: readonly string[]
  readonly priority: number
  readonly mode: Mode | undefined
  readonly effectiveMode: Mode
  readonly enabled: boolean
  readonly timeoutMs: number
  readonly critical: boolean
}

/** The interface of every engine; `NoopHookEngine` implements it without hooks. */
export interface Engine<Points extends PointTable = BuiltInPoints> {
  dispatch<Ref extends PointRef<Points>>(
    point: Ref,
    data: DataOf<SpecOf<Points, Ref>>,
    context?: StepContext,
  ): Outcome<DataOf<SpecOf<Points, Ref>>> | Promise<Outcome<DataOf<SpecOf<Points, Ref>>>>
  observe<Ref extends PointRef<Points>>(point: Ref, data: DataOf<SpecOf<Points, Ref>>, context?: StepContext): void
}

const OPTIONS = [
  ...['mode', 'onError', 'timeoutMs', 'maxHooksPerPoint', 'points', 'sink', 'notify', 'maxMode', 'onFault'],
] as const
const NO_CONTEXT: StepContext = Object.freeze({})

/** The hook engine. */
export class CoreEngine<Points extends PointTable = BuiltInPoints> implements Engine<Points> {
  readonly #clock: Clock
  readonly #services: DispatchServices
  readonly #declared: readonly DeclaredPoint[]
  #mode: Mode
  #table: HookTable

  constructor(options: EngineOptions, services: EngineServices) {
    rejectUnknownOptions(options, OPTIONS, 'createEngine')
    const { clock, newId, regex, report } = services
    const { mode = 'log', onError = 'log', timeoutMs = 5_000, maxHooksPerPoint = 50, points = [] } = options
    this.#clock = clock
    this.#mode = readMode(mode, 'mode of the engine')
    this.#services = {
      timeLimits: new TimeLimits(clock),
      now: () => clock.now(),
      wall: () => clock.wall(),
      newId,
      onError: readOnError(onError, 'the engine'),
      timeoutMs: readTimeout(timeoutMs, 'the engine') ?? 5_000,
      sink: readFunction(options.sink, 'sink'),
      notify: readFunction(options.notify, 'notify'),
      maxMode: readFunction(options.maxMode, 'maxMode'),
      report: quietly(readFunction(options.onFault, 'onFault') ?? report),
    }
    const limit = readHookLimit(maxHooksPerPoint)
    this.#declared = readPoints(points)
    this.#table = this.#declare(new HookTable({ points: BUILT_IN_POINTS, regex, maxHooksPerPoint: limit }))
  }

  /** The mode of the profile: the most that any hook may do. */
  get mode(): Mode {
    return this.#mode
  }
  set mode(mode: ModeInput) {
    this.#mode = readMode(mode, 'mode of the engine')
  }

  /** The current table; derive another from it and `swap` it in. */
  get table(): HookTable {
    return this.#table
  }

  /** Replaces all hooks at once. Dispatches under way finish on the table they started with. */
  swap(table: HookTable): void {
    if (!(table instanceof HookTable)) {
      throw new ArcError('ARC_OPTION_INVALID', `swap needs a HandlerTable, not ${show(table)}.`)
    }
    this.#table = this.#declare(table)
  }

  /**
   * Registers a hook and returns its undo.
   * @example
   * const unregister = engine.register('pre:tool', (step) => (step.data.tool === 'shell' ? 'ask' : 'pass'))
   */
  register<Ref extends PointRef<Points>, const Result extends HandlerResult<SpecOf<Points, Ref>>>(
    point: Ref,
    handler: Handler<SpecOf<Points, Ref>, Result>,
    options?: HookOptions,
  ): () => void
  register<Ref extends PointRef<Points>, const Result extends HandlerResult<SpecOf<Points, Ref>>>(
    hook: HookObject<SpecOf<Points, Ref>, Ref, Result>,
  ): () => void
  register(first: unknown, handler?: unknown, options?: HookOptions): () => void {
    if (!isObjectForm(first)) return this.#commit(this.#table.add(first as string, handler as Handler, options))
    if (handler !== undefined) {
      throw new ArcError('ARC_HANDLER_INVALID', 'A hook in object form brings its own check; pass nothing after it.')
    }
    return this.#commit(this.#table.addObject(first))
  }

  /** Switches a hook on again. */
  enable(name: string): void {
    this.#table = this.#table.withDisabled(name, undefined)
  }

  /** Switches a hook off: for good, or for a while. Its skipped evaluations are traced. */
  disable(name: string, options: { readonly forMs?: number; readonly reason?: string } = {}): void {
    rejectUnknownOptions(options, ['forMs', 'reason'], 'disable')
    const { forMs, reason } = options
    const until = forMs === undefined ? undefined : this.#clock.wall() + readNumber(forMs, 'forMs', `disable(${name})`)
    this.#table = this.#table.withDisabled(name, { until, reason })
  }

  /** Would a hook of this name run? False for a name that is not registered. */
  isEnabled(name: string): boolean {
    return this.#table.hooks.some((hook) => hook.name === name && !this.#isOff(hook.disabled))
  }

  /** Every registered hook, in order of priority. */
  list(): readonly HookListing[] {
    const byName = new Map<string, HookListing>()
    for (const hook of this.#table.hooks) {
      const { name, priority, mode, critical, timeoutMs = this.#services.timeoutMs } = hook
      const points = [...(byName.get(name)?.points ?? []), hook.point]
      const inForce = effectiveMode({ profile: this.#mode, hook: mode, maxMode: this.#services.maxMode?.(), critical })
      const enabled = !this.#isOff(hook.disabled)
      byName.set(name, { name, points, priority, mode, effectiveMode: inForce, enabled, timeoutMs, critical })
    }
    return [...byName.values()].sort((a, b) => a.priority - b.priority)
  }

  /** Sends a step through the hooks of its point. The outcome, or a promise of it when a hook is asynchronous. */
  dispatch<Ref extends PointRef<Points>>(
    point: Ref,
    data: DataOf<SpecOf<Points, Ref>>,
    context?: StepContext,
  ): Outcome<DataOf<SpecOf<Points, Ref>>> | Promise<Outcome<DataOf<SpecOf<Points, Ref>>>>
  dispatch(point: string | DeclaredPoint, data: object, context?: StepContext): Outcome | Promise<Outcome> {
    const plan = this.#planOf(point)
    checkData(plan.name, data)
    if (plan.hooks.length === 0 || this.#mode === 'off') return passOutcome(data, context)
    return new Dispatch({ plan, mode: this.#mode, data, context: context ?? NO_CONTEXT }, this.#services).start()
  }

  /** Dispatches a step and returns its outcome together with its evaluations, for a caller that stores them. */
  dispatchRecorded(
    point: string | DeclaredPoint,
    data: object,
    context: StepContext = NO_CONTEXT,
    { honours, derive, partOf }: ActionOptions = {},
  ): RecordedDispatch | Promise<RecordedDispatch> {
    const own = this.#planOf(point)
    const plan = partOf === undefined ? own : (this.#table.derivedPlan(this.#planOf(partOf), own.name) ?? own)
    checkData(plan.name, data)
    const derived = derive === undefined || this.#mode === 'off' ? undefined : this.#deriveViews(plan, derive)
    if ((plan.hooks.length === 0 && derived === undefined) || this.#mode === 'off') {
      return { outcome: passOutcome(data, context), evaluations: [], point: plan.name }
    }
    const input = { plan, mode: this.#mode, data, context, honours, derived, isRecorded: true }
    const dispatch = new Dispatch(input, this.#services)
    const toResult = (outcome: Outcome): RecordedDispatch => {
      return { outcome, evaluations: dispatch.evaluations ?? [], point: plan.name }
    }
    const outcome = dispatch.start()
    return outcome instanceof Promise ? outcome.then(toResult) : toResult(outcome)
  }

  /** Shows a step to the hooks of its point, later: nothing is applied, nothing is waited for, nothing thrown. */
  observe<Ref extends PointRef<Points>>(point: Ref, data: DataOf<SpecOf<Points, Ref>>, context?: StepContext): void
  observe(point: string | DeclaredPoint, data: object, context: StepContext = NO_CONTEXT): void {
    try {
      const plan = this.#planOf(point)
      checkData(plan.name, data)
      if (plan.hooks.length === 0 || this.#mode === 'off') return
      // In advise at most: an observer has nothing left to stop or change.
      const mode = effectiveMode({ profile: this.#mode, maxMode: 'advise' })
      const services = { ...this.#services, isObserving: true }
      const input = { plan, mode, data: copyPlain({ ...data }), context: copyPlain({ ...context }) }
      const dispatch = new Dispatch(input, services)
      this.#clock.soon(() => void dispatch.start())
    } catch (error) {
      this.#services.report({ kind: 'observe', point: describe(nameOf(point)), message: describe(error) })
    }
  }

  #deriveViews(main: Plan, derive: DeriveSteps): readonly DerivedView[] | undefined {
    const hooksAt = (point: string): Plan | undefined => this.#table.derivedPlan(main, point)
    const views = derive((point) => (hooksAt(point)?.hooks.length ?? 0) > 0).flatMap((step) => {
      const plan = hooksAt(step.point)
      return plan === undefined || plan.hooks.length === 0 ? [] : [{ step, plan }]
    })
    return views.length === 0 ? undefined : views
  }

  // A canonical name, the usual case, is one lookup.
  #planOf(point: string | DeclaredPoint): Plan {
    const plan = typeof point === 'string' ? this.#table.plan(point) : undefined
    return plan ?? this.#resolvePlan(point)
  }

  #resolvePlan(point: string | DeclaredPoint): Plan {
    // A declared point that is not in this table is a point without hooks.
    if (typeof point === 'object' && isDeclared(point)) {
      return this.#table.plan(point.name) ?? buildPlan(point.name, point, [])
    }
    const { name, spec } = this.#table.points.resolve(point)
    return this.#table.plan(name) ?? buildPlan(name, spec, [])
  }

  #declare(table: HookTable): HookTable {
    return this.#declared.reduce((all, point) => all.declare(point), table)
  }

  #commit({ table, hooks }: Added): () => void {
    this.#table = table
    return () => {
      this.#table = this.#table.without(hooks)
    }
  }

  #isOff(disabled: { readonly until?: number | undefined } | undefined): boolean {
    if (disabled === undefined) return false
    return disabled.until === undefined || this.#clock.wall() < disabled.until
  }
}

/** The engine of an agent without hooks: every step passes, observations are discarded. */
export class NoopHookEngine<Points extends PointTable = BuiltInPoints> implements Engine<Points> {
  dispatch<Ref extends PointRef<Points>>(
    _point: Ref,
    data: DataOf<SpecOf<Points, Ref>>,
    context?: StepContext,
  ): Outcome<DataOf<SpecOf<Points, Ref>>> {
    return passOutcome(data as object, context) as Outcome<DataOf<SpecOf<Points, Ref>>>
  }

  observe(): void {
    // There are no hooks.
  }
}

// The outcome of a step without hooks.
function passOutcome(data: object, context: StepContext | undefined): Outcome {
  return { decision: 'pass', blocked: false, control: 'proceed', data, metadata: context?.metadata ?? NO_METADATA }
}

// A declared point is an object too, but it has no check.
function isObjectForm(value: unknown): value is HookObject {
  return typeof value === 'object' && value !== null && !('canAbort' in value)
}

function isDeclared(point: DeclaredPoint | null): point is DeclaredPoint {
  return typeof point?.name === 'string' && Array.isArray(point.modify)
}

function nameOf(point: string | DeclaredPoint): unknown {
  return typeof point === 'object' && point !== null ? point.name : point
}

function checkData(point: string, data: unknown): void {
  if (typeof data === 'object' && data !== null && !Array.isArray(data)) return
  throw new ArcError('ARC_DATA_INVALID', `The data of a step at ${point} must be an object, not ${show(data)}.`)
}
