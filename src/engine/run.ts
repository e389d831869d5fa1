// What belongs to one hook's run on one step: what its handler is told, and its time limit.

import type { Clock } from './clock.ts'
import { Failure } from './degradation.ts'
import { crash, type Hook, type RunContext } from './hook.ts'
import type { Mode } from './mode.ts'

/**
 * What the handler is given beside the step. It holds nothing that the engine reads back: a handler can do to it what
 * it likes. Signals are kept beside it, because most handlers never look at theirs, and room for one costs every run.
 */
export class HookRun implements RunContext {
  readonly hook: string
  readonly limitMs: number
  readonly mode: Mode

  constructor(hook: string, limitMs: number, mode: Mode) {
    this.hook = hook
    this.limitMs = limitMs
    this.mode = mode
  }

  get signal(): AbortSignal {
    return controllerOf(this).signal
  }
}

const controllers = new WeakMap<HookRun, AbortController>()

function controllerOf(run: HookRun): AbortController {
  const controller = controllers.get(run) ?? new AbortController()
  controllers.set(run, controller)
  return controller
}

/** Whoever waits for answers, and goes on without one when its time is up. */
export interface Waiter {
  resume(wait: Wait, answer: unknown): void
  giveUp(wait: Wait, failure: Failure): void
}

/**
 * The waiting of one dispatch, for one answer after the other: it stands in the list of waits from the first until the
 * last. Not used again after a time-out, as the late answer may still come.
 */
export class Wait {
  readonly #waiter: Waiter
  hook!: Hook
  mode!: Mode
  limitMs = 0
  #run: HookRun | undefined
  /** The neighbours in the list of waits, and the time to give up: kept by Deadlines. */
  previous: Wait | undefined = undefined
  next: Wait | undefined = undefined
  deadline: number | undefined = undefined
  /** The listeners of every promise that is waited for: made once, and not for each. */
  readonly onAnswer = (answer: unknown): void => this.#waiter.resume(this, answer)
  readonly onRejection = (error: unknown): void => this.#waiter.resume(this, crash(error))

  constructor(waiter: Waiter) {
    this.#waiter = waiter
  }

  /** Waits for the next hook's answer. */
  renew(hook: Hook, mode: Mode, run: HookRun, limitMs: number): void {
    this.hook = hook
    this.mode = mode
    this.#run = run
    this.limitMs = limitMs
    this.deadline = undefined
  }

  /** The time limit is reached: the handler is told to stop, and its answer no longer counts. */
  expire(): void {
    const why = `no answer within ${this.limitMs} ms`
    // Also for a handler that first looks after its time limit.
    controllerOf(this.#run as HookRun).abort(new Error(why))
    this.#waiter.giveUp(this, new Failure('timeout', why))
  }
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
    this.lookSoon()
  }

  /** Makes sure that a new limit is looked at. */
  lookSoon(): void {
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
