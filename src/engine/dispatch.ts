// One step's way through the hooks of its point: plan → run → settle → outcome.
// Synchronous hooks stay synchronous: only what returns a promise is waited for.

import { type AppliedVerdict, applyByMode } from './apply-by-mode.ts'
import { type Cause, degrade, Failure, type OnError } from './degradation.ts'
import { describe } from './errors.ts'
import { buildEvaluation, buildSkip, findSkip } from './evaluation.ts'
import { crash, type Hook, isThenable, onRejection } from './hook.ts'
import type { MatchFacts, StepTest } from './matcher.ts'
import { effectiveMode, isAtLeast, type Mode, readMode } from './mode.ts'
import type { Fault, Notice, Outcome } from './outcome.ts'
import { frozenCopy, mergePlain } from './plain-data.ts'
import { Recorder, type Sink } from './recorder.ts'
import { type Deadlines, HookRun, Wait, type Waiter } from './run.ts'
import { NO_METADATA, readMetadata, type Step, type StepContext, type StepState, StepView } from './step.ts'
import { compareHooks, type HookLink, type Plan } from './table.ts'
import { type Answer, DECISION_RANK, type Decision, PASS, readVerdict, type Verdict } from './verdict.ts'

/** What all dispatches of an engine share. */
export interface DispatchServices {
  readonly deadlines: Deadlines
  readonly now: () => number
  readonly wall: () => number
  readonly newId: () => string
  readonly onError: OnError
  readonly timeoutMs: number
  readonly sink: Sink | undefined
  readonly notify: ((notice: Notice) => void) | undefined
  /** The breaker's maximum mode, asked for each hook. */
  readonly maxMode: (() => Mode) | undefined
  /** Never throws. */
  readonly report: (fault: Fault) => void
  /** Steps are only looked at: there is nothing left to stop. */
  readonly isObserving?: boolean
}

// The one that every promise is born with: a hook may have put another on its own.
const { then } = Promise.prototype

const PENDING = Symbol('the handler has not answered yet')

/** The verdict that decided, and whose it is. */
interface Decider {
  readonly hook: string
  readonly verdict: Verdict
}

/** One dispatch: make one, call `start` once. */
export class Dispatch implements StepState, MatchFacts, Waiter {
  readonly context: StepContext
  data: Readonly<Record<string, unknown>>
  metadata: Readonly<Record<string, unknown>>
  readonly #plan: Plan
  readonly #mode: Mode
  readonly #services: DispatchServices
  readonly step: Step
  #id: string | undefined
  /** The hook to run next. */
  #next: HookLink | undefined
  #decision: Decision = 'pass'
  #decider: Decider | undefined
  #answer: Answer | undefined
  /** Did a hook edit data that a guard had checked, and was it checked again? */
  #isUnchecked = false
  #isRechecked = false
  readonly #recorder: Recorder | undefined
  #wait: Wait | undefined
  #giveBack: ((outcome: Outcome) => void) | undefined

  constructor(plan: Plan, mode: Mode, data: object, context: StepContext, services: DispatchServices) {
    this.context = context
    this.data = data as Readonly<Record<string, unknown>>
    this.metadata = context.metadata === undefined ? NO_METADATA : readMetadata(context.metadata, plan.name)
    this.#plan = plan
    this.#next = plan.first
    this.#mode = mode
    this.#services = services
    this.step = this.#newView()
    const { sink, now } = services
    // Nothing can be put on the step that other hooks would see. Only where there are others: it costs as much as a
    // quick hook.
    if (plan.hooks.length > 1) Object.preventExtensions(this.step)
    this.#recorder = sink === undefined ? undefined : new Recorder(sink, now, this, plan.hooks.length)
  }

  get point(): string {
    return this.#plan.name
  }
  get agent(): string | undefined {
    return this.context.agent
  }
  get source(): string | undefined {
    return this.context.source
  }
  get host(): string | undefined {
    return this.context.host
  }
  get workspace(): string | undefined {
    return this.context.workspace
  }

  get id(): string {
    this.#id ??= this.context.id ?? this.#services.newId()
    return this.#id
  }

  cleanView(): Step {
    return this.#plan.hooks.length > 1 ? this.step : this.#newView()
  }

