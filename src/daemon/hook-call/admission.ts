// How much a daemon takes on at once. What comes beyond that is told so at once, instead of growing a queue whose end no
// host would wait for: `arc hook` then judges by itself.

/** The most that may be in hand. */
export interface AdmissionLimits {
  readonly maxCalls: number
  readonly maxBytes: number
}

const LIMITS: AdmissionLimits = { maxCalls: 1_000, maxBytes: 128 * 1024 * 1024 }

/** A request whose body may still be on its way. */
export interface IncomingBody {
  /** All of it is here. */
  readonly complete: boolean
  /** Stops waiting for the rest. */
  cancel(): void
}

/** One call in hand. */
interface Call {
  readonly bytes: number
  readonly request: IncomingBody | undefined
}

/** Counts calls, and the bytes that they brought along. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #calls = new Set<Call>()
  #bytes = 0

  constructor(limits: AdmissionLimits = LIMITS) {
    this.#limits = limits
  }

  /**
   * Lets a call in and gives its way out; undefined when there is no room. A call whose body has not arrived gives way to
   * one that needs its room: otherwise a few announced bodies would claim all of it.
   */
  enter(bytes: number, request?: IncomingBody): (() => void) | undefined {
    if (!this.#hasRoom(bytes) && !this.#makeRoom(bytes)) return undefined
    const call = { bytes, request }
    this.#calls.add(call)
    this.#bytes += bytes
    return () => this.#leave(call)
  }

  /** How many are in hand. */
  get calls(): number {
    return this.#calls.size
  }

  #leave(call: Call): void {
    if (this.#calls.delete(call)) this.#bytes -= call.bytes
  }

  #hasRoom(bytes: number): boolean {
    const { maxCalls, maxBytes } = this.#limits
    const { size } = this.#calls
    // One that is alone is let in whatever its size: that has a limit of its own.
    return size < maxCalls && (size === 0 || this.#bytes + bytes <= maxBytes)
  }

  #makeRoom(bytes: number): boolean {
    for (const call of this.#calls) {
      if (call.request === undefined || call.request.complete) continue
      this.#leave(call)
      call.request.cancel()
      if (this.#hasRoom(bytes)) return true
    }
    return false
  }
}

/** What is said to those for whom there is no room. */
export const BUSY = {
  code: 'ARC_DAEMON_BUSY',
  message: 'The daemon has too much in hand at this moment; arc hook judges by itself, others come again.',
} as const
