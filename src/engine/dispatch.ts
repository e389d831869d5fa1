// The way of one step through the hooks of its point, in the order of this file:
// plan → match → mode → run → read verdict → degrade → apply by mode → record → outcome.
// Synchronous hooks stay synchronous: only a hook that returns a promise is waited for.

import { type AppliedVerdict, addMetadata, applyByMode } from './apply-by-mode.ts'
import { DECISION_RANK, type Decision, strongest } from './decision.ts'
import { type Cause, degrade, Failure, type OnError } from './degradation.ts'
import { describe } from './errors.ts'
import { buildEvaluation, buildPass, buildSkip, findSkip } from './evaluation.ts'
import { crash, isThenable, onRejection, type RegisteredHook } from './hook.ts'
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
  readonly #plan: Plan
  readonly #mode: Mode
  readonly #services: DispatchServices
  readonly #step: Step
  #id: string | undefined
  /** The hooks to run, and the index of the next. */
  #hooks: readonly RegisteredHook[]
  #next = 0
  #decision: Decision = 'pass'
  /** The decision if every hook were in enforce. */
  #inEnforce: Decision = 'pass'
  #decider: { readonly hook: string; readonly verdict: Verdict } | undefined
  #answer: Answer | undefined
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

  constructor({ plan, mode, data, context, isRecorded = false }: DispatchInput, services: DispatchServices) {
    this.context = context
    this.data = data as Readonly<Record<string, unknown>>
    this.metadata = context.metadata === undefined ? NO_METADATA : readMetadata(context.metadata, plan.name)
    this.#plan = plan
    this.#hooks = plan.hooks
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
    if (this.#decision === 'block') return undefined
    return this.#next < this.#hooks.length ? this.#hooks[this.#next++] : this.#firstRecheck()
  }

  // Guards run once more on data that was edited after them.
  #firstRecheck(): RegisteredHook | undefined {
    if (!this.#needsRecheck || this.#isRechecked) return undefined
    this.#isRechecked = true
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
    const isAlwaysBlocked = !isFailure && this.#isAlwaysBlocked(hook, verdict)
    const applied = applyByMode(verdict, this.#plan.spec, mode, isAlwaysBlocked)
    this.#apply(hook, mode, verdict, applied)
    this.evaluations?.push(buildEvaluation({ hook, profile, mode, verdict, applied, cause, durationMs }))
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

  // If alwaysBlocks itself throws, the block holds.
  #isAlwaysBlocked({ alwaysBlocks }: RegisteredHook, verdict: Verdict): boolean {
    const { isObserving = false, report } = this.#services
    if (alwaysBlocks === undefined || verdict.decision !== 'block' || isObserving) return false
    try {
      return alwaysBlocks(verdict)
    } catch (error) {
      report({ kind: 'hook', point: this.point, message: `alwaysBlocks: ${describe(error)}` })
      return true
    }
  }

  #apply(hook: RegisteredHook, mode: Mode, verdict: Verdict, applied: AppliedVerdict): void {
    if (applied.edit !== undefined) this.#edit(hook, applied.edit)
    if (applied.answer !== undefined) this.#answer = applied.answer
    this.metadata = addMetadata(this.metadata, hook.name, mode, verdict, applied)
    this.#inEnforce = strongest(this.#inEnforce, applied.countsInEnforce)
    if (DECISION_RANK[applied.counts] > DECISION_RANK[this.#decision]) {
      this.#decision = applied.counts
      this.#decider = { hook: hook.name, verdict }
    }
    // A block that alwaysBlocks applies below advise is announced too.
    const isAnnounced = verdict.decision !== 'pass' && (applied.applied || isAtLeast(mode, 'advise'))
    if (isAnnounced) this.#notify(hook.name, mode, verdict, applied.applied)
  }

  #edit(hook: RegisteredHook, edit: Readonly<Record<string, unknown>>): void {
    this.data = mergePlain(this.data, edit)
    const firstGuard = this.#plan.guards[0]
    if (firstGuard !== undefined && compareHooks(firstGuard, hook) < 0) this.#needsRecheck = true
  }

  #notify(hook: string, mode: Mode, { decision, reason, suggestion }: Verdict, applied: boolean): void {
    const { point } = this
    const { notify } = this.#services
    this.#tell('notify', hook, () => notify?.({ hook, point, mode, decision, applied, reason, suggestion }))
  }

  // The sink gets every evaluation before the outcome is returned.
  #finish(): Outcome {
    const { sink } = this.#services
    if (sink !== undefined) {
      for (const evaluation of this.evaluations ?? []) {
        this.#tell('sink', evaluation.hook, () => sink(evaluation, this.#step))
      }
    }
    return this.#buildOutcome()
  }

  // A failure of the sink or of notify is reported and changes no outcome.
  #tell(kind: 'sink' | 'notify', hook: string, call: () => unknown): void {
    const { report } = this.#services
    const failed = (error: unknown): void => report({ kind, point: this.point, hook, message: describe(error) })
    try {
      onRejection(call(), failed)
    } catch (error) {
      failed(error)
    }
  }

  #buildOutcome(): Outcome {
    const { data, metadata } = this
    const { hook, verdict } = this.#decider ?? {}
    const decision = this.#decision
    const blocked = DECISION_RANK[decision] >= DECISION_RANK.ask
    const blockMeans = verdict?.endsTurn === true ? 'break' : (this.#plan.spec.blockMeans ?? 'stop')
    return {
      decision,
      wouldBe: this.#inEnforce === decision ? undefined : this.#inEnforce,
      blocked,
      control: blocked ? blockMeans : 'proceed',
      reason: verdict?.reason,
      hook,
      suggestion: verdict?.suggestion,
      data,
      metadata,
      answer: blocked ? undefined : this.#answer,
    }
  }
}
