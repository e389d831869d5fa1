// Reports an operation that fails repeatedly: when it starts to fail, when the reason changes, and when it works again. A
// line for every failure would hide the first.

import { ArcError, describe } from '../engine/errors.ts'

/** The texts of the reports. */
export interface FailureTexts {
  /** When the operation starts to fail; the reason is appended. */
  readonly begins: string
  /** When it works again or is given up, with the number of failures. */
  readonly ends: (count: number) => string
}

export type ReportFailure = (message: string) => void

/**
 * Tracks an operation that may fail.
 * @example
 * const failure = new RepeatedFailure(TRACE_FAILURE, report)
 * await failure.settle(store.append(entry))   // false where it failed
 */
export class RepeatedFailure {
  readonly #texts: FailureTexts
  readonly #report: ReportFailure
  #reason: string | undefined
  #count = 0

  constructor(texts: FailureTexts, report: ReportFailure = writeToStderr) {
    this.#texts = texts
    this.#report = report
  }

  /** Runs the operation and reports its failure. True if it worked. */
  watch(work: () => void): boolean {
    try {
      work()
    } catch (error) {
      this.fail(error)
      return false
    }
    if (this.#count > 0) this.end()
    return true
  }

  /** The same for work that is under way. Never rejects. */
  async settle(work: Promise<unknown>): Promise<boolean> {
    try {
      await work
    } catch (error) {
      this.fail(error)
      return false
    }
    if (this.#count > 0) this.end()
    return true
  }

  /** Counts failures with the same cause. */
  fail(error: unknown, count = 1): void {
    this.#count += count
    // By the code: the text may contain figures that change each time.
    const reason = error instanceof ArcError ? error.code : describe(error)
    if (reason === this.#reason) return
    this.#reason = reason
    this.#report(`${this.#texts.begins}: ${describe(error)}`)
  }

  /** The operation works again or is given up: reports the number of failures, if there were any. */
  end(): void {
    const count = this.#count
    this.#count = 0
    this.#reason = undefined
    if (count > 0) this.#report(this.#texts.ends(count))
  }
}

/** The trace cannot be written. No decision changes. */
export const TRACE_FAILURE: FailureTexts = {
  begins: 'the trace could not be written, so what is decided is not on record for now',
  ends: (count) => `${count} ${count === 1 ? 'entry is' : 'entries are'} missing from the trace`,
}

/** The results of steps cannot be passed to the breaker. */
export const COUNT_FAILURE: FailureTexts = {
  begins: 'the result of a step could not be counted, so the breaker does not include it',
  ends: (count) => `the results of ${count} ${count === 1 ? 'step' : 'steps'} were not counted`,
}

function writeToStderr(message: string): void {
  process.stderr.write(`arc: ${message}\n`)
}
