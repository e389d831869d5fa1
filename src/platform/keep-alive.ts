// Keeps the process alive while something is waited for. Timers of the clock never do.

const LONGEST_INTERVAL_MS = 1 << 30

/** Keeps the process alive until the returned function is called. */
export function keepAlive(): () => void {
  const timer = setInterval(() => undefined, LONGEST_INTERVAL_MS)
  return () => clearInterval(timer)
}

/** Waits for a promise and keeps the process alive meanwhile. */
export async function keepAliveWhile<T>(promise: Promise<T>): Promise<T> {
  const release = keepAlive()
  try {
    return await promise
  } finally {
    release()
  }
}
