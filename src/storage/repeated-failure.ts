// Something that fails again and again is told of when it begins, when it fails for another reason, and when it is over:
// a line for each step would be read by nobody.

import { ArcError, describe } from '../engine/errors.ts'

/** What to say of a trouble. */
export interface TroubleTexts {
  /** When it begins; why is put after it. */
  readonly begins: string
  /** When it is over or given up, with how often it failed. */
  readonly ends: (count: number) => string
}

export type Report = (message: string) => void

/**
 * Keeps track of one thing that may fail.
 * @example
 * const trouble = new Trouble(TRACE_TROUBLE, report)
 * trouble.watch(() => store.append(entry))   // undefined where it failed
 */
export class Trouble {
  readonly #texts: TroubleTexts
  readonly #report: Report
  #why: string | undefined
  #count = 0

  constructor(texts: TroubleTexts, report: Report = tellOnStderr) {
    this.#texts = texts
    this.#report = report
  }

  /** Does something, and tells of a failure. True if it worked. */
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

  /** Tells of something that failed, so often at once. */
  fail(error: unknown, count = 1): void {
    this.#count += count
    // The words may have figures in them that are others each time.
    const why = error instanceof ArcError ? error.code : describe(error)
    if (why === this.#why) return
    this.#why = why
    this.#report(`${this.#texts.begins}: ${describe(error)}`)
  }

  /** No more is to come, or it is over: how often it failed is told, unless it never did. */
  end(): void {
    const count = this.#count
    this.#count = 0
    this.#why = undefined
    if (count > 0) this.#report(this.#texts.ends(count))
  }
}

/** The trace cannot be written: no decision changes. */
export const TRACE_TROUBLE: TroubleTexts = {
  begins: 'the trace could not be written, so what is decided is not on record for now',
  ends: (count) => `${count} ${count === 1 ? 'entry is' : 'entries are'} missing from the trace`,
}

/** What came of steps cannot be given to the breaker. */
export const COUNT_TROUBLE: TroubleTexts = {
  begins: 'what came of a step could not be counted, so the breaker does not know of it',
  ends: (count) => `what came of ${count} ${count === 1 ? 'step' : 'steps'} was not counted`,
}

function tellOnStderr(message: string): void {
  process.stderr.write(`arc: ${message}\n`)
}
