// Time as the engine sees it. Given from outside, so that tests move it by hand and core touches no timer itself.

/** A source of time and of calls in the future. */
export interface Clock {
  /** Monotonic milliseconds, with fractions. */
  now(): number
  /** Wall-clock milliseconds since 1970. */
  wall(): number
  /** Calls back after `ms`; never keeps the process alive. Returns its undo, safe to call twice. */
  after(ms: number, callback: () => void): () => void
  /** Calls back once the present run of code, promise callbacks included, is over. */
  soon(callback: () => void): void
}
