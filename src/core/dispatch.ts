// One step's way through the hooks of its point: plan → run → settle → outcome.
// Synchronous hooks stay synchronous: only what returns a promise is waited for.

import { type Cause, degrade, Failure, type OnError } from './degradation.ts'
import { ArcError, describe, show } from './errors.ts'
import { type Hook, onRejection } from './hook.ts'
import type { MatchFacts, StepTest } from './matcher.ts'
import { effectiveMode, isAtLeast, type Mode, readMode } from './mode.ts'
import type { Evaluation, Fault, Notice, Outcome, Skip } from './outcome.ts'
import { frozenCopy, frozenFields, isRecord, mergePlain } from './plain-data.ts'
import { Recorder, type Sink } from './recorder.ts'
import { type Deadlines, PENDING, type RunOwner, runHook, Wait } from './run.ts'
import { type Ruling, settle } from './settle.ts'
import { type Step, type StepContext, type StepState, StepView } from './step.ts'
import type { Plan } from './table.ts'
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
  /** The breaker's ceiling, asked for each hook. */
  readonly ceiling: (() => Mode) | undefined
  /** Never throws. */
  readonly report: (fault: Fault) => void
}

const NO_METADATA: Readonly<Record<string, unknown>> = Object.freeze({})

/** The outcome of a step that no hook has anything to say about. */
export function passOutcome(data: object, context: StepContext | undefined): Outcome {
  return { decision: 'pass', blocked: false, control: 'proceed', data, metadata: context?.metadata ?? NO_METADATA }
}

/** The verdict that decided, and whose it is. */
interface Decider {
  readonly hook: string
  readonly verdict: Verdict
}

/** One dispatch: make one, call `start` once. */
export class Dispatch implements StepState, MatchFacts, RunOwner {
  readonly context: StepContext
  data: Readonly<Record<string, unknown>>
  metadata: Readonly<Record<string, unknown>>
  readonly #plan: Plan
  readonly #mode: Mode
  readonly #services: DispatchServices
  readonly step: Step
  #next = 0
  #decision: Decision = 'pass'
  #decider: Decider | undefined
  #answer: Answer | undefined
  readonly #recorder: Recorder | undefined
  #wait: Wait | undefined
  #giveBack: ((outcome: Outcome) => void) | undefined

  constructor(plan: Plan, mode: Mode, data: object, context: StepContext, services: DispatchServices) {
    this.context = context
    this.data = data as Readonly<Record<string, unknown>>
    this.metadata = readMetadata(context.metadata, plan.name)
    this.#plan = plan
    this.#mode = mode
    this.#services = services
    this.step = new StepView(this) as unknown as Step
    const { sink, now } = services
    // Nothing can be put on the step that others would see. Only where there are others: it costs as much as a quick hook.
    if (plan.hooks.length > 1 || sink !== undefined) Object.preventExtensions(this.step)
    this.#recorder = sink === undefined ? undefined : new Recorder(sink, now, this)
  }

