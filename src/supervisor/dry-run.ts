// A dry run of the pipeline: lists its hooks and evaluates steps. Starts no program, sends nothing, writes nothing.

import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { AdvanceApprovals } from '../approvals/advance-approvals.ts'
import { toHeldStep } from '../approvals/approvals.ts'
import type { Config } from '../config/config.ts'
import { type Loaded, loadConfig } from '../config/load.ts'
import type { Problem } from '../config/problem.ts'
import type { DeriveSteps } from '../engine/action-views.ts'
import { describe } from '../engine/errors.ts'
import type { Mode } from '../engine/mode.ts'
import type { Evaluation, Outcome } from '../engine/outcome.ts'
import type { StepContext } from '../engine/step.ts'
import { openHomeGuard } from '../guard/home-guard.ts'
import type { BuiltIn } from '../hooks/builtin/built-in.ts'
import { BUILT_INS } from '../hooks/builtin/list.ts'
import { LivePipeline, type PipelineHook } from '../hooks/live-pipeline.ts'
import { dryRunServices } from '../hooks/pipeline-services.ts'
import { systemClock } from '../platform/engine-services.ts'
import { arcHome, findProject } from '../platform/home.ts'
import { HookEngine } from '../platform/hook-engine.ts'
import { newId } from '../platform/ids.ts'
import { MemoryStateStore } from '../storage/memory/state-store.ts'
import type { StateStore } from '../storage/ports.ts'
import { SqliteStateStore } from '../storage/sqlite/state-store.ts'
import { canonicalize } from '../trace/canonical.ts'
import { type BreakerStatus, DurableBreaker } from './breaker/breaker.ts'
import { buildLoadOptions } from './config-source.ts'
import { openExceptions } from './supervisor-parts.ts'

/** The pipeline of a dry run. */
export interface DryRunOptions {
  readonly home: string
  readonly profile?: string | undefined
  readonly project?: string | undefined
  /** Overrides the mode of the configuration. */
  readonly mode?: Mode
  readonly builtIns?: readonly BuiltIn[]
  /** The initial state; read, never written. */
  readonly state: StateStore
}

/** What the pipeline would decide on a step. */
export interface DryRunResult {
  readonly outcome: Outcome
  readonly evaluations: readonly Evaluation[]
  /** Hooks, reviewers, commands and requests that were skipped because they leave the process. */
  readonly skipped: readonly string[]
}

/** The state of a home, read-only; no database is created where there is none. */
function readState(home: string, report: (message: string) => void): { state: StateStore; close(): void } {
  const file = join(home, 'arc.db')
  const none = { state: new MemoryStateStore(), close: () => undefined }
  if (!existsSync(file)) return none
  try {
    const store = new SqliteStateStore(file)
    return { state: new MemoryStateStore(store), close: () => store.close() }
  } catch (error) {
    report(`The state cannot be read, so no project is trusted and no hook is disabled: ${describe(error)}`)
    return none
  }
}

/** A dry run for a directory: with `$ARC_HOME`, `$ARC_PROFILE` and the project of the directory. */
export function openDryRun(options: {
  readonly cwd: string
  readonly mode?: Mode
  readonly report: (message: string) => void
}): { readonly preview: DryRun; readonly home: string; close(): void } {
  const { cwd, mode, report } = options
  const home = arcHome()
  const { state, close } = readState(home, report)
  const profile = process.env.ARC_PROFILE || undefined
  const project = findProject(cwd, home)
  return { preview: new DryRun({ home, profile, project, state, ...(mode && { mode }) }), home, close }
}

/** A pipeline that only evaluates. */
export class DryRun {
  readonly loaded: Loaded
  readonly problems: readonly Problem[]
  /** The status of the profile's breaker. */
  readonly breaker: () => BreakerStatus
  readonly #engine: HookEngine
  readonly #pipeline: LivePipeline
  readonly #skipped = new Set<string>()
  readonly #base: StateStore
  #state: StateStore
  #external: ReadonlySet<string> = new Set()

