// A time limit for one attempt at something outside the process, on the clock that hooks are given.

import type { Clock } from '../../engine/clock.ts'

/**
 * Calls `attempt` with a signal that is aborted after `limitMs`, or when the hook itself must stop. Nothing is left
 * over when the attempt has ended. What does not heed its signal is no longer waited for.
 */
export async function bounded<T>(
  clock: Clock,
  limit: { readonly limitMs: number; readonly signal: AbortSignal },
  attempt: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  const controller = new AbortController()
  let giveUp: (error: Error) => void = () => undefined
  const stopped = new Promise<never>((_resolve, reject) => {
    giveUp = reject
  })
  const stop = (why: string): void => {
    const error = new Error(why)
    controller.abort(error)
    giveUp(error)
  }
  const stopOuter = (): void => stop('the time limit of the hook is reached')
  const undo = clock.after(limit.limitMs, () => stop(`no answer within ${limit.limitMs} ms`))
  limit.signal.addEventListener('abort', stopOuter, { once: true })
  if (limit.signal.aborted) stopOuter()
  try {
    return await Promise.race([attempt(controller.signal), stopped])
  } finally {
    undo()
    limit.signal.removeEventListener('abort', stopOuter)
  }
}