  get point(): string {
    return this.#plan.name
  }
  get hooks(): readonly Hook[] {
    return this.#plan.hooks
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

  newId(): string {
    return this.#services.newId()
  }

  /** Runs the hooks. Gives the outcome itself when every hook answered at once, else a promise of it. */
  start(): Outcome | Promise<Outcome> {
    if (this.#advance()) return this.#outcome()
    return new Promise((resolve) => {
      this.#giveBack = resolve
    })
  }

  wait(): Wait {
    if (this.#wait === undefined || this.#wait.isRetired) this.#wait = new Wait(this, this.#services.deadlines)
    return this.#wait
  }

  /** Goes on after a hook that was waited for. */
  resume(hook: Hook, mode: Mode, answer: unknown): void {
    if (this.#conclude(hook, mode, answer) || this.#advance()) this.#giveBack?.(this.#outcome())
  }

  // Runs hooks until all have run, one has ended it, or one has to be waited for. True when there is an outcome.
  #advance(): boolean {
    const { hooks } = this.#plan
    while (this.#next < hooks.length) {
      const hook = hooks[this.#next++] as Hook
      if (hook.matches !== undefined && !this.#isMatch(hook.matches)) continue
      const mode = this.#modeOf(hook)
      if (mode === 'off' || hook.disabled !== undefined) {
        const skip = this.#skipOf(hook, mode)
        if (skip !== undefined) {
          this.#recordSkip(hook, mode, skip)
          continue
        }
      }
      this.#recorder?.begin(hook)
      const answer = runHook(hook, mode, this.step, this, hook.timeoutMs ?? this.#services.timeoutMs)
      if (answer === PENDING) return false
      if (this.#conclude(hook, mode, answer)) return true
    }
    return true
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
    const { ceiling } = this.#services
    if (hook.mode === undefined && ceiling === undefined) return this.#mode
    return effectiveMode({ profile: this.#mode, hook: hook.mode, ceiling: this.#ceiling(), critical: hook.critical })
  }

  // A breaker that is itself broken lowers nothing.
  #ceiling(): Mode | undefined {
    const { ceiling } = this.#services
    try {
      return ceiling === undefined ? undefined : readMode(ceiling(), 'The ceiling')
    } catch (error) {
      this.report({ kind: 'ceiling', point: this.point, message: describe(error) })
      return undefined
    }
  }

  #skipOf(hook: Hook, mode: Mode): Skip | undefined {
    const { disabled } = hook
    if (disabled !== undefined && disabled.until === undefined) return 'disabled'
    if (disabled?.until !== undefined && this.#services.wall() < disabled.until) return 'snoozed'
    return mode === 'off' ? 'off' : undefined
  }

  // Takes one hook's answer in. True when it ends the dispatch.
  #conclude(hook: Hook, mode: Mode, answer: unknown): boolean {
    const recorder = this.#recorder
    if (answer === undefined || answer === 'pass') {
      if (recorder !== undefined) this.#recordPass(recorder, hook, mode)
      return false
    }
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
    const ruling = settle(verdict, this.#plan.spec, mode)
    if (verdict !== PASS) this.#apply(hook.name, mode, verdict, ruling)
    if (this.#recorder !== undefined) this.#recorder.add(hook, this.#evaluationOf(hook, mode, verdict, ruling, cause))
    return ruling.applied && ruling.counts === 'block'
  }

  #degrade(hook: Hook, failure: Failure): Verdict {
    const { kind, message } = failure
    const onError = hook.onError ?? this.#services.onError
    const decision = degrade(failure, onError)
    // A failure made by hand may be of a kind that does not exist.
    if (!Object.hasOwn(DECISION_RANK, decision)) throw new TypeError(`there is no failure ${kind} with ${onError}`)
    this.report({ kind: 'hook', point: this.point, hook: hook.name, onError, message: `${kind}: ${message}` })
    return { decision, reason: `hook ${hook.name} failed (${kind}): ${message}` }
  }

  #apply(hook: string, mode: Mode, verdict: Verdict, ruling: Ruling): void {
    if (ruling.edit !== undefined) this.data = mergePlain(this.data, ruling.edit)
    if (ruling.answer !== undefined) this.#answer = ruling.answer
    this.#addMetadata(hook, mode, verdict, ruling)
    if (DECISION_RANK[ruling.counts] > DECISION_RANK[this.#decision]) {
      this.#decision = ruling.counts
      this.#decider = { hook, verdict }
    }
    if (verdict.decision !== 'pass' && isAtLeast(mode, 'advise')) this.#notify(hook, mode, verdict, ruling.applied)
  }

  #addMetadata(hook: string, mode: Mode, verdict: Verdict, ruling: Ruling): void {
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

  #evaluationOf(hook: Hook, mode: Mode, verdict: Verdict, ruling: Ruling, cause: Cause): Evaluation {
    const { decision, reason, suggestion, metadata } = verdict
    const { applied, dropped } = ruling
    // A copy: the edit itself becomes part of the data, which the caller may change.
    const modify = verdict.edit === undefined ? undefined : frozenCopy(verdict.edit)
    const loweredBy = this.#services.ceiling === undefined ? undefined : this.#loweredBy(hook, mode)
    const base = { hook: hook.name, point: this.#plan.name, priority: hook.priority, mode, decision, applied, cause }
    return { ...base, durationMs: 0, reason, suggestion, modify, metadata, dropped, loweredBy }
  }

  // Nothing to say is by far the commonest evaluation: no more is built than it needs.
  #recordPass(recorder: Recorder, hook: Hook, mode: Mode): void {
    recorder.add(hook, {
      hook: hook.name,
      point: this.#plan.name,
      priority: hook.priority,
      mode,
      decision: 'pass',
      applied: false,
      cause: 'policy',
      durationMs: 0,
    })
  }

  #loweredBy(hook: Hook, mode: Mode): 'breaker' | undefined {
    return mode === effectiveMode({ profile: this.#mode, hook: hook.mode }) ? undefined : 'breaker'
  }

  #recordSkip({ name, priority, disabled }: Hook, mode: Mode, skipped: Skip): void {
    const base = { hook: name, point: this.point, priority, mode, reason: disabled?.reason, skipped }
    this.#recorder?.addSkipped({ ...base, decision: 'pass', applied: false, cause: 'policy', durationMs: 0 })
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

function readMetadata(given: StepContext['metadata'] | null, point: string): Readonly<Record<string, unknown>> {
  if (given === undefined || given === null) return NO_METADATA
  if (isRecord(given)) return frozenFields(given)
  throw new ArcError('ARC_DATA_INVALID', `The metadata of a step at ${point} must be an object, not ${show(given)}.`)
}
