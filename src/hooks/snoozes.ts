// Hooks that a person switched off, for a while or until further notice: kept as state, so that every process knows.
// Only ever switches off; what a configuration switched off is switched on there.

import { isRecord } from '../engine/plain-data.ts'
import type { StateStore } from '../storage/ports.ts'

/** A hook that is switched off. */
export interface Snooze {
  readonly hook: string
  /** When it was switched off, in wall-clock ms. */
  readonly since: number
  /** When it is on again by itself; absent = when somebody says so. */
  readonly until?: number | undefined
  readonly reason?: string | undefined
}

const PREFIX = 'hook:'
// Clocks of one machine differ by less; a snooze from further ahead was made before the clock was set back.
const TOLERANCE_MS = 60_000

/** The snoozes in force at a time. One that lies in the future is none: a clock set back must not lengthen it. */
export function activeSnoozes(state: StateStore, now: number): readonly Snooze[] {
  return state.list(PREFIX).flatMap(({ key, value }) => {
    const snooze = read(key.slice(PREFIX.length), value)
    return snooze !== undefined && isActive(snooze, now) ? [snooze] : []
  })
}

/** Switches a hook off, in the place of an earlier snooze. */
export function snooze(state: StateStore, { hook, since, until, reason }: Snooze): void {
  const key = PREFIX + hook
  const value = { since, ...(until !== undefined && { until }), ...(reason !== undefined && { reason }) }
  while (!state.set(key, value, state.get(key)?.version ?? 0));
}

/** Switches a hook on again; false when it was not switched off. */
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
