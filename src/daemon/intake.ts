// How much a daemon takes on at once. What comes beyond that is told so at once, instead of growing a queue whose end no
// host would wait for: `arc hook` then judges by itself.

/** The most that may be in hand. */
export interface IntakeLimits {
  readonly maxCalls: number
  readonly maxBytes: number
}

const LIMITS: IntakeLimits = { maxCalls: 1_000, maxBytes: 128 * 1024 * 1024 }

/** Counts calls, and the bytes that they brought along. */
export class Intake {
  readonly #limits: IntakeLimits
  #calls = 0
  #bytes = 0

  constructor(limits: IntakeLimits = LIMITS) {
    this.#limits = limits
  }

  /** Lets a call in and gives its way out, to be taken once; undefined when there is no room. */
  enter(bytes: number): (() => void) | undefined {
    const { maxCalls, maxBytes } = this.#limits
    // One that is alone is let in whatever its size: that has a limit of its own.
    if (this.#calls >= maxCalls || (this.#calls > 0 && this.#bytes + bytes > maxBytes)) return undefined
    this.#calls++
    this.#bytes += bytes
    return () => {
      this.#calls--
      this.#bytes -= bytes
    }
  }

  /** How many are in hand. */
  get calls(): number {
    return this.#calls
  }
}

/** What is said to those for whom there is no room. */
export const BUSY = {
  code: 'ARC_DAEMON_BUSY',
  message: 'The daemon has too much in hand at this moment; arc hook judges by itself, others come again.',
} as const
