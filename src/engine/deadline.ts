// Waiting with a limit: work against a time limit and a signal, and pauses. Leaves no timer and no listener behind.

import type { Clock } from './clock.ts'

/** When to stop waiting. */
export interface Deadline {
  readonly clock: Clock
  readonly limitMs: number
  /** Ends the wait early. */
  readonly signal?: AbortSignal | undefined
}

/** The time limit was reached. */
export class DeadlineError extends Error {
  override readonly name = 'DeadlineError'
}

/**
 * Waits for work until a deadline. The work's signal is aborted at the deadline; work that ignores the signal is no
 * longer waited for. `onLate` decides what a missed deadline means; by default its error is thrown.
 * @example
 * const body = await withDeadline({ clock, limitMs: 2_000, signal }, (signal) => fetch(url, { signal }))
 */
export async function withDeadline<T, Late = never>(
  { clock, limitMs, signal }: Deadline,
  work: (signal: AbortSignal) => Promise<T>,
  onLate: (why: Error) => Late = rethrow,
): Promise<T | Late> {
  const controller = new AbortController()
  let stop: (why: Error) => void = () => undefined
  const late = new Promise<Late>((resolve, reject) => {
    stop = (why) => {
      controller.abort(why)
      void Promise.resolve(why).then(onLate).then(resolve, reject)
    }
  })
  const abort = (): void => stop(toError(signal?.reason))
  const stopTimer = clock.after(limitMs, () => stop(new DeadlineError(`no answer within ${limitMs} ms`)))
  signal?.addEventListener('abort', abort, { once: true })
  if (signal?.aborted === true) abort()
  try {
    return await Promise.race([work(controller.signal), late])
  } finally {
    stopTimer()
    signal?.removeEventListener('abort', abort)
  }
}

/** Waits for a time, or until the signal is aborted. Does not keep the process alive. */
export function pause(ms: number, { clock, signal }: Omit<Deadline, 'limitMs'>): Promise<void> {
  return new Promise((resolve) => {
    const wake = (): void => {
      stopTimer()
      signal?.removeEventListener('abort', wake)
      resolve()
    }
    const stopTimer = clock.after(ms, wake)
    signal?.addEventListener('abort', wake, { once: true })
    if (signal?.aborted === true) wake()
  })
}

function rethrow(why: Error): never {
  throw why
}

function toError(reason: unknown): Error {
  return reason instanceof Error ? reason : new Error(String(reason))
}
