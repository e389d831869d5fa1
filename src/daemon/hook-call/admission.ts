// Limits the calls that a daemon handles at once. A call beyond the limit is refused at once instead of queued: no host
// would wait for the end of the queue, and `arc hook` evaluates a refused call in its own process.

/** The limits for calls at the same time. */
export interface AdmissionLimits {
  readonly maxCalls: number
  readonly maxBytes: number
}

const LIMITS: AdmissionLimits = { maxCalls: 1_000, maxBytes: 128 * 1024 * 1024 }

/** A request body that may still be arriving. */
export interface IncomingBody {
  /** The whole body has arrived. */
  readonly complete: boolean
  /** Stops waiting for the rest of the body. */
  cancel(): void
}

/** An admitted call. */
interface Call {
  readonly bytes: number
  readonly body: IncomingBody | undefined
}

/** Counts admitted calls and their bytes. */
export class Admission {
  readonly #limits: AdmissionLimits
  readonly #calls = new Set<Call>()
  #bytes = 0

  constructor(limits: AdmissionLimits = LIMITS) {
    this.#limits = limits
  }

  /**
   * Admits a call and returns its release; undefined if the limit is reached. A call whose body has not arrived is
   * cancelled for a call that needs the room: otherwise a few announced bodies would take all of it.
   */
  enter(bytes: number, body?: IncomingBody): (() => void) | undefined {
    if (!this.#hasRoom(bytes) && !this.#makeRoom(bytes)) return undefined
    const call = { bytes, body }
    this.#calls.add(call)
    this.#bytes += bytes
    return () => this.#leave(call)
  }

  /** The number of admitted calls. */
  get calls(): number {
    return this.#calls.size
  }

  #leave(call: Call): void {
    if (this.#calls.delete(call)) this.#bytes -= call.bytes
  }

  #hasRoom(bytes: number): boolean {
    const { maxCalls, maxBytes } = this.#limits
    const { size } = this.#calls
    // A single call is admitted whatever its size: the size of a body has its own limit.
    return size < maxCalls && (size === 0 || this.#bytes + bytes <= maxBytes)
  }

  #makeRoom(bytes: number): boolean {
    for (const call of this.#calls) {
      if (call.body === undefined || call.body.complete) continue
      this.#leave(call)
      call.body.cancel()
      if (this.#hasRoom(bytes)) return true
    }
    return false
  }
}

/** The error for a refused call. */
export const BUSY = {
  code: 'ARC_DAEMON_BUSY',
  message: 'The daemon is busy. arc hook evaluates the call in its own process; other clients try again later.',
} as const
