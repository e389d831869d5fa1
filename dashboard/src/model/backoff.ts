// How long to wait before the stream is tried again: doubling, with a cap, and spread so that pages do not come all at once.

const FIRST_MS = 250
const CAP_MS = 10_000

/** The wait before attempt number `attempt` (from 0); `random` is from 0 to 1. */
export function waitBefore(attempt: number, random: number): number {
  const full = Math.min(CAP_MS, FIRST_MS * 2 ** Math.min(Math.max(0, attempt), 30))
  return Math.round(full * (0.5 + random / 2))
}
