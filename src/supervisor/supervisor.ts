// A supervisor: an engine with a durable trace, built from the configuration of a home and a project. A bad file never
// applies in part: the last good state stays active, and every problem is reported and recorded.

import { ApprovalGate, type AskLimits } from '../approvals/approval-gate.ts'
import { type Approval, Approvals } from '../approvals/approvals.ts'
import { HostPermission } from '../approvals/host-permission.ts'
import { readStepEnd } from '../approvals/step-end.ts'
import { hookBus } from '../compat/hook-bus.ts'
import type { Config } from '../config/config.ts'
import { compareLoaded, nameConfig } from '../config/digest.ts'
import type { Loaded, LoadedProject, LoadOptions } from '../config/loaded.ts'
import { formatProblem, type Problem } from '../config/problem.ts'
import { type ConfigReload, loadWith, startWatching, type WatchedConfig } from '../config/watch.ts'
import type { Clock } from '../engine/clock.ts'
import { ArcError, describe } from '../engine/errors.ts'
import { type Mode, readMode } from '../engine/mode.ts'
import type { Notice, Outcome } from '../engine/outcome.ts'
import { isRefusal, type PermissionEvent } from '../engine/permission.ts'
import type { DeclaredPoint } from '../engine/point-names.ts'
import { completeContext, type StepContext } from '../engine/step.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import { BUILT_INS } from '../hooks/builtin/list.ts'
import { LivePipeline, type PipelineHook } from '../hooks/live-pipeline.ts'
import type { PipelineServices, ScriptNotice } from '../hooks/pipeline-services.ts'
import type { SupervisorScripts } from '../hooks/scripts/register-script.ts'
import { systemClock } from '../platform/engine-services.ts'
import { arcHome } from '../platform/home.ts'
import type { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'
import type { Stores } from '../storage/open-stores.ts'
import type { StateStore, TraceStore } from '../storage/ports.ts'
import { canonicalize } from '../trace/canonical.ts'
import { type BreakerStatus, breakerFeed } from './breaker/breaker.ts'
import { type ConfigAction, ConfigReports } from './config-reports.ts'
import { buildLoadOptions } from './config-source.ts'
import { HeldSteps } from './held-steps.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import { type HookParts, openOwnParts, type SupervisorParts } from './supervisor-parts.ts'
import { type TracedContext, TracedEngine, type TracedOutcome, whenRecorded } from './traced-engine.ts'

// How often snoozes and trust are read again: another process may change them at any time.
const REFRESH_MS = 250

/** The pipeline, the trace and the configuration as one. Made by `createSupervisor`. */
export class Supervisor {
  /** For registering hooks of a program; they stay when the configuration changes. */
  readonly engine: HookEngine
  readonly #engine: TracedEngine
  readonly #options: SupervisorOptions
  readonly #clock: Clock
  readonly #parts: SupervisorParts
  readonly #builtIns: readonly BuiltIn[]
  readonly #bus: NonNullable<SupervisorOptions['bus']>
  /** The steps that need approval. */
  readonly approvals: Approvals
  readonly #heldSteps: HeldSteps
  readonly #loadOptions: LoadOptions
  readonly #pipeline: LivePipeline
  readonly #pending = new Set<Promise<unknown>>()
  readonly #reports: ConfigReports
  #hooks: HookParts
  #loaded: Loaded
  #watched: WatchedConfig | undefined
  #refreshedAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: SupervisorOptions = {}) {
    const { home = arcHome(), clock = systemClock, builtIns = BUILT_INS, via, bus = hookBus } = options
    const { mode = options.enforcement } = options
    if (mode !== undefined) readMode(mode, options.mode === undefined ? 'enforcement' : 'mode')
    this.#options = { ...options, ...(mode !== undefined && { mode }) }
    this.#clock = clock
    this.#builtIns = builtIns
    this.#bus = bus
    const report = (message: string): void => this.#report(message)
    const notify = (notice: Notice | ScriptNotice): void => options.notify?.(notice)
    const { storeWaitMs: waitMs, isGrouped, resumeLater } = options
    this.#parts = options.parts ?? openOwnParts({ home, clock, notify, report, waitMs, isGrouped, resumeLater })
    const { trace, state, traceFailure } = this.#parts.stores
    const profile = options.profile ?? (process.env.ARC_PROFILE || undefined)
    this.#loadOptions = buildLoadOptions({ ...options, home: options.configHome ?? home, profile, builtIns, state })
    this.#loaded = loadWith(this.#loadOptions, this.#parts.user)
    this.#hooks = this.#parts.hooks(this.config)
    const { project, configHome } = options
    this.#reports = new ConfigReports({ parts: this.#parts, clock, project, configHome, report })
    const record: PipelineServices['record'] = (event) => this.#hooks.services.record(event)
    const onChange = (approval: Approval): void => this.#announce(approval, record)
    const lifetimeMs = (): number => this.config.approvals.lifetimeMs
    this.approvals = new Approvals({ state, clock, newId, canonicalize, record, onChange }, { lifetimeMs })
    const flush = (): void => void this.#parts.stores.flush()
    const gate = new ApprovalGate({ approvals: this.approvals, askMs: options.askMs, record, report })
    const hostPermission = new HostPermission({ approvals: this.approvals, record, report, flush })
    this.#heldSteps = new HeldSteps({ gate, hostPermission, flush })
    const { errorBehavior: onError, timeoutMs } = this.config
    const maxMode = (): Mode => this.#hooks.breaker.maxMode()
    this.#engine = new TracedEngine(
      trace,
      { notify, onError, timeoutMs, maxMode },
      { clock },
      { report, traceFailure, via },
    )
    this.engine = this.#engine
    this.#pipeline = new LivePipeline(this.#engine)
    this.#start()
  }

  /** Watches the files of the configuration from now on. */
  watch(): Promise<void> {
    if (this.#watched === undefined && !this.#isClosed) {
      const { folders, user } = this.#parts
      this.#watched = startWatching({
        ...this.#loadOptions,
        ...{ initial: this.#loaded, clock: this.#clock, folders, user },
        onReload: (reload) => this.#apply(reload),
        onFault: (message) => this.#report(message),
      })
    }
    return Promise.resolve()
  }

  /** The effective configuration. */
  get config(): Config {
    return this.#loaded.config
  }

  /** The layer of the project, if it has one. */
  get project(): LoadedProject | undefined {
    return this.#loaded.project
  }

  /** The problems of the files and of the pipeline built from them. */
  get problems(): readonly Problem[] {
    return this.#reports.problems
  }

  /** The trace, for reading and following. */
  get trace(): TraceStore {
    return this.#parts.stores.trace
  }

  /** The durable state beside the trace. */
  get state(): StateStore {
    return this.#parts.stores.state
  }

  /** Whether the trace is stored beyond this process, and nothing is missing now. */
  get isDurable(): boolean {
    return this.#parts.stores.isDurable && this.#parts.stores.gap() === undefined
  }

  /** @internal The durable state, for work outside a dispatch. */
  get stores(): Stores {
    return this.#parts.stores
  }

  /** The hooks of the pipeline. */
  hooks(): readonly PipelineHook[] {
    this.#pipeline.join(this.#bus.engine.table)
    this.#refresh()
    return this.#pipeline.list()
  }

  /** @internal The services and permissions of `registerScript`, as the configuration sets them. */
  get ofScripts(): SupervisorScripts {
    const record: PipelineServices['record'] = (event) => this.#hooks.services.record(event)
    const notify = (notice: ScriptNotice): void => this.#hooks.services.notify(notice)
    const permissions = () => ({ ...this.config.permissions, profile: this.config.profile })
    return { services: { clock: this.#clock, record, notify }, permissions }
  }

  /** Sends a step through the pipeline. A step that needs approval waits up to `askMs` for the answer. */
  readonly dispatch: HookEngine['dispatch'] = ((point: never, data: never, context: StepContext = {}) =>
    this.decide(point, data, context)) as HookEngine['dispatch']

  /** The same as `dispatch`, with its own limits for the wait. */
  decide(
    point: string | DeclaredPoint,
    data: object,
    context?: TracedContext,
    limits?: Partial<AskLimits>,
  ): Outcome | Promise<Outcome> {
    return this.#track(whenRecorded(this.evaluate(point, data, context, limits)))
  }

  /** @internal The same as `decide`, for a caller that writes more before it waits for the commit. */
  evaluate(
    point: string | DeclaredPoint,
    data: object,
    context: TracedContext = {},
    limits: Partial<AskLimits> | (() => Partial<AskLimits>) = {},
    permission?: PermissionEvent,
  ): TracedOutcome | Promise<TracedOutcome> {
    if (this.#isClosed) throw new ArcError('ARC_SUPERVISOR_CLOSED', 'The supervisor is closed.')
    this.#pipeline.join(this.#bus.engine.table)
    this.#refresh()
    const defaults = { profile: this.config.profile, workspace: this.#options.project }
    const complete = completeContext(context, defaults, newId)
    const name = typeof point === 'string' ? this.#engine.table.points.resolve(point).name : point.name
    // A refusal of the agent's reviewer is no result: the tool did not run.
    if (!isRefusal(permission?.role)) this.#withdraw({ ...complete, point: name, data })
    const readLimits = (): Partial<AskLimits> => (typeof limits === 'function' ? limits() : limits)
    const event = this.#engine.mode === 'off' ? undefined : permission
    const hold = (traced: TracedOutcome): TracedOutcome | Promise<TracedOutcome> =>
      this.#heldSteps.resolve(traced, { ...complete, point: name }, readLimits, event)
    const { blockedSteps } = this.#hooks
    const end = (traced: TracedOutcome): TracedOutcome | Promise<TracedOutcome> =>
      blockedSteps.end(complete, traced.outcome)?.then(() => traced) ?? traced
    const traced = after(this.#engine.dispatchTraced(point, data, complete, context), hold)
    return this.#track(after(traced, end))
  }

  /** The status of the circuit breaker. */
  breaker(): BreakerStatus {
    return this.#hooks.breaker.status()
  }

  /** Loads the configuration again at once, and applies it if it has no problems. */
  reload(): Config {
    if (this.#isClosed) return this.config
    if (this.#watched === undefined) this.#compare(loadWith(this.#loadOptions, this.#parts.user))
    else this.#watched.reload()
    return this.config
  }

  /** @internal Whether steps are under way. */
  get isBusy(): boolean {
    return this.#pending.size > 0
  }

  /** Waits for pending steps and closes the stores that are its own; safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    await this.#watched?.close()
    await Promise.allSettled(this.#pending)
    await this.#parts.close()
  }

  #start(): void {
    this.#reports.set([...this.#loaded.problems, ...this.#installHooks(this.#loaded)], this.#loaded.stale)
    this.#applySnoozes()
    if (this.#reports.haveChanged()) this.#record(this.problems.length > 0 ? 'config:problem' : 'config:good', [])
  }

  #compare(current: Loaded): void {
    const previous = this.#loaded
    const { isChanged, isSame } = compareLoaded(previous, current)
    if (!isSame) this.#apply({ previous, current, isChanged, files: [] })
  }

  #installHooks(loaded: Loaded): readonly Problem[] {
    const { project, mode } = this.#options
    const hooks = this.#parts.hooks(loaded.config)
    const { services, createParts, breaker } = hooks
    const problems = this.#pipeline.install(loaded, { builtIns: this.#builtIns, services, createParts, project })
    if (problems.length === 0 || loaded === this.#loaded) {
      this.#hooks = hooks
      this.#engine.mode = mode ?? loaded.config.enforcement
      this.#engine.configuration = nameConfig(loaded.config)
      // Looked up on each call: a program may register a critical hook later.
      const isCritical = (name: string): boolean =>
        this.#engine.table.hooks.some((hook) => hook.critical && hook.name === name)
      this.#engine.onStep = breakerFeed(breaker, { isCritical })
    }
    return problems
  }

  #apply(reload: ConfigReload): void {
    if (this.#isClosed) return
    const { current, isChanged, files } = reload
    const isRecorded = this.#reports.isRecordedElsewhere(reload)
    const buildProblems = this.#installHooks(current)
    const isApplied = isChanged && buildProblems.length === 0
    if (buildProblems.length === 0) this.#loaded = current
    const hasNewProblems = this.#reports.set([...current.problems, ...buildProblems], this.#loaded.stale)
    this.#applySnoozes()
    this.#reports.haveChanged()
    if (!isApplied && !hasNewProblems) return
    const action = isApplied ? 'config:change' : this.problems.length > 0 ? 'config:problem' : 'config:good'
    if (!isRecorded) this.#record(action, files)
    const { profile, enforcement } = this.config
    const problems = this.problems.map(formatProblem)
    const data = { files, profile, enforcement, isChanged: isApplied, problems }
    void this.#track(this.#engine.dispatch('config:change', data, { profile, source: 'system' }) as Outcome)
  }

  #record(action: ConfigAction, files: readonly string[]): void {
    const hooks = this.#pipeline.list().length
    this.#reports.record(action, { files, loaded: this.#loaded, mode: this.#engine.mode, hooks })
  }

  #refresh(): void {
    const now = this.#clock.now()
    if (now - this.#refreshedAt < REFRESH_MS) return
    this.#refreshedAt = now
    if (this.#applySnoozes() && this.#hasTrustChanged()) this.reload()
  }

  #applySnoozes(): boolean {
    const failure = this.#pipeline.applySnoozes(this.#parts.stores.state, this.#clock.wall())
    if (failure !== undefined) this.#report(failure)
    return failure === undefined
  }

  #hasTrustChanged(): boolean {
    const { project } = this.#loaded
    if (project === undefined || project.commands.length + project.scripts.length === 0) return false
    const isTrusted = this.#loadOptions.trusted?.isTrusted(project.dir, project.hash) === true
    return isTrusted !== project.isTrusted && project.canTrust
  }

  // The result of a tool, or the end of a turn or session, ends the questions about it.
  #withdraw(step: Parameters<typeof readStepEnd>[0]): void {
    try {
      const end = readStepEnd(step)
      if (end !== undefined) this.approvals.withdraw(end)
    } catch (error) {
      this.#report(`Questions that are over could not be withdrawn: ${describe(error)}`)
    }
  }

  #announce(approval: Approval, record: PipelineServices['record']): void {
    const { notify: targets } = this.config
    if (targets.length > 0) this.#options.announce?.({ approval, approvals: this.approvals, targets, record })
  }

  #track<T>(outcome: T): T {
    if (outcome instanceof Promise) {
      const done = outcome.finally(() => this.#pending.delete(done)).catch((error) => this.#report(describe(error)))
      this.#pending.add(done)
    }
    return outcome
  }

  #report(message: string): void {
    if (this.#options.report !== undefined) this.#options.report(message)
    else process.stderr.write(`arc: ${message}\n`)
  }
}

/** The next value, at once if the value is no promise. */
function after<T>(value: T | Promise<T>, next: (value: T) => T | Promise<T>): T | Promise<T> {
  return value instanceof Promise ? value.then(next) : next(value)
}
