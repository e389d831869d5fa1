// When a hook without a daemon may start one: one hook of many at once, no hook after a person stopped the daemon, and
// with growing delays after failed starts. Stored in the state, since each hook is a separate process.

import type { StateStore } from '../../storage/ports.ts'
import { update } from '../../storage/state.ts'

/** The starts of daemons by hooks. */
interface Starts {
  /** Consecutive starts that failed. */
  readonly attempts: number
  /** Wall-clock milliseconds of the last start. */
  readonly startedAt?: number | undefined
  /** When a person stopped the daemon. */
  readonly stoppedAt?: number | undefined
}

/** Does the next hook without a daemon start one? */
export type OnDemand =
  | { readonly is: 'ready' }
  /** Turned off by the configuration, or by ARC_DAEMON. */
  | { readonly is: 'off' }
  /** A person stopped the daemon: none is started until a person starts one. */
  | { readonly is: 'stopped'; readonly at: number }
  /** The last starts failed. */
  | { readonly is: 'waiting'; readonly attempts: number; readonly until: number }

const KEY = 'daemon:on-demand'
const FIRST_WAIT_MS = 15_000
const MAX_WAIT_MS = 3_600_000

/** A start succeeded when the daemon has run for this long. */
export const STABLE_MS = 60_000

/** Claims the start of a daemon: true for exactly one of several processes at the same time. */
export function claimStart(state: StateStore, now: number): boolean {
  let isClaimed = false
  update<Starts>(state, KEY, (before) => {
    isClaimed = computeOnDemandState(before, now).is === 'ready'
    return isClaimed ? { attempts: (before?.attempts ?? 0) + 1, startedAt: now } : undefined
  })
  return isClaimed
}

/** Records a start by a person: hooks start none meanwhile, and an earlier stop no longer applies. */
export function recordManualStart(state: StateStore, now: number): void {
  update<Starts>(state, KEY, () => ({ attempts: 1, startedAt: now }))
}

/** Records that a daemon is stable or ended as planned: hooks may start the next at once. A stop by a person stays. */
export function recordGoodStart(state: StateStore): void {
  update<Starts>(state, KEY, (before) => {
    return before === undefined || before.attempts === 0 ? undefined : { ...before, attempts: 0 }
  })
}

/** Records a stop by a person: hooks start no daemon. */
export function recordStop(state: StateStore, now: number): void {
  update<Starts>(state, KEY, () => ({ attempts: 0, stoppedAt: now }))
}

/** Reads what the next hook without a daemon does. */
export function readOnDemandState(state: StateStore, now: number): OnDemand {
  return computeOnDemandState(state.get(KEY)?.value as Starts | undefined, now)
}

function computeOnDemandState(starts: Starts | undefined, now: number): OnDemand {
  if (starts === undefined) return { is: 'ready' }
  const { attempts, startedAt, stoppedAt } = starts
  if (stoppedAt !== undefined) return { is: 'stopped', at: stoppedAt }
  if (attempts === 0 || startedAt === undefined) return { is: 'ready' }
  const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 4 ** (attempts - 1))
  // Math.abs: a clock that was set back must not prolong the delay.
  return Math.abs(now - startedAt) >= waitMs ? { is: 'ready' } : { is: 'waiting', attempts, until: startedAt + waitMs }
}

/** Parses `ARC_DAEMON`: may a hook use a running daemon, and may it start one? */
export function parseDaemonSwitch(value: string | undefined): { readonly canAsk: boolean; readonly canStart: boolean } {
  return { canAsk: value !== 'off' && value !== 'asked', canStart: value !== 'off' && value !== 'ask' }
}
