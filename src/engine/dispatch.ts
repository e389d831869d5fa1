// The way of one step through the hooks of its point, in the order of this file:
// plan → match → mode → run → read verdict → degrade → apply by mode → record → outcome.
// Synchronous hooks stay synchronous: only a hook that returns a promise is waited for.

import { ActionViews, type DerivedView, type Honours } from './action-views.ts'
import { type AppliedVerdict, addMetadata, applyByMode, isAlwaysBlock, stricterNotice } from './apply-by-mode.ts'
import { DECISION_RANK, type Decision, strongest } from './decision.ts'
import { type Cause, degrade, Failure, type OnError } from './degradation.ts'
import { buildOutcome, reportEnd } from './dispatch-end.ts'
import { describe } from './errors.ts'
import { buildEvaluation, buildPass, buildSkip, findSkip } from './evaluation.ts'
import { crash, isThenable, type RegisteredHook } from './hook.ts'
import { HookRun, type TimeLimits, type Waiter } from './hook-run.ts'
import type { MatchFacts } from './matcher.ts'
import { effectiveMode, isAtLeast, type Mode, readMode } from './mode.ts'
import type { Evaluation, Fault, Notice, Outcome, Sink } from './outcome.ts'
import { mergePlain } from './plain-data.ts'
import { NO_METADATA, readMetadata, type Step, type StepContext, type StepState, StepView } from './step.ts'
import { compareHooks, type Plan } from './table.ts'
import { type Answer, readVerdict, type Verdict } from './verdict.ts'

/** Shared by all dispatches of an engine. */
export interface DispatchServices {
  readonly timeLimits: TimeLimits
  readonly now: () => number
  readonly wall: () => number
  readonly newId: () => string
  readonly onError: OnError
  readonly timeoutMs: number
  readonly sink: Sink | undefined
  readonly notify: ((notice: Notice) => void) | undefined
  /** The breaker's maximum mode, read for each hook. */
  readonly maxMode: (() => Mode) | undefined
  /** Never throws. */
  readonly report: (fault: Fault) => void
  /** The action cannot be stopped any more. */
  readonly isObserving?: boolean
}

/** What is dispatched. */
export interface DispatchInput {
  readonly plan: Plan
  /** The mode of the profile. */
  readonly mode: Mode
  readonly data: object
  readonly context: StepContext
  /** What the caller can carry out; default everything. */
  readonly honours?: Honours | undefined
  /** The further steps that the action is, with their hooks. */
  readonly derived?: readonly DerivedView[] | undefined
  /** Collect the evaluations for the caller, in addition to the sink. */
  readonly isRecorded?: boolean
}

/** One dispatch: create it, call `start` once. */
export class Dispatch implements StepState, MatchFacts, Waiter {
  readonly context: StepContext
  /** The evaluations so far; undefined if they are not recorded. */
  readonly evaluations: Evaluation[] | undefined
  data: Readonly<Record<string, unknown>>
  metadata: Readonly<Record<string, unknown>>
  #plan: Plan
  readonly #mode: Mode
  readonly #services: DispatchServices
  readonly #step: Step
  /** Set where the caller cannot carry out everything, or the action is seen at several points. */
  readonly #views: ActionViews | undefined
  #id: string | undefined
  /** The hooks to run, and the index of the next. */
  #hooks: readonly RegisteredHook[]
  #next = 0
  #decision: Decision = 'pass'
  /** The decision if every hook were in enforce. */
  #inEnforce: Decision = 'pass'
  #decider: { readonly hook: string; readonly verdict: Verdict } | undefined
  #answer: Answer | undefined
  /** The strictest notice so far. */
  #notice: Notice | undefined
  /** When the running hook started: the clock is read once between two hooks. */
  #startedAt: number | undefined
  /** A hook edited data after a guard had checked it. */
  #needsRecheck = false
  #isRechecked = false
  /** The hook that runs or is waited for, its mode and its run; the run is undefined while none is. */
  #hook: RegisteredHook | undefined
  #hookMode: Mode
  #run: HookRun | undefined
  #resolve: ((outcome: Outcome) => void) | undefined
  stopTimer: (() => void) | undefined
  waiterIndex = -1

  constructor(input: DispatchInput, services: DispatchServices) {
    const { plan, mode, data, context, honours, derived, isRecorded = false } = input
    this.context = context
    this.data = data as Readonly<Record<string, unknown>>
    this.metadata = context.metadata === undefined ? NO_METADATA : readMetadata(context.metadata, plan.name)
    this.#plan = plan
    if (honours !== undefined || derived !== undefined) {
      this.#views = new ActionViews(plan, this.data, honours, derived)
    }
    // The first view is entered when the first hook is looked for.
    this.#hooks = this.#views === undefined ? plan.hooks : []
    this.#mode = mode
    this.#hookMode = mode
    this.#services = services
    this.evaluations = isRecorded || services.sink !== undefined ? [] : undefined
    this.#step = new StepView(this) as unknown as Step
  }

