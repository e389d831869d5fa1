// Hands the evaluations of one dispatch to the sink, each with how long its hook took.
// Reading the clock costs as much as a quick hook does. So a hook is timed alone until it has proved quick many times
// in a row; from then on neighbours that are known to be quick share one reading, and its time is split among them.
// A stretch that turns out slow is forgiven nothing: all its hooks are timed alone again.

import type { Hook } from './hook.ts'
import type { Evaluation, Fault } from './outcome.ts'
import type { HookRun } from './run.ts'
import type { Step } from './step.ts'
import { describe } from './verdict.ts'

/** Receives every evaluation, with the step it belongs to, before the outcome is given back. */
export type Sink = (evaluation: Evaluation, step: Step) => void

/** The dispatch whose evaluations are recorded. */
interface Recorded {
  readonly step: Step
  report(fault: Fault): void
}

const QUICK_MS = 0.05
const RUNS_TO_PROVE = 32

/** The recorder of one dispatch. */
export class Recorder {
  readonly #sink: Sink
  readonly #now: () => number
  readonly #dispatch: Recorded
  #lastReading: number
  #unread: HookRun[] | undefined

  constructor(sink: Sink, now: () => number, dispatch: Recorded) {
    this.#sink = sink
    this.#now = now
    this.#dispatch = dispatch
    this.#lastReading = now()
  }

  /** Call before a hook runs: one that is timed alone needs a reading of its own to start from. */
  begin(hook: Hook): void {
    if (this.#unread !== undefined && !isKnownQuick(hook)) this.read()
  }

  /** Takes the evaluation of a run. */
  add(run: HookRun): void {
    if (this.#unread === undefined) this.#unread = [run]
    else this.#unread.push(run)
    if (!isKnownQuick(run.registered)) this.read()
  }

  /** Takes the evaluation of a hook that did not run. */
  addSkipped(evaluation: Evaluation): void {
    this.read()
    this.#send(evaluation)
  }

  /** Reads the clock, gives everything since the last reading its share of the time, and sends it on. */
  read(): void {
    const unread = this.#unread
    if (unread === undefined) return
    this.#unread = undefined
    const now = this.#now()
    const share = (now - this.#lastReading) / unread.length
    this.#lastReading = now
    for (const { registered, evaluation } of unread) {
      registered.pace.quickRuns = share < QUICK_MS ? registered.pace.quickRuns + 1 : 0
      if (evaluation === undefined) continue
      ;(evaluation as { durationMs: number }).durationMs = share
      this.#send(evaluation)
    }
  }

  #send(evaluation: Evaluation): void {
    try {
      this.#sink(evaluation, this.#dispatch.step)
    } catch (error) {
      this.#dispatch.report({ kind: 'sink', point: evaluation.point, hook: evaluation.hook, message: describe(error) })
    }
  }
}

function isKnownQuick(hook: Hook): boolean {
  return hook.pace.quickRuns >= RUNS_TO_PROVE
}