  #newView(): Step {
    return new StepView(this) as unknown as Step
  }

  /** Runs the hooks. Gives the outcome itself when every hook answered at once, else a promise of it. */
  start(): Outcome | Promise<Outcome> {
    if (this.#advance()) return this.#outcome()
    return new Promise((resolve) => {
      this.#giveBack = resolve
    })
  }

  /** Goes on with an answer. One that comes after its time limit finds that nobody waits for it any more. */
  resume(wait: Wait, answer: unknown): void {
    if (wait !== this.#wait || !(this.#conclude(wait.hook, wait.mode, answer) || this.#advance())) return
    this.#services.deadlines.release(wait)
    this.#giveBack?.(this.#outcome())
  }

  /** Goes on without the answer that was waited for. */
  giveUp(wait: Wait, failure: Failure): void {
    this.#services.deadlines.release(wait)
    this.#wait = undefined
    if (this.#conclude(wait.hook, wait.mode, failure) || this.#advance()) this.#giveBack?.(this.#outcome())
  }

  // Runs hooks until all have run, one has ended it, or one has to be waited for. True when there is an outcome.
  #advance(): boolean {
    while (this.#next !== undefined) {
      const { hook, next } = this.#next
      this.#next = next
      if (hook.matches !== undefined && !this.#isMatch(hook.matches)) continue
      const mode = this.#modeOf(hook)
      if ((mode === 'off' || hook.disabled !== undefined) && this.#isSkipped(hook, mode)) continue
      this.#recorder?.begin(hook, mode)
      const answer = this.#call(hook, mode)
      if (answer === PENDING) return false
      if (this.#conclude(hook, mode, answer)) return true
    }
    return !this.#isUnchecked || this.#recheck()
  }

  // Runs the guards once more, on the data as the hooks after them left it.
  #recheck(): boolean {
    if (!this.#isRechecked) this.#next = this.#plan.guards
    this.#isRechecked = true
    return this.#next === undefined || this.#advance()
  }

  // Calls the handler. Whatever it does, what comes out is its answer, a Failure, or PENDING when it has to be waited for.
  #call(hook: Hook, mode: Mode): unknown {
    const { handler } = hook
    const limitMs = hook.timeoutMs ?? this.#services.timeoutMs
    const run = new HookRun(hook.name, limitMs, mode)
    try {
      const answer: unknown = handler(this.step, run)
      if (!isThenable(answer)) return answer
      this.#waitFor(answer, hook, mode, run, limitMs + hook.overtimeMs)
      return PENDING
    } catch (error) {
      return crash(error)
    }
  }

  // Nothing is kept until the promise has taken its listeners: one with a hostile constructor may throw instead.
  #waitFor(answer: PromiseLike<unknown>, hook: Hook, mode: Mode, run: HookRun, limitMs: number): void {
    const { deadlines } = this.#services
    const present = this.#wait
    const wait = present ?? new Wait(this)
    void then.call(Promise.resolve(answer), wait.onAnswer, wait.onRejection)
    wait.renew(hook, mode, run, limitMs)
    this.#wait = wait
    if (present === undefined) deadlines.watch(wait)
    else deadlines.lookSoon()
  }

  // A matcher that trips over hostile data must not let the step slip by: the hook runs and sees for itself.
  #isMatch(matches: StepTest): boolean {
    try {
      return matches(this)
    } catch {
      return true
    }
  }

  #modeOf(hook: Hook): Mode {
    return hook.mode === undefined && this.#services.maxMode === undefined ? this.#mode : this.#lowestMode(hook)
  }

  #lowestMode({ mode, critical }: Hook): Mode {
    return effectiveMode({ profile: this.#mode, hook: mode, maxMode: this.#maxMode(), critical })
  }

  // A breaker that is itself broken lowers nothing.
  #maxMode(): Mode | undefined {
    const { maxMode } = this.#services
    try {
      return maxMode === undefined ? undefined : readMode(maxMode(), 'maxMode')
    } catch (error) {
      this.report({ kind: 'max-mode', point: this.point, message: describe(error) })
      return undefined
    }
  }

  #isSkipped(hook: Hook, mode: Mode): boolean {
    const skip = findSkip(hook, mode, this.#services.wall)
    if (skip !== undefined) this.#recorder?.addSkipped(buildSkip(hook, mode, skip))
    return skip !== undefined
  }

  // Takes one hook's answer in. True when it ends the dispatch.
  #conclude(hook: Hook, mode: Mode, answer: unknown): boolean {
    if (answer !== undefined && answer !== 'pass') return this.#takeSafely(hook, mode, answer)
    this.#recorder?.addPass(hook, mode)
    return false
  }

  #takeSafely(hook: Hook, mode: Mode, answer: unknown): boolean {
    try {
      return this.#take(hook, mode, answer)
    } catch (error) {
      // Neither a hostile answer nor hostile data may end a dispatch, least of all one that somebody waits for.
      const failure = new Failure('invalid-output', `the answer could not be taken in: ${describe(error)}`)
      return this.#take(hook, mode, failure)
    }
  }

  #take(hook: Hook, mode: Mode, answer: unknown): boolean {
    const read = readVerdict(answer, this.#plan.spec)
    const verdict = read instanceof Failure ? this.#degrade(hook, read) : read
    const cause: Cause = read instanceof Failure ? `failure:${read.kind}` : 'policy'
    const isAlwaysBlocked =
      hook.alwaysBlocks !== undefined && verdict === read && this.#isAlwaysBlocked(hook.alwaysBlocks, verdict)
    const ruling = applyByMode(verdict, this.#plan.spec, mode, isAlwaysBlocked)
    if (verdict !== PASS) this.#apply(hook, mode, verdict, ruling)
    this.#recorder?.add(hook, buildEvaluation({ hook, profile: this.#mode, mode, verdict, ruling, cause }))
    return ruling.applied && ruling.counts === 'block'
  }

  // If alwaysBlocks itself throws, the block holds.
  #isAlwaysBlocked(alwaysBlocks: (verdict: Verdict) => boolean, verdict: Verdict): boolean {
    if (verdict.decision !== 'block' || this.#services.isObserving === true) return false
    try {
      return alwaysBlocks(verdict)
    } catch (error) {
      this.report({ kind: 'hook', point: this.point, message: `alwaysBlocks: ${describe(error)}` })
      return true
    }
  }

  #degrade(hook: Hook, failure: Failure): Verdict {
    const { kind, message } = failure
    const onError = hook.onError ?? this.#services.onError
    const decision = degrade(failure, onError)
    if (!Object.hasOwn(DECISION_RANK, decision)) throw new TypeError(`there is no failure ${kind} with ${onError}`)
    this.report({ kind: 'hook', point: this.point, hook: hook.name, onError, message: `${kind}: ${message}` })
    return { decision, reason: `hook ${hook.name} failed (${kind}): ${message}` }
  }

  #apply(from: Hook, mode: Mode, verdict: Verdict, ruling: AppliedVerdict): void {
    const hook = from.name
    if (ruling.edit !== undefined) this.#edit(from, ruling.edit)
    if (ruling.answer !== undefined) this.#answer = ruling.answer
    this.#addMetadata(hook, mode, verdict, ruling)
    if (DECISION_RANK[ruling.counts] > DECISION_RANK[this.#decision]) {
      this.#decision = ruling.counts
      this.#decider = { hook, verdict }
    }
    // A block applied below enforce by alwaysBlocks is announced too.
    const isTold = verdict.decision !== 'pass' && (ruling.applied || isAtLeast(mode, 'advise'))
    if (isTold) this.#notify(hook, mode, verdict, ruling.applied)
  }

  #edit(hook: Hook, edit: Readonly<Record<string, unknown>>): void {
    this.data = mergePlain(this.data, edit)
    const guard = this.#plan.guards?.hook
    if (guard !== undefined && compareHooks(guard, hook) < 0) this.#isUnchecked = true
  }

  #addMetadata(hook: string, mode: Mode, verdict: Verdict, ruling: AppliedVerdict): void {
    if (verdict.metadata !== undefined) this.#merge(verdict.metadata)
    if (ruling.context !== undefined) this.#append('additionalContext', ruling.context)
    if (verdict.stopReason !== undefined && ruling.applied) this.#merge({ stopReason: verdict.stopReason })
    const isUnusedEdit = verdict.edit !== undefined && ruling.edit === undefined
    const isAdvice = verdict.decision !== 'pass' || verdict.suggestion !== undefined || isUnusedEdit
    if (isAdvice && isAtLeast(mode, 'advise')) {
      const { decision, reason, suggestion } = verdict
      const modify = isUnusedEdit ? frozenCopy(verdict.edit) : undefined
      this.#append('suggestions', [Object.freeze({ hook, decision, reason, suggestion, modify })])
    }
  }

  #append(key: string, items: readonly unknown[]): void {
    const present = this.metadata[key]
    this.#merge({ [key]: Object.freeze([...(Array.isArray(present) ? present : []), ...items]) })
  }

  #merge(extra: Readonly<Record<string, unknown>>): void {
    this.metadata = Object.freeze(mergePlain(this.metadata, extra))
  }

  #notify(hook: string, mode: Mode, verdict: Verdict, applied: boolean): void {
    const { notify } = this.#services
    if (notify === undefined) return
    const { point } = this
    const { decision, reason, suggestion } = verdict
    const failed = (error: unknown) => this.report({ kind: 'notify', point, hook, message: describe(error) })
    try {
      onRejection(notify({ hook, point, mode, decision, applied, reason, suggestion }), failed)
    } catch (error) {
      failed(error)
    }
  }

  #outcome(): Outcome {
    this.#recorder?.read()
    const decision = this.#decision
    const blocked = DECISION_RANK[decision] >= DECISION_RANK.ask
    const decider = this.#decider
    return {
      decision,
      blocked,
      control: this.#control(blocked),
      reason: decider?.verdict.reason,
      hook: decider?.hook,
      suggestion: decider?.verdict.suggestion,
      data: this.data,
      metadata: this.metadata,
      answer: blocked ? undefined : this.#answer,
    }
  }

  #control(blocked: boolean): Outcome['control'] {
    if (!blocked) return 'proceed'
    return this.#decider?.verdict.endsTurn === true ? 'break' : (this.#plan.spec.blockMeans ?? 'stop')
  }

  report(fault: Fault): void {
    this.#services.report(fault)
  }
}
