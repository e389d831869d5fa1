// The delay before the next connection attempt: doubling, limited, with jitter so that pages do not reconnect all at once.

const FIRST_MS = 250
const CAP_MS = 10_000

/** The delay before attempt number `attempt` (from 0); `random` is from 0 to 1. */
export function waitBefore(attempt: number, random: number): number {
  const full = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(Math.max(0, attempt), 30))
  return Math.round(full * (0.5 + random / 2))
}
