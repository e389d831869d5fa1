// One hook's run on one step: calling the handler, waiting for it, and giving up at its time limit.
// Whatever the handler does, what comes out is its answer or a Failure.

import type { Clock } from './clock.ts'
import { Failure } from './degradation.ts'
import { crash, type Hook, isThenable, type RunContext } from './hook.ts'
import type { Mode } from './mode.ts'
import type { Step } from './step.ts'

/** Whoever started a run and goes on when it has its answer. */
export interface RunOwner {
  /** A wait that is not in use. */
  wait(): Wait
  resume(hook: Hook, mode: Mode, answer: unknown): void
}

/** Marks a run whose handler has not answered yet. */
export const PENDING = Symbol('pending')

/** Calls a hook's handler. Gives its answer, a Failure, or PENDING when the owner is resumed later. */
export function runHook(hook: Hook, mode: Mode, step: Step, owner: RunOwner, limitMs: number): unknown {
  try {
    const { handler } = hook
    const run = new HookRun(hook.name, limitMs)
    const answer: unknown = handler(step, run)
    if (!isThenable(answer)) return answer
    owner.wait().begin(hook, mode, run, answer, limitMs + (handler.overtimeMs ?? 0))
    return PENDING
  } catch (error) {
    return crash(error)
  }
}

// What the handler is given beside the step. It holds nothing that the engine reads back: a handler can do to it what
// it likes. Signals are kept beside it, because most handlers never look at theirs, and room for one costs every run.
class HookRun implements RunContext {
  readonly hook: string
  readonly limitMs: number

  constructor(hook: string, limitMs: number) {
    this.hook = hook
    this.limitMs = limitMs
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

/**
 * Waits for one answer at a time, on behalf of one owner. After a time-out it is retired, because the late answer may
 * still arrive; otherwise the owner uses it again for its next hook.
 */
export class Wait {
  readonly #owner: RunOwner
  readonly #deadlines: Deadlines
  #hook: Hook | undefined
  #mode: Mode = 'off'
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
  begin(hook: Hook, mode: Mode, run: HookRun, answer: PromiseLike<unknown>, limitMs: number): void {
    // The native then is immune to what a subclass or an own `then` does; other thenables are adopted first.
    const promise = answer instanceof Promise ? answer : Promise.resolve(answer)
    void then.call(promise, this.#onValue, this.#onError)
    this.#hook = hook
    this.#mode = mode
    this.#run = run
    this.limitMs = limitMs
    this.deadline = undefined
    this.#deadlines.watch(this)
  }

  /** The time limit is reached: the handler is told to stop, and its answer no longer counts. */
  expire(): void {
    const why = `no answer within ${this.limitMs} ms`
    this.isRetired = true
    // Also for a handler that first looks after its time limit.
    if (this.#run !== undefined) controllerOf(this.#run).abort(new Error(why))
    this.#end(new Failure('timeout', why))
  }

  readonly #onValue = (value: unknown): void => this.#end(value)
  readonly #onError = (error: unknown): void => this.#end(crash(error))

  #end(answer: unknown): void {
    const hook = this.#hook
    if (hook === undefined) return
    this.#hook = this.#run = undefined
    this.#deadlines.release(this)
    this.#owner.resume(hook, this.#mode, answer)
  }
}

const { then } = Promise.prototype

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