  constructor({ home, profile, project, mode, builtIns = BUILT_INS, state }: DryRunOptions) {
    this.loaded = loadConfig(buildLoadOptions({ home, profile, project, builtIns, state, isReadOnly: true }))
    this.#base = state
    this.#state = new MemoryStateStore(state)
    const dry = dryRunServices(this.#stateView(), (what) => void this.#skipped.add(what), openHomeGuard(home))
    const services = { ...dry, findExceptions: openExceptions(this.config.exceptions, dry) }
    const { breaker, enforcement, profile: named } = this.config
    const watch = new DurableBreaker({ ...breaker, profile: named }, services)
    this.breaker = () => watch.status()
    this.#engine = new HookEngine({
      mode: mode ?? enforcement,
      // With an explicit mode the breaker is ignored.
      ...(mode === undefined && { maxMode: () => watch.maxMode() }),
    })
    this.#pipeline = new LivePipeline(this.#engine)
    const buildProblems = this.#pipeline.install(this.loaded, { builtIns, services, project })
    this.#pipeline.applySnoozes(state, Date.now())
    this.problems = [...this.loaded.problems, ...buildProblems]
  }

  get config(): Config {
    return this.loaded.config
  }

  /** The hooks of the pipeline. */
  hooks(): readonly PipelineHook[] {
    return this.#pipeline.list()
  }

  /** The names of the hooks that match a step, in order. */
  match(point: string, facts: StepContext & { readonly data: Readonly<Record<string, unknown>> }): readonly string[] {
    const { name } = this.#engine.table.points.resolve(point)
    const plan = this.#engine.table.plan(name)
    const step = { context: facts, data: facts.data, metadata: facts.metadata ?? {} }
    const found = plan?.hooks.filter(({ matches }) => matches === undefined || matches(step))
    return (found ?? []).map((hook) => hook.name)
  }

  /** What the pipeline would decide on a step. */
  async evaluate(point: string, data: object, context: StepContext = {}, derive?: DeriveSteps): Promise<DryRunResult> {
    this.#skipExternal()
    // Each evaluation starts from the initial state: counters of hooks do not carry over.
    this.#state = new MemoryStateStore(this.#base)
    this.#skipped.clear()
    const dispatched = this.#engine.dispatchRecorded(point, data, context, { derive })
    const { outcome: decided, evaluations } = dispatched instanceof Promise ? await dispatched : dispatched
    const outcome = this.#isApproved(decided, point, context) ? { ...decided, decision: 'pass' as const } : decided
    for (const { hook, skipped, reason } of evaluations) {
      if (skipped !== undefined && reason === SKIPPED_REASON && this.#external.has(hook)) this.#skipped.add(hook)
    }
    return { outcome, evaluations, skipped: [...this.#skipped] }
  }

  // A held step that is approved already would run.
  #isApproved({ decision, data }: Outcome, point: string, context: StepContext): boolean {
    if (decision !== 'ask') return false
    const { name } = this.#engine.table.points.resolve(point)
    const approvals = new AdvanceApprovals({ state: this.#state, clock: systemClock, newId, canonicalize })
    return approvals.findApproved(approvals.hashStep(toHeldStep({ ...context, point: name, data }))) !== undefined
  }

  #stateView(): StateStore {
    return {
      get: (key) => this.#state.get(key),
      set: (key, value, version) => this.#state.set(key, value, version),
      remove: (key, version) => this.#state.remove(key, version),
      list: (prefix) => this.#state.list(prefix),
    }
  }

  // Disabled instead of removed, so that the evaluations show which of them match the step.
  #skipExternal(): void {
    if (this.#external.size > 0) return
    this.#external = new Set(this.#pipeline.externalHooks)
    let { table } = this.#engine
    for (const { name, enabled } of this.#pipeline.list()) {
      if (enabled && this.#external.has(name)) table = table.withDisabled(name, { reason: SKIPPED_REASON })
    }
    this.#engine.swap(table)
  }
}

const SKIPPED_REASON = 'starts a program, so it is skipped in a dry run'
