// Hands the evaluations of one dispatch to the sink, each with how long its hook took.
// Reading the clock costs as much as a quick hook does. So a hook is timed alone until it has proved quick many times
// in a row; from then on neighbours that are known to be quick share one reading, and its time is split among them.
// A stretch that turns out slow is forgiven nothing: all its hooks are timed alone again.

import { describe } from './errors.ts'
import { type Hook, onRejection } from './hook.ts'
import type { Evaluation, Fault } from './outcome.ts'
import type { Step } from './step.ts'

/** Receives every evaluation, with the step it belongs to, before the outcome is given back. */
export type Sink = (evaluation: Evaluation, step: Step) => void

/** The dispatch whose evaluations are recorded. */
interface Recorded {
  newView(): Step
  /** The hooks of the point; no two have the same name. */
  readonly hooks: readonly Hook[]
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
  #lastReading = 0
  #isReadingStale = true
  /** What has no time yet: one evaluation, or several of hooks that are all known to be quick. */
  #unread: Evaluation[] | undefined

  constructor(sink: Sink, now: () => number, dispatch: Recorded) {
    this.#sink = sink
    this.#now = now
    this.#dispatch = dispatch
  }

  /** Call before a hook runs: one that is timed alone needs a reading of its own to start from. */
  begin(hook: Hook): void {
    if (this.#unread !== undefined && !isKnownQuick(hook)) this.read()
    if (!this.#isReadingStale) return
    this.#isReadingStale = false
    this.#lastReading = this.#now()
  }

  /** Takes the evaluation of a hook that ran. */
  add(hook: Hook, evaluation: Evaluation): void {
    if (this.#unread === undefined) this.#unread = [evaluation]
    else this.#unread.push(evaluation)
    if (isKnownQuick(hook)) return
    const isQuick = this.read()
    hook.pace.quickRuns = isQuick ? hook.pace.quickRuns + 1 : 0
  }

  /** Takes the evaluation of a hook that did not run. */
  addSkipped(evaluation: Evaluation): void {
    this.read()
    this.#send(evaluation)
  }

  /** Reads the clock, gives everything since the last reading its share of the time, and sends it on. Was it quick? */
  read(): boolean {
    const unread = this.#unread
    if (unread === undefined) return true
    this.#unread = undefined
    const share = (this.#now() - this.#lastReading) / unread.length
    // What the sink takes is not the next hook's time.
    this.#isReadingStale = true
    if (share >= QUICK_MS) this.#doubt(unread)
    for (const evaluation of unread) {
      ;(evaluation as { durationMs: number }).durationMs = share
      this.#send(evaluation)
    }
    return share < QUICK_MS
  }

  #doubt(evaluations: readonly Evaluation[]): void {
    const names = new Set(evaluations.map(({ hook }) => hook))
    for (const { name, pace } of this.#dispatch.hooks) if (names.has(name)) pace.quickRuns = 0
  }

  #send(evaluation: Evaluation): void {
    try {
      this.#view ??= this.#dispatch.newView()
      const returned: unknown = this.#sink(evaluation, this.#view)
      if (returned !== undefined) onRejection(returned, (error) => this.#reportSink(evaluation, error))
    } catch (error) {
      this.#reportSink(evaluation, error)
    }
  }

  #reportSink({ point, hook }: Evaluation, error: unknown): void {
    this.#dispatch.report({ kind: 'sink', point, hook, message: describe(error) })
  }
}

function isKnownQuick(hook: Hook): boolean {
  return hook.pace.quickRuns >= RUNS_TO_PROVE
}
