// One run of a hook on a step: the context for its handler, and the time limits of the runs that are waited for.

import type { Clock } from './clock.ts'
import type { RunContext } from './hook.ts'
import type { Mode } from './mode.ts'

/** The context of a handler. The engine reads nothing back from it: a handler may change it. */
export class HookRun implements RunContext {
  readonly hook: string
  readonly limitMs: number
  readonly mode: Mode
  #controller: AbortController | undefined

  constructor(hook: string, limitMs: number, mode: Mode) {
    this.hook = hook
    this.limitMs = limitMs
    this.mode = mode
  }

  // Created on demand: few handlers use their signal.
  get signal(): AbortSignal {
    this.#controller ??= new AbortController()
    return this.#controller.signal
  }

  /** Aborts the signal, also for a handler that reads it only later. Static, so that a handler cannot replace it. */
  static abort(run: HookRun, why: string): void {
    run.#controller ??= new AbortController()
    run.#controller.abort(new Error(why))
  }
}

/** A dispatch that waits for its hooks, one after another. */
export interface Waiter {
  /** The time limit of the hook that is waited for. */
  readonly limitMs: number
  /** Called when the time limit is reached. */
  giveUp(why: string): void
  /** These two belong to TimeLimits: the timer, and the position in the list of waiters. */
  stopTimer: (() => void) | undefined
  waiterIndex: number
}

/**
 * The time limits of all dispatches that wait. A timer costs several times as much as a short asynchronous hook, so
 * timers are set when the present run of code is over: hooks that have answered by then never get a timer.
 */
export class TimeLimits {
  readonly #clock: Clock
  readonly #waiters: Waiter[] = []
  #isScheduled = false

  constructor(clock: Clock) {
    this.#clock = clock
  }

  /** Adds a waiter and starts its time limit. */
  add(waiter: Waiter): void {
    waiter.waiterIndex = this.#waiters.push(waiter) - 1
    this.#schedule()
  }

  /** Starts the time limit of the next hook. Needed only after the timer of an earlier hook was set. */
  restart(waiter: Waiter): void {
    clearTimer(waiter)
    this.#schedule()
  }

  /** Removes a waiter. The last in the list takes its position. */
  remove(waiter: Waiter): void {
    clearTimer(waiter)
    const last = this.#waiters.pop()
    if (last === undefined || last === waiter) return
    this.#waiters[waiter.waiterIndex] = last
    last.waiterIndex = waiter.waiterIndex
  }

  #schedule(): void {
    if (this.#isScheduled) return
    this.#isScheduled = true
    this.#clock.soon(this.#setTimers)
  }

  readonly #setTimers = (): void => {
    this.#isScheduled = false
    for (const waiter of this.#waiters) {
      const { limitMs } = waiter
      waiter.stopTimer ??= this.#clock.after(limitMs, () => waiter.giveUp(`no answer within ${limitMs} ms`))
    }
  }
}

function clearTimer(waiter: Waiter): void {
  waiter.stopTimer?.()
  waiter.stopTimer = undefined
}
