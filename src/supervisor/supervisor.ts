// A supervisor: an engine with a durable trace, built from the configuration of a home and a project. A bad file never
// applies in part: the last good state stays active, and every problem is reported and recorded.

import { ApprovalGate, type AskLimits } from '../approvals/approval-gate.ts'
import { Approvals } from '../approvals/approvals.ts'
import type { Config } from '../config/config.ts'
import { compareLoaded, digestProblems, nameConfig } from '../config/digest.ts'
import { type Loaded, type LoadedProject, type LoadOptions, loadConfig } from '../config/load.ts'
import { formatProblem, type Problem } from '../config/problem.ts'
import { type ConfigReload, type WatchedConfig, watchConfig } from '../config/watch.ts'
import type { Clock } from '../engine/clock.ts'
import { ArcError, describe } from '../engine/errors.ts'
import { type Mode, readMode } from '../engine/mode.ts'
import type { Notice, Outcome } from '../engine/outcome.ts'
import type { DeclaredPoint } from '../engine/point-names.ts'
import { completeContext, type StepContext } from '../engine/step.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import { BUILT_INS } from '../hooks/builtin/list.ts'
import { LivePipeline, type PipelineHook } from '../hooks/live-pipeline.ts'
import {
  createServices,
  type PipelineServices,
  printNotice,
  recordEvent,
  type ScriptNotice,
} from '../hooks/pipeline-services.ts'
import { systemClock } from '../platform/engine-services.ts'
import { arcHome } from '../platform/home.ts'
import type { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'
import { openStores, type Stores } from '../storage/open-stores.ts'
import type { StateStore, TraceStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import { canonicalize } from '../trace/canonical.ts'
import { type BreakerStatus, breakerFeed, DurableBreaker } from './breaker/breaker.ts'
import { buildLoadOptions } from './config-source.ts'
import type { SupervisorOptions } from './supervisor-options.ts'
import { type TracedContext, TracedEngine, type TracedOutcome, whenRecorded } from './traced-engine.ts'

// How often snoozes and trust are read again: another process may change them at any time.
const REFRESH_MS = 250
const PROBLEMS_KEY = 'config:problems'

const CONFIG_MESSAGES = {
  'config:change': 'the configuration changed',
  'config:problem': 'the configuration has problems, so its last good state is used',
  'config:good': 'the configuration has no problems any more',
} as const

/** The pipeline, the trace and the configuration as one. Made by `createSupervisor`. */
export class Supervisor {
  /** For registering hooks of a program; they stay when the configuration changes. */
  readonly engine: HookEngine
  readonly #engine: TracedEngine
  readonly #options: SupervisorOptions
  readonly #clock: Clock
  readonly #stores: Stores
  readonly #services: PipelineServices
  readonly #builtIns: readonly BuiltIn[]
  /** The steps that need approval. */
  readonly approvals: Approvals
  readonly #approvalGate: ApprovalGate
  readonly #loadOptions: LoadOptions
  readonly #pipeline: LivePipeline
  readonly #pending = new Set<Promise<unknown>>()
  #breaker: DurableBreaker
  #loaded: Loaded
  #problems: readonly Problem[] = []
  #watching: Promise<WatchedConfig> | undefined
  #watched: WatchedConfig | undefined
  #refreshedAt = Number.NEGATIVE_INFINITY
  #isClosed = false

  constructor(options: SupervisorOptions = {}) {
    const { home = arcHome(), clock = systemClock, builtIns = BUILT_INS, via } = options
    if (options.enforcement !== undefined) readMode(options.enforcement, 'enforcement')
    this.#options = options
    this.#clock = clock
    this.#builtIns = builtIns
    const report = (message: string): void => this.#report(message)
    this.#stores = openStores(home, report, { waitMs: options.storeWaitMs, isGrouped: options.isGrouped })
    const { trace, state, traceFailure } = this.#stores
    const profile = options.profile ?? (process.env.ARC_PROFILE || undefined)
    this.#loadOptions = buildLoadOptions({ ...options, home: options.configHome ?? home, profile, builtIns, state })
    this.#loaded = loadConfig(this.#loadOptions)
    const record: PipelineServices['record'] = (event) => this.#services.record(event)
    this.approvals = new Approvals({ state, clock, newId, canonicalize, record })
    this.#approvalGate = new ApprovalGate({ approvals: this.approvals, askMs: options.askMs, record, report })
    const notify = (notice: Notice | ScriptNotice): void => (options.notify ?? printNotice)(notice)
    const profileName = (): string => this.config.profile
    const services = createServices({ home, state, trace, clock, profile: profileName, notify, traceFailure })
    this.#services = { ...services, maxMode: () => this.#breaker.maxMode() }
    const { errorBehavior: onError, timeoutMs } = this.config
    this.#breaker = this.#makeBreaker(this.config)
    const maxMode = (): Mode => this.#breaker.maxMode()
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
  async watch(): Promise<void> {
    if (this.#watching !== undefined || this.#isClosed) return
    this.#watching = watchConfig({
      ...this.#loadOptions,
      initial: this.#loaded,
      clock: this.#clock,
      onReload: (reload) => this.#apply(reload),
      onFault: (message) => this.#report(message),
    })
    this.#watched = await this.#watching
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
    return this.#problems
  }

  /** The trace, for reading and following. */
  get trace(): TraceStore {
    return this.#stores.trace
  }

  /** The durable state beside the trace. */
  get state(): StateStore {
    return this.#stores.state
  }

  /** Whether the trace is stored beyond this process. */
  get isDurable(): boolean {
    return this.#stores.isDurable
  }

  /** @internal The durable state, for work outside a dispatch. */
  get stores(): Stores {
    return this.#stores
  }

  /** The hooks of the pipeline. */
  hooks(): readonly PipelineHook[] {
    this.#refresh()
    return this.#pipeline.list()
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
    limits: Partial<AskLimits> = {},
  ): TracedOutcome | Promise<TracedOutcome> {
    if (this.#isClosed) throw new ArcError('ARC_SUPERVISOR_CLOSED', 'The supervisor is closed.')
    this.#refresh()
    const defaults = { profile: this.config.profile, workspace: this.#options.project }
    const complete = completeContext(context, defaults, newId)
    const hold = (traced: TracedOutcome): TracedOutcome | Promise<TracedOutcome> => {
      if (traced.outcome.decision !== 'ask') return traced
      const name = typeof point === 'string' ? this.#engine.table.points.resolve(point).name : point.name
      const resolved = this.#approvalGate.resolve(traced.outcome, { ...complete, point: name }, limits)
      return resolved.then((outcome) => {
        // An approver answers from another process.
        this.#stores.flush()
        return { ...traced, outcome }
      })
    }
    const traced = this.#engine.dispatchTraced(point, data, complete, context.origin)
    return this.#track(traced instanceof Promise ? traced.then(hold) : hold(traced))
  }

  /** The status of the circuit breaker. */
  breaker(): BreakerStatus {
    return this.#breaker.status()
  }

  /** Loads the configuration again at once, and applies it if it has no problems. */
  reload(): Config {
    if (this.#isClosed) return this.config
    if (this.#watched === undefined) this.#compare(loadConfig(this.#loadOptions))
    else this.#watched.reload()
    return this.config
  }

  /** Waits for pending steps and closes the stores; safe to call twice. */
  async close(): Promise<void> {
    if (this.#isClosed) return
    this.#isClosed = true
    // Also a watcher that is still starting: it reads the state, which must not open the database again.
    await (await this.#watching?.catch(() => undefined))?.close()
    await Promise.allSettled(this.#pending)
    this.#stores.close()
  }

  #start(): void {
    this.#setProblems([...this.#loaded.problems, ...this.#installHooks(this.#loaded)])
    this.#applySnoozes()
    if (this.#haveProblemsChanged()) this.#record(this.#problems.length > 0 ? 'config:problem' : 'config:good', [])
  }

  #compare(current: Loaded): void {
    const previous = this.#loaded
    const { isChanged, isSame } = compareLoaded(previous, current)
    if (!isSame) this.#apply({ previous, current, isChanged, files: [] })
  }

  #installHooks(loaded: Loaded): readonly Problem[] {
    const { project, enforcement } = this.#options
    const options = { builtIns: this.#builtIns, services: this.#services, project }
    const problems = this.#pipeline.install(loaded, options)
    if (problems.length === 0 || loaded === this.#loaded) {
      this.#engine.mode = enforcement ?? loaded.config.enforcement
      this.#engine.configuration = nameConfig(loaded.config)
      this.#breaker = this.#makeBreaker(loaded.config)
      // Looked up on each call: a program may register a critical hook later.
      const isCritical = (name: string): boolean =>
        this.#engine.table.hooks.some((hook) => hook.critical && hook.name === name)
      this.#engine.onStep = breakerFeed(this.#breaker, { isCritical })
    }
    return problems
  }

  #makeBreaker({ profile, breaker }: Config): DurableBreaker {
    const onTrip = (): void =>
      this.#report('Too many failures of hooks in a row: advise and enforce act as log for now.')
    return new DurableBreaker({ ...breaker, profile, onTrip }, this.#services)
  }

  #apply({ current, isChanged, files }: ConfigReload): void {
    if (this.#isClosed) return
    const buildProblems = this.#installHooks(current)
    const isApplied = isChanged && buildProblems.length === 0
    if (buildProblems.length === 0) this.#loaded = current
    const hasNewProblems = this.#setProblems([...current.problems, ...buildProblems])
    this.#applySnoozes()
    this.#haveProblemsChanged()
    if (!isApplied && !hasNewProblems) return
    this.#record(isApplied ? 'config:change' : this.#problems.length > 0 ? 'config:problem' : 'config:good', files)
    const { profile, enforcement } = this.config
    const problems = this.#problems.map(formatProblem)
    const data = { files, profile, enforcement, isChanged: isApplied, problems }
    void this.#track(this.#engine.dispatch('config:change', data, { profile, source: 'system' }) as Outcome)
  }

  // Reports problems once; true when they differ from the previous ones.
  #setProblems(problems: readonly Problem[]): boolean {
    const areNew = digestProblems(problems) !== digestProblems(this.#problems)
    this.#problems = problems
    if (!areNew) return false
    for (const problem of problems) this.#report(formatProblem(problem))
    const { stale } = this.#loaded
    if (stale.length > 0) this.#report(`Using the last good state of ${stale.join(', ')}.`)
    return true
  }

  #record(action: 'config:change' | 'config:problem' | 'config:good', files: readonly string[]): void {
    const count = this.#problems.length
    const what = `profile ${this.config.profile}, mode ${this.#engine.mode}, ${this.#pipeline.list().length} hooks`
    const data = { files, problems: this.#problems.slice(0, 20).map(formatProblem), stale: this.#loaded.stale }
    const suffix = count === 0 ? '' : `; ${count} ${count === 1 ? 'problem' : 'problems'}: ${data.problems[0]}`
    const message = `${CONFIG_MESSAGES[action]}: ${what}${suffix}`
    const level = count === 0 ? 'info' : this.#loaded.absent.length > 0 ? 'error' : 'warn'
    const when = { time: this.#clock.wall(), profile: this.config.profile, traceFailure: this.#stores.traceFailure }
    recordEvent(this.#stores.trace, { component: 'config', action, level, message, data }, when)
  }

  // Hosts start a process for each event: the same problems are recorded once, not by each process.
  #haveProblemsChanged(): boolean {
    const now = digestProblems(this.#problems)
    // Problems of another configuration folder are tracked apart from those of the home.
    const { configHome } = this.#options
    const key = configHome === undefined ? PROBLEMS_KEY : `${PROBLEMS_KEY}:${configHome}`
    let isNew = false
    try {
      update<string>(this.#stores.state, key, (before) => {
        isNew = now !== (before ?? digestProblems([]))
        return isNew ? now : undefined
      })
    } catch (error) {
      this.#report(`Earlier problems of the configuration cannot be read: ${describe(error)}`)
    }
    return isNew
  }

  #refresh(): void {
    const now = this.#clock.now()
    if (now - this.#refreshedAt < REFRESH_MS) return
    this.#refreshedAt = now
    if (this.#applySnoozes() && this.#hasTrustChanged()) this.reload()
  }

  #applySnoozes(): boolean {
    const failure = this.#pipeline.applySnoozes(this.#stores.state, this.#clock.wall())
    if (failure !== undefined) this.#report(failure)
    return failure === undefined
  }

  #hasTrustChanged(): boolean {
    const { project } = this.#loaded
    if (project === undefined || project.commands.length + project.scripts.length === 0) return false
    const isTrusted = this.#loadOptions.trusted?.isTrusted(project.dir, project.hash) === true
    return isTrusted !== project.isTrusted && project.canTrust
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
