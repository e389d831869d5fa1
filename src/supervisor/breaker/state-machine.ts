// The states of a circuit breaker and their transitions. Pure: the caller passes the time.

import { ArcError, show } from '../../engine/errors.ts'
import type { Mode } from '../../engine/mode.ts'
import { isRecord } from '../../engine/plain-data.ts'

/** The state of a breaker. `failures` counts failures in a row. */
export type BreakerState =
  | { readonly status: 'closed'; readonly failures: number }
  | { readonly status: 'open'; readonly failures: number; readonly openedAt: number }
  | { readonly status: 'half-open'; readonly failures: number; readonly openedAt: number }

/** The events of a breaker; `look` only lets time pass. */
export type BreakerEvent = 'failure' | 'success' | 'look' | 'reset'

export interface BreakerSettings {
  /** The number of failures in a row that opens the breaker. */
  readonly failureThreshold: number
  /** The time from open to half-open. */
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

// A clock that was set back must not keep the breaker open: the cool-down starts again from the current time.
function afterTime(state: BreakerState, nowMs: number, { cooldownMs }: BreakerSettings): BreakerState {
  if (state.status !== 'open') return state
  if (nowMs < state.openedAt) return { ...state, openedAt: nowMs }
  return nowMs - state.openedAt >= cooldownMs ? { ...state, status: 'half-open' } : state
}

function afterFailure(state: BreakerState, nowMs: number, { failureThreshold }: BreakerSettings): BreakerState {
  // Failures while it is open do not extend the cool-down.
  if (state.status === 'open') return state
  const failures = state.failures + 1
  const isTripped = state.status === 'half-open' || failures >= failureThreshold
  return isTripped ? { status: 'open', failures, openedAt: nowMs } : { status: 'closed', failures }
}

function afterSuccess(state: BreakerState): BreakerState {
  if (state.status === 'half-open') return CLOSED
  return state.status === 'closed' && state.failures > 0 ? CLOSED : state
}

/** The highest mode of hooks in a state; `critical` hooks are not limited. */
export function getMaxMode({ status }: BreakerState): Mode {
  return status === 'open' ? 'log' : 'enforce'
}

/** Settings with their defaults; throws when a value is invalid. */
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

/** Reads a stored state, which may be of another version; an invalid state counts as closed. */
export function readState(stored: unknown): BreakerState {
  if (!isRecord(stored)) return CLOSED
  const { status, failures, openedAt } = stored
  if (!Number.isInteger(failures) || (failures as number) < 0) return CLOSED
  if (status === 'closed') return stored as BreakerState
  const isKnown = status === 'open' || status === 'half-open'
  return isKnown && Number.isFinite(openedAt) ? (stored as BreakerState) : CLOSED
}