  get id(): string {
    this.#id ??= this.context.id ?? this.#services.newId()
    return this.#id
  }
  get point(): string {
    return this.#plan.name
  }

  /** Runs the hooks. Returns the outcome itself if no hook returned a promise. */
  start(): Outcome | Promise<Outcome> {
    if (this.evaluations !== undefined) this.#startedAt = this.#services.now()
    const answer = this.#advance()
    if (answer === undefined) return this.#finish()
    return new Promise((resolve) => {
      this.#resolve = resolve
      this.#services.timeLimits.add(this)
      void this.#waitFor(answer)
    })
  }

  // Runs hooks until all have run, a block ends the dispatch, or a hook has to be waited for: returns its promise.
  #advance(): PromiseLike<unknown> | undefined {
    for (let hook = this.#nextHook(); hook !== undefined; hook = this.#nextHook()) {
      const answer = this.#runHook(hook)
      if (answer !== undefined) return answer
    }
    return undefined
  }

  #nextHook(): RegisteredHook | undefined {
    while (this.#decision !== 'block') {
      if (this.#next < this.#hooks.length) return this.#hooks[this.#next++]
      const view = this.#isRechecked ? undefined : this.#views?.next(this.data, this.#decision)
      if (view === undefined) return this.#firstRecheck()
      this.#enter(view, view.plan.hooks)
    }
    return undefined
  }

  #enter({ plan, data }: { readonly plan: Plan; readonly data: StepState['data'] }, hooks: Plan['hooks']): void {
    this.#plan = plan
    this.data = data
    this.#hooks = hooks
    this.#next = 0
  }

  #leaveViews(hooks: Plan['hooks']): void {
    if (this.#views !== undefined) this.#enter(this.#views.leave(this.data), hooks)
  }

  // Guards run once more on data that was edited after them.
  #firstRecheck(): RegisteredHook | undefined {
    if (!this.#needsRecheck || this.#isRechecked) return undefined
    this.#isRechecked = true
    this.#leaveViews([])
    this.#hooks = this.#plan.guards
    this.#next = 1
    return this.#hooks[0]
  }

  // Waits for one hook after another. At a time limit `giveUp` continues, and this function ends with the late answer.
  async #waitFor(first: PromiseLike<unknown> | undefined): Promise<void> {
    const { timeLimits } = this.#services
    for (let promise = first; promise !== undefined; promise = this.#advance()) {
      const run = this.#run
      if (this.stopTimer !== undefined) timeLimits.restart(this)
      let answer: unknown
      try {
        answer = await promise
      } catch (error) {
        answer = crash(error)
      }
      if (run !== this.#run) return
      this.#conclude(this.#hook as RegisteredHook, this.#hookMode, answer)
    }
    timeLimits.remove(this)
    this.#resolve?.(this.#finish())
  }

  giveUp(why: string): void {
    HookRun.abort(this.#run as HookRun, why)
    this.#run = undefined
    this.#conclude(this.#hook as RegisteredHook, this.#hookMode, new Failure('timeout', why))
    void this.#waitFor(this.#advance())
  }

  // Not from the run: its handler could have changed it.
  get limitMs(): number {
    const { timeoutMs, overtimeMs } = this.#hook as RegisteredHook
    return (timeoutMs ?? this.#services.timeoutMs) + overtimeMs
  }

  // Match, mode, run. Returns the promise of a hook that has to be waited for.
  #runHook(hook: RegisteredHook): PromiseLike<unknown> | undefined {
    if (!this.#isMatch(hook)) return undefined
    const mode = this.#findMode(hook)
    const skip = findSkip(hook, mode, this.#services.wall)
    if (skip !== undefined) {
      this.evaluations?.push(buildSkip(hook, mode, skip))
      return undefined
    }
    const run = new HookRun(hook.name, hook.timeoutMs ?? this.#services.timeoutMs, mode)
    let answer: unknown
    try {
      const { handler } = hook
      answer = handler(this.#step, run)
      if (isThenable(answer)) {
        this.#hook = hook
        this.#hookMode = mode
        this.#run = run
        return answer
      }
    } catch (error) {
      answer = crash(error)
    }
    this.#conclude(hook, mode, answer)
    return undefined
  }

  // If hostile data makes the matcher throw, the hook runs: a step must not slip past its guard.
  #isMatch({ matches }: RegisteredHook): boolean {
    try {
      return matches === undefined || matches(this)
    } catch {
      return true
    }
  }

  #findMode({ mode, critical }: RegisteredHook): Mode {
    if (mode === undefined && this.#services.maxMode === undefined) return this.#mode
    return effectiveMode({ profile: this.#mode, hook: mode, maxMode: this.#readMaxMode(), critical })
  }

  // A breaker that throws lowers nothing.
  #readMaxMode(): Mode | undefined {
    const { maxMode, report } = this.#services
    try {
      return maxMode === undefined ? undefined : readMode(maxMode(), 'maxMode')
    } catch (error) {
      report({ kind: 'max-mode', point: this.point, message: describe(error) })
      return undefined
    }
  }

  // Reads the answer, degrades a failure, applies the verdict by mode, records the evaluation.
  #conclude(hook: RegisteredHook, mode: Mode, answer: unknown): void {
    const durationMs = this.evaluations === undefined ? 0 : this.#readDuration()
    if (answer === undefined || answer === 'pass') {
      this.evaluations?.push(buildPass(hook, mode, durationMs))
      return
    }
    try {
      this.#takeAnswer(hook, mode, durationMs, answer)
    } catch (error) {
      // Hostile answers and hostile data never end a dispatch.
      const failure = new Failure('invalid-output', `the answer could not be processed: ${describe(error)}`)
      this.#takeAnswer(hook, mode, durationMs, failure)
    }
  }

  #readDuration(): number {
    const now = this.#services.now()
    const durationMs = now - (this.#startedAt ?? now)
    this.#startedAt = now
    return durationMs
  }

  #takeAnswer(hook: RegisteredHook, mode: Mode, durationMs: number, answer: unknown): void {
    const profile = this.#mode
    const read = readVerdict(answer, this.#plan.spec)
    const isFailure = read instanceof Failure
    const verdict = isFailure ? this.#degrade(hook, read) : read
    const cause: Cause = isFailure ? `failure:${read.kind}` : 'policy'
    const isAlwaysBlocked = !isFailure && isAlwaysBlock(hook, verdict, this.point, this.#services)
    const { edit } = verdict
    const can = this.#views?.findApplicable(edit, () => mergePlain(this.data, edit ?? {}))
    const applied = applyByMode(verdict, this.#plan.spec, mode, isAlwaysBlocked, can)
    this.#apply(hook, mode, applied)
    this.evaluations?.push(buildEvaluation({ hook, profile, mode, applied, cause, durationMs }))
  }

  #degrade(hook: RegisteredHook, { kind, message }: Failure): Verdict {
    const onError = hook.onError ?? this.#services.onError
    const decision = degrade(kind, onError)
    this.#services.report({
      kind: 'hook',
      point: this.point,
      hook: hook.name,
      onError,
      message: `${kind}: ${message}`,
    })
    return { decision, reason: `hook ${hook.name} failed (${kind}): ${message}` }
  }

  #apply(hook: RegisteredHook, mode: Mode, applied: AppliedVerdict): void {
    const { verdict } = applied
    if (applied.edit !== undefined) this.#edit(hook, applied.edit)
    if (applied.answer !== undefined) this.#answer = applied.answer
    this.metadata = addMetadata(this.metadata, hook.name, mode, applied)
    this.#inEnforce = strongest(this.#inEnforce, applied.countsInEnforce)
    if (DECISION_RANK[applied.counts] > DECISION_RANK[this.#decision]) {
      this.#decision = applied.counts
      this.#decider = { hook: hook.name, verdict }
    }
    // A block that alwaysBlocks applies below advise is announced too.
    const isAnnounced = verdict.decision !== 'pass' && (applied.applied || isAtLeast(mode, 'advise'))
    if (!isAnnounced) return
    const { decision, reason, suggestion } = verdict
    const notice = { hook: hook.name, point: this.point, mode, decision, applied: applied.applied, reason, suggestion }
    this.#notice = stricterNotice(this.#notice, notice)
  }

  #edit(hook: RegisteredHook, edit: Readonly<Record<string, unknown>>): void {
    this.data = mergePlain(this.data, edit)
    // An edit at another point changes an action that its own guards have checked.
    if (this.#views?.isAction === false) {
      this.#views.edit(this.data)
      this.#needsRecheck = true
    }
    const firstGuard = this.#plan.guards[0]
    if (firstGuard !== undefined && compareHooks(firstGuard, hook) < 0) this.#needsRecheck = true
  }

  // The sink gets every evaluation before the outcome is returned.
  #finish(): Outcome {
    this.#leaveViews([])
    reportEnd(this.#services, {
      point: this.point,
      step: this.#step,
      notice: this.#notice,
      evaluations: this.evaluations,
    })
    const { data, metadata } = this
    const { hook, verdict } = this.#decider ?? {}
    const inEnforce = this.#inEnforce
    const { spec } = this.#plan
    return buildOutcome({ spec, decision: this.#decision, inEnforce, hook, verdict, data, metadata }, this.#answer)
  }
}
