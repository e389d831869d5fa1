// Hooks that the user disabled with `arc hooks disable`, with or without an end. Stored in the state, so that every
// process applies them. A hook that the configuration disables is enabled there, not here.

import { isRecord } from '../engine/plain-data.ts'
import type { StateStore } from '../storage/ports.ts'

/** A disabled hook. */
export interface Snooze {
  readonly hook: string
  /** When the hook was disabled, in wall-clock ms. */
  readonly since: number
  /** When the hook is enabled again; absent: until the user enables it. */
  readonly until?: number | undefined
  readonly reason?: string | undefined
}

const PREFIX = 'hook:'
// A snooze that starts further in the future was made before the clock was set back.
const TOLERANCE_MS = 60_000

/** The snoozes that are active at a time. A snooze that starts in the future is ignored: a clock that was set back must not prolong it. */
export function activeSnoozes(state: StateStore, now: number): readonly Snooze[] {
  return state.list(PREFIX).flatMap(({ key, value }) => {
    const snooze = read(key.slice(PREFIX.length), value)
    return snooze !== undefined && isActive(snooze, now) ? [snooze] : []
  })
}

/** Disables a hook; replaces an earlier snooze. */
export function snooze(state: StateStore, { hook, since, until, reason }: Snooze): void {
  const key = PREFIX + hook
  const value = { since, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) }
  while (!state.set(key, value, state.get(key)?.version ?? 0));
}

/** Enables a hook again; false when it was not snoozed. */
export function unsnooze(state: StateStore, hook: string): boolean {
  const key = PREFIX + hook
  for (let entry = state.get(key); entry !== undefined; entry = state.get(key)) {
    if (state.remove(key, entry.version)) return true
  }
  return false
}

function isActive({ since, until }: Snooze, now: number): boolean {
  if (until === undefined) return true
  return now < until && since <= now + TOLERANCE_MS
}

function read(hook: string, value: unknown): Snooze | undefined {
  if (!isRecord(value) || typeof value.since !== 'number') return undefined
  const { since, until, reason } = value
  if (until !== undefined && typeof until !== 'number') return undefined
  return { hook, since, until, reason: typeof reason === 'string' ? reason : undefined }
}
