// Hands the evaluations of one dispatch to the sink, each with how long its hook took.
// Reading the clock costs as much as a quick hook does. So a hook is timed alone until it has proved quick many times
// in a row; from then on neighbours that are known to be quick share one reading, and its time is split among them.
// A stretch that turns out slow is forgiven nothing: all its hooks are timed alone again.

import { describe } from './errors.ts'
import { buildPass } from './evaluation.ts'
import { type Hook, onRejection } from './hook.ts'
import type { Mode } from './mode.ts'
import type { Evaluation, Fault } from './outcome.ts'
import type { Step } from './step.ts'

/** Receives every evaluation, with the step it belongs to, before the outcome is given back. */
export type Sink = (evaluation: Evaluation, step: Step) => void

/** The dispatch whose evaluations are recorded. */
interface Recorded {
  /** A view of the step on which no hook can have put anything. */
  cleanView(): Step
  report(fault: Fault): void
}

const QUICK_MS = 0.05
const RUNS_TO_PROVE = 32

/** The recorder of one dispatch. */
export class Recorder {
  readonly #sink: Sink
  readonly #now: () => number
  readonly #dispatch: Recorded
  #view: Step | undefined
  #lastReading = Number.NaN
  #isReadingStale = true
  /** Hooks that passed and have no time yet, all known to be quick and run in one mode: records are made with the time. */
  readonly #passed: Hook[]
  #count = 0
  #mode: Mode | undefined

  constructor(sink: Sink, now: () => number, dispatch: Recorded, hooks: number) {
    this.#sink = sink
    this.#now = now
    this.#dispatch = dispatch
    this.#passed = new Array(hooks)
  }

  /** Call before a hook runs: one that is timed alone needs a reading of its own to start from. */
  begin(hook: Hook, mode: Mode): void {
    if (this.#count > 0 && (mode !== this.#mode || !isKnownQuick(hook))) this.read()
    if (!this.#isReadingStale) return
    this.#isReadingStale = false
    this.#lastReading = this.#now()
  }

  /** Takes in that a hook which ran had nothing to say: by far the commonest. */
  addPass(hook: Hook, mode: Mode): void {
    if (isKnownQuick(hook)) {
      this.#mode = mode
      this.#passed[this.#count++] = hook
    } else this.add(hook, buildPass(hook, mode, 0))
  }

  /** Takes the evaluation of a hook that ran. */
  add(hook: Hook, evaluation: Evaluation): void {
    const share = this.#share(this.#count + 1)
    this.#sendPassed(share)
    ;(evaluation as { durationMs: number }).durationMs = share
    this.#send(evaluation)
    hook.pace.quickRuns = share < QUICK_MS ? hook.pace.quickRuns + 1 : 0
  }

  /** Takes the evaluation of a hook that did not run. */
  addSkipped(evaluation: Evaluation): void {
    this.read()
    this.#send(evaluation)
  }

  /** Gives everything that has no time yet its share of it, and sends it on. */
  read(): void {
    if (this.#count > 0) this.#sendPassed(this.#share(this.#count))
  }

  // Each one's part of the time since the last reading. What the sink then takes is not the next hook's time.
  #share(runs: number): number {
    this.#isReadingStale = true
    return (this.#now() - this.#lastReading) / runs
  }

  #sendPassed(share: number): void {
    const count = this.#count
    if (count === 0) return
    this.#count = 0
    // What stays the same is read once: the sink could change anything, so V8 would read it again after each call.
    const passed = this.#passed
    const mode = this.#mode as Mode
    const sink = this.#sink
    const view = this.#seen()
    for (let i = 0; i < count; i++) {
      const hook = passed[i] as Hook
      if (share >= QUICK_MS) hook.pace.quickRuns = 0
      this.#give(sink, buildPass(hook, mode, share), view)
    }
  }

  #send(evaluation: Evaluation): void {
    this.#give(this.#sink, evaluation, this.#seen())
  }

  #seen(): Step {
    this.#view ??= this.#dispatch.cleanView()
    return this.#view
  }

  #give(sink: Sink, evaluation: Evaluation, view: Step): void {
    try {
      const returned: unknown = sink(evaluation, view)
      if (returned !== undefined) this.#hear(returned, evaluation)
    } catch (error) {
      this.#reportSink(evaluation, error)
    }
  }

  // Apart, because what a closure refers to is put on the heap where the function begins, needed or not.
  #hear(returned: unknown, evaluation: Evaluation): void {
    onRejection(returned, (error) => this.#reportSink(evaluation, error))
  }

  #reportSink({ point, hook }: Evaluation, error: unknown): void {
    this.#dispatch.report({ kind: 'sink', point, hook, message: describe(error) })
  }
}

function isKnownQuick(hook: Hook): boolean {
  return hook.pace.quickRuns >= RUNS_TO_PROVE
}
