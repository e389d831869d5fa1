// When a hook that finds no daemon may start one: of many at once one does, none does after a person stopped it, and one
// that dies over its start is tried again later and later. Kept in the state, since each hook is a process of its own.

import { type StateStore, update } from '../../storage/state.ts'

/** What is known of daemons that hooks start. */
interface Starts {
  /** How many were started in a row of which none has lasted. */
  readonly attempts: number
  /** Wall-clock milliseconds of the last. */
  readonly startedAt?: number | undefined
  /** When a person stopped the daemon. */
  readonly stoppedAt?: number | undefined
}

/** Whether the next hook that finds no daemon starts one. */
export type OnDemand =
  | { readonly is: 'ready' }
  /** Turned off by the configuration, or by ARC_DAEMON. */
  | { readonly is: 'off' }
  /** A person stopped it: none is started until a person starts one. */
  | { readonly is: 'stopped'; readonly at: number }
  /** Those that were started did not last. */
  | { readonly is: 'waiting'; readonly attempts: number; readonly until: number }

const KEY = 'daemon:on-demand'
const FIRST_WAIT_MS = 15_000
const MAX_WAIT_MS = 3_600_000

/** So long a daemon has to live for its start to count as good. */
export const STABLE_MS = 60_000

/** Takes a start on oneself: true for exactly one of those who ask at the same time. */
export function claimStart(state: StateStore, now: number): boolean {
  let isOurs = false
  update<Starts>(state, KEY, (before) => {
    isOurs = computeOnDemandState(before, now).is === 'ready'
    return isOurs ? { attempts: (before?.attempts ?? 0) + 1, startedAt: now } : undefined
  })
  return isOurs
}

/** The same for a person, who need not ask: hooks hold still meanwhile, and a stop is over. */
export function recordManualStart(state: StateStore, now: number): void {
  update<Starts>(state, KEY, () => ({ attempts: 1, startedAt: now }))
}

/** A daemon lasts, or ended as it should: the next one may be started at once. A stop by a person stays. */
export function recordGoodStart(state: StateStore): void {
  update<Starts>(state, KEY, (before) => {
    return before === undefined || before.attempts === 0 ? undefined : { ...before, attempts: 0 }
  })
}

/** A person stopped it: hooks leave it at that. */
export function recordStop(state: StateStore, now: number): void {
  update<Starts>(state, KEY, () => ({ attempts: 0, stoppedAt: now }))
}

/** What the next hook would do. */
export function readOnDemandState(state: StateStore, now: number): OnDemand {
  return computeOnDemandState(state.get(KEY)?.value as Starts | undefined, now)
}

function computeOnDemandState(starts: Starts | undefined, now: number): OnDemand {
  if (starts === undefined) return { is: 'ready' }
  const { attempts, startedAt, stoppedAt } = starts
  if (stoppedAt !== undefined) return { is: 'stopped', at: stoppedAt }
  if (attempts === 0 || startedAt === undefined) return { is: 'ready' }
  const waitMs = Math.min(MAX_WAIT_MS, FIRST_WAIT_MS * 4 ** (attempts - 1))
  // A clock that was set back must not put it off for longer.
  return Math.abs(now - startedAt) >= waitMs ? { is: 'ready' } : { is: 'waiting', attempts, until: startedAt + waitMs }
}

/** What `ARC_DAEMON` says: may a daemon that runs be asked, and may one be started? */
export function parseDaemonSwitch(value: string | undefined): { readonly canAsk: boolean; readonly canStart: boolean } {
  return { canAsk: value !== 'off' && value !== 'asked', canStart: value !== 'off' && value !== 'ask' }
}
