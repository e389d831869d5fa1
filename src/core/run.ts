// One hook's run on one step: calling the handler, waiting for it, and giving up at its time limit.
// Whatever the handler does, what comes out is its answer or a Failure.

import type { Clock } from './clock.ts'
import { Failure } from './degradation.ts'
import { type Hook, isThenable, type RunContext } from './hook.ts'
import type { Mode } from './mode.ts'
import type { Evaluation } from './outcome.ts'
import type { Step } from './step.ts'
import { describe } from './verdict.ts'

/** Whoever started a run and goes on when it has its answer. */
export interface RunOwner {
  /** A wait that is not in use. */
  wait(): Wait
  resume(run: HookRun, answer: unknown): void
}

/** Marks a run whose handler has not answered yet. */
export const PENDING = Symbol('pending')

/** One run of one hook; what the handler is given beside the step. */
export class HookRun implements RunContext {
  readonly registered: Hook
  readonly mode: Mode
  /** The record of this run, while it waits for its time: kept by the recorder. */
  evaluation: Evaluation | undefined = undefined
  #controller: AbortController | undefined

  constructor(registered: Hook, mode: Mode) {
    this.registered = registered
    this.mode = mode
  }

  get hook(): string {
    return this.registered.name
  }

  // Most handlers never look at their signal, and making one costs more than running them.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Calls the handler. Gives its answer, a Failure, or PENDING when the owner is resumed later. */
  start(step: Step, owner: RunOwner, limitMs: number): unknown {
    try {
      const answer: unknown = this.registered.handler(step, this)
      if (!isThenable(answer)) return answer
      owner.wait().begin(this, answer, limitMs)
      return PENDING
    } catch (error) {
      return crash(error)
    }
  }

  /** Tells the handler to stop. */
  abort(why: string): void {
    this.#controller?.abort(new Error(why))
  }
}

/**
 * Waits for one answer at a time, on behalf of one owner. After a time-out it is retired, because the late answer may
 * still arrive; otherwise the owner uses it again for its next hook.
 */
export class Wait {
  readonly #owner: RunOwner
  readonly #deadlines: Deadlines
  #run: HookRun | undefined
  isRetired = false
  limitMs = 0
  /** The neighbours in the list of waits, and the time to give up: kept by Deadlines. */
  previous: Wait | undefined = undefined
  next: Wait | undefined = undefined
  deadline: number | undefined = undefined

  constructor(owner: RunOwner, deadlines: Deadlines) {
    this.#owner = owner
    this.#deadlines = deadlines
  }

  /** Starts to wait. */
  begin(run: HookRun, answer: PromiseLike<unknown>, limitMs: number): void {
    // The native then is immune to what a subclass or an own `then` does; other thenables are adopted first.
    const promise = answer instanceof Promise ? answer : Promise.resolve(answer)
    void then.call(promise, this.#onValue, this.#onError)
    this.#run = run
    this.limitMs = limitMs
    this.deadline = undefined
    this.#deadlines.watch(this)
  }

  /** The time limit is reached: the handler is told to stop, and its answer no longer counts. */
  expire(): void {
    const why = `no answer within ${this.limitMs} ms`
    this.isRetired = true
    this.#run?.abort(why)
    this.#end(new Failure('timeout', why))
  }

  readonly #onValue = (value: unknown): void => this.#end(value)
  readonly #onError = (error: unknown): void => this.#end(crash(error))

  #end(answer: unknown): void {
    const run = this.#run
    if (run === undefined) return
    this.#run = undefined
    this.#deadlines.release(this)
    this.#owner.resume(run, answer)
  }
}

const { then } = Promise.prototype

function crash(error: unknown): Failure {
  return new Failure('crash', describe(error))
}

/**
 * Keeps the time limits of all runs that are waited for, with one timer at most and none when nothing is waited for.
 * Setting a timer costs several times what a short asynchronous hook does, so a limit is first looked at when the
 * present run of code is over: what has answered by then never gets a timer.
 */
export class Deadlines {
  readonly #clock: Clock
  #first: Wait | undefined
  #isLookDue = false
  #timerAt = Number.POSITIVE_INFINITY
  #stopTimer: (() => void) | undefined

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Starts to keep the limit of a wait. */
  watch(wait: Wait): void {
    wait.next = this.#first
    if (this.#first !== undefined) this.#first.previous = wait
    this.#first = wait
    if (this.#isLookDue) return
    this.#isLookDue = true
    this.#clock.soon(this.#look)
  }

  /** Stops keeping it. */
  release(wait: Wait): void {
    if (wait.previous !== undefined) wait.previous.next = wait.next
    else if (this.#first === wait) this.#first = wait.next
    if (wait.next !== undefined) wait.next.previous = wait.previous
    wait.previous = wait.next = undefined
    if (this.#first === undefined && this.#stopTimer !== undefined) this.#setTimer(Number.POSITIVE_INFINITY)
  }

  // Gives every wait its deadline, ends those that are past it, and sets the timer for the next.
  readonly #look = (): void => {
    this.#isLookDue = false
    const now = this.#clock.now()
    const expired: Wait[] = []
    let next = Number.POSITIVE_INFINITY
    for (let wait = this.#first; wait !== undefined; wait = wait.next) {
      wait.deadline ??= now + wait.limitMs
      if (wait.deadline <= now) expired.push(wait)
      else next = Math.min(next, wait.deadline)
    }
    this.#setTimer(next)
    for (const wait of expired.reverse()) wait.expire()
  }

  #setTimer(at: number): void {
    if (at === this.#timerAt) return
    this.#stopTimer?.()
    this.#timerAt = at
    this.#stopTimer = undefined
    if (at === Number.POSITIVE_INFINITY) return
    this.#stopTimer = this.#clock.after(Math.max(0, at - this.#clock.now()), () => {
      this.#timerAt = Number.POSITIVE_INFINITY
      this.#stopTimer = undefined
      this.#look()
    })
  }
}
