// The states of a circuit breaker and what leads from one to the next. Pure: whoever holds a state gives the time.

import { ArcError, show } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { isRecord } from '../../engine/plain-data.ts'

/** Where a breaker stands. `failures` is how many there were in a row. */
export type BreakerState =
  | { readonly status: 'closed'; readonly failures: number }
  | { readonly status: 'open'; readonly failures: number; readonly openedAt: number }
  | { readonly status: 'half-open'; readonly failures: number; readonly openedAt: number }

/** What happens to a breaker; `look` is time passing. */
export type BreakerEvent = 'failure' | 'success' | 'look' | 'reset'

export interface BreakerSettings {
  /** So many failures in a row open it. */
  readonly failureThreshold: number
  /** So long after that it is half-open. */
  readonly cooldownMs: number
}

const DEFAULTS: BreakerSettings = { failureThreshold: 3, cooldownMs: 60_000 }
export const CLOSED: BreakerState = Object.freeze({ status: 'closed', failures: 0 })

/** The state after an event. The same object when nothing changes. */
export function nextState(
  state: BreakerState,
  event: BreakerEvent,
  nowMs: number,
  settings: BreakerSettings,
): BreakerState {
  if (event === 'reset') return state.status === 'closed' && state.failures === 0 ? state : CLOSED
  const current = afterTime(state, nowMs, settings)
  if (event === 'failure') return afterFailure(current, nowMs, settings)
  return event === 'success' ? afterSuccess(current) : current
}

// A clock that was set back would keep it open for ever: the cool-down then begins anew, from the time it is now.
function afterTime(state: BreakerState, nowMs: number, { cooldownMs }: BreakerSettings): BreakerState {
  if (state.status !== 'open') return state
  if (nowMs < state.openedAt) return { ...state, openedAt: nowMs }
  return nowMs - state.openedAt >= cooldownMs ? { ...state, status: 'half-open' } : state
}

function afterFailure(state: BreakerState, nowMs: number, { failureThreshold }: BreakerSettings): BreakerState {
  // Open already: what fails meanwhile does not put the test off.
  if (state.status === 'open') return state
  const failures = state.failures + 1
  const isTripped = state.status === 'half-open' || failures >= failureThreshold
  return isTripped ? { status: 'open', failures, openedAt: nowMs } : { status: 'closed', failures }
}

function afterSuccess(state: BreakerState): BreakerState {
  if (state.status === 'half-open') return CLOSED
  return state.status === 'closed' && state.failures > 0 ? CLOSED : state
}

/** The most that hooks may do in a state; those marked `critical` are not asked. */
export function getMaxMode({ status }: BreakerState): Mode {
  return status === 'open' ? 'log' : 'enforce'
}

/** Settings with their defaults; throws where they make no sense. */
export function readSettings(given: Partial<BreakerSettings>): BreakerSettings {
  const { failureThreshold = DEFAULTS.failureThreshold, cooldownMs = DEFAULTS.cooldownMs } = given
  if (!Number.isInteger(failureThreshold) || failureThreshold < 1) {
    const what = `failureThreshold of the breaker must be a whole number above 0, not ${show(failureThreshold)}.`
    throw new ArcError('ARC_OPTION_INVALID', what)
  }
  if (!Number.isFinite(cooldownMs) || cooldownMs <= 0) {
    throw new ArcError('ARC_OPTION_INVALID', `cooldownMs of the breaker must be above 0, not ${show(cooldownMs)}.`)
  }
  return { failureThreshold, cooldownMs }
}

/** What is kept may be of another version, or written by hand: what cannot be read is a breaker that lowers nothing. */
export function readState(kept: unknown): BreakerState {
  if (!isRecord(kept)) return CLOSED
  const { status, failures, openedAt } = kept
  if (!Number.isInteger(failures) || (failures as number) < 0) return CLOSED
  if (status === 'closed') return kept as BreakerState
  const isKnown = status === 'open' || status === 'half-open'
  return isKnown && Number.isFinite(openedAt) ? (kept as BreakerState) : CLOSED
}
