// The circuit breaker: when hooks fail again and again, advise and enforce act as log until they work again.
// Two holders of the state that breaker-machine.ts moves: in memory, and in the store for many short-lived processes.

import type { Clock } from '../../engine/clock.ts'
import { ArcError, rejectUnknownOptions, show } from '../../engine/errors.ts'
import { lowerMode, type Mode, type ModeInput, readMode } from '../../engine/mode.ts'
import type { Evaluation } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { SupervisionServices } from '../../hooks/builtin/services.ts'
import { update } from '../../storage/state.ts'
import {
  countRuns,
  type FailureCounts,
  hasReached,
  NO_FAILURES,
  readFailureCounts,
  type StepRuns,
} from './failure-counts.ts'
import {
  type BreakerEvent,
  type BreakerSettings,
  type BreakerState,
  CLOSED,
  getMaxMode,
  nextState,
  readSettings,
  readState,
} from './state-machine.ts'

export interface CircuitBreakerOptions extends Partial<BreakerSettings> {
  /** Called each time it opens. */
  readonly onTrip?: () => void
  /** Monotonic milliseconds; those of the process unless given. */
  readonly clock?: Pick<Clock, 'now'>
}

/**
 * A breaker for one process.
 * @example
 * const breaker = new CircuitBreaker({ failureThreshold: 3, cooldownMs: 60_000, onTrip: () => alert('tripped') })
 * const engine = createEngine({ mode: 'enforce', maxMode: () => breaker.effectiveMode('enforce') })
 */
export class CircuitBreaker {
  readonly #settings: BreakerSettings
  readonly #onTrip: (() => void) | undefined
  readonly #now: () => number
  #state: BreakerState = CLOSED

  constructor(options: CircuitBreakerOptions = {}) {
    rejectUnknownOptions(options, ['failureThreshold', 'cooldownMs', 'onTrip', 'clock'], 'CircuitBreaker')
    const { onTrip, clock } = options
    if (onTrip !== undefined && typeof onTrip !== 'function') {
      throw new ArcError('ARC_OPTION_INVALID', `onTrip of CircuitBreaker must be a function, not ${show(onTrip)}.`)
    }
    this.#settings = readSettings(options)
    this.#onTrip = onTrip
    this.#now = clock === undefined ? () => performance.now() : () => clock.now()
  }

  get state(): BreakerState['status'] {
    return this.#move('look').status
  }

  /** How many failures there were in a row. */
  get failures(): number {
    return this.#state.failures
  }

  recordFailure(): void {
    this.#move('failure')
  }

  recordSuccess(): void {
    this.#move('success')
  }

  /** The mode in force for one that is configured: while the breaker is open, `log` at most. */
  effectiveMode(mode: ModeInput): Mode {
    return lowerMode(readMode(mode, 'The mode'), getMaxMode(this.#move('look')))
  }

  reset(): void {
    this.#move('reset')
  }

  #move(event: BreakerEvent): BreakerState {
    // What time did comes first: a failure right after the cool-down opens it anew.
    const now = this.#now()
    const before = event === 'reset' ? this.#state : nextState(this.#state, 'look', now, this.#settings)
    this.#state = nextState(before, event, now, this.#settings)
    if (before.status !== 'open' && this.#state.status === 'open') this.#onTrip?.()
    return this.#state
  }
}

/** What `arc breaker status` shows; times are wall-clock milliseconds. */
export interface BreakerStatus {
  readonly state: BreakerState['status']
  readonly failures: number
  readonly threshold: number
  readonly openedAt: number | undefined
  readonly halfOpenAt: number | undefined
}

/** One step's runs: so many failed, whether it counts as a success, and which of its hooks did what. */
export interface StepResult extends Partial<StepRuns> {
  readonly failures: number
  readonly isSuccess: boolean
}

/** What a feed tells of: anything that counts failures. */
export interface FailureCounter {
  record(step: StepResult): void
}

export interface DurableBreakerOptions extends Partial<BreakerSettings> {
  readonly profile: string
  readonly onTrip?: (() => void) | undefined
}

// A step asks once for each of its hooks; within a step nothing is read twice.
const CACHE_MS = 5

/**
 * The breaker of a profile, shared by all processes. Its state is kept by the store, its changes are in the log.
 * @example
 * const breaker = new DurableBreaker({ profile: 'default' }, services)
 * const engine = createEngine({ maxMode: () => breaker.maxMode() })
 */
export class DurableBreaker implements FailureCounter {
  readonly #settings: BreakerSettings
  readonly #services: Pick<SupervisionServices, 'state' | 'clock' | 'record'>
  readonly #profile: string
  readonly #onTrip: (() => void) | undefined
  #cached: { readonly state: BreakerState; readonly counts: FailureCounts; readonly at: number } | undefined

  constructor(options: DurableBreakerOptions, services: Pick<SupervisionServices, 'state' | 'clock' | 'record'>) {
    this.#settings = readSettings(options)
    this.#services = services
    this.#profile = options.profile
    this.#onTrip = options.onTrip
  }

  /** The highest mode allowed at present. */
  maxMode(): Mode {
    return getMaxMode(this.#readCached()?.state ?? this.#move(['look']))
  }

  record({ failures, isSuccess, failed = [], worked = [] }: StepResult): void {
    const runs = { failed, worked }
    if (failures > 0) return void this.#move(Array<BreakerEvent>(failures).fill('failure'), runs)
    // All is well and was a moment ago: there is nothing that a success could change.
    const seen = this.#readCached()
    if (seen !== undefined && isSpotless(seen.state) && seen.counts === NO_FAILURES) return
    if (isSuccess || worked.length > 0) this.#move([isSuccess ? 'success' : 'look'], runs)
  }

  recordFailure(): void {
    this.#move(['failure'])
  }

  recordSuccess(): void {
    this.#move(['success'])
  }

  /** Closes it by hand. */
  reset(): void {
    this.#move(['reset'])
  }

  status(): BreakerStatus {
    const { failureThreshold: threshold, cooldownMs } = this.#settings
    const state = this.#move(['look'])
    const openedAt = state.status === 'closed' ? undefined : state.openedAt
    const halfOpenAt = openedAt === undefined ? undefined : openedAt + cooldownMs
    return { state: state.status, failures: state.failures, threshold, openedAt, halfOpenAt }
  }

  // What was read a moment ago.
  #readCached() {
    const seen = this.#cached
    return seen !== undefined && this.#services.clock.now() - seen.at < CACHE_MS ? seen : undefined
  }

  // Only a change is written: a success while all is well costs a read.
  #move(events: readonly BreakerEvent[], runs?: StepRuns): BreakerState {
    const { state: store, clock } = this.#services
    const isReset = events.includes('reset')
    let path: BreakerState[] = []
    let counts = NO_FAILURES
    update<unknown>(store, `breaker:${this.#profile}`, (kept) => {
      const before = readStored(kept)
      counts = isReset ? NO_FAILURES : countRuns(before.counts, runs, this.#settings.failureThreshold)
      path = [before.state]
      for (const event of events) path.push(...this.#steps(path.at(-1) ?? CLOSED, event, clock.wall()))
      path.push(this.#applyCounts(path.at(-1) ?? CLOSED, counts, runs))
      const after = path.at(-1) ?? CLOSED
      if (after === before.state && counts === before.counts) return undefined
      return counts === NO_FAILURES ? after : { ...after, hooks: counts }
    })
    const after = path.at(-1) ?? CLOSED
    this.#cached = { state: after, counts, at: clock.now() }
    this.#logTransitions(path, isReset)
    return after
  }

  // One hook's own failures in a row open it as well.
  #applyCounts(state: BreakerState, counts: FailureCounts, runs: StepRuns | undefined): BreakerState {
    const { failureThreshold } = this.#settings
    if (state.status !== 'closed' || !hasReached(counts, runs?.failed ?? [], failureThreshold)) return state
    const failures = Math.max(state.failures, failureThreshold)
    return { status: 'open', failures, openedAt: this.#services.clock.wall() }
  }

  // What time does and what the event does are two changes, each with its own line in the log.
  #steps(state: BreakerState, event: BreakerEvent, nowMs: number): BreakerState[] {
    const looked = nextState(state, 'look', nowMs, this.#settings)
    return [looked, nextState(event === 'reset' ? state : looked, event, nowMs, this.#settings)]
  }

  #logTransitions(path: readonly BreakerState[], isReset: boolean): void {
    for (const [at, state] of path.entries()) {
      const before = path[at - 1]
      if (before === undefined || before === state) continue
      if (isReset) this.#log('reset', state)
      else if (before.status !== state.status) this.#log(ACTIONS[state.status], state)
    }
  }

  #log(action: keyof typeof LINES, { failures }: BreakerState): void {
    const { level, message } = LINES[action]
    const data = { profile: this.#profile, failures, ...this.#settings }
    this.#services.record({ component: 'breaker', action: `breaker:${action}`, level, message, data })
    if (action === 'open') this.#onTrip?.()
  }
}

const ACTIONS = { open: 'open', 'half-open': 'half-open', closed: 'close' } as const

const LINES = {
  open: { level: 'error', message: 'hooks failed too often in a row: advise and enforce act as log for now' },
  'half-open': { level: 'warn', message: 'the cool-down is over: the next run of a hook decides' },
  close: { level: 'info', message: 'hooks work again: they act as configured' },
  reset: { level: 'info', message: 'closed by hand: hooks act as configured' },
} as const

/**
 * Tells a breaker of one step's evaluations. Every failed run counts, in the row of the breaker and in that of its hook.
 * A step is a success only when none failed and something that can fail really ran: what always succeeds says nothing
 * about what is flaky.
 * @example
 * const feed = breakerFeed(breaker, { isCritical: (hook) => critical.has(hook) })
 * feed(evaluationsOfOneStep)
 */
export function breakerFeed(
  breaker: FailureCounter,
  { isCritical }: { readonly isCritical: (hook: string) => boolean },
): (evaluations: readonly Evaluation[]) => void {
  return (evaluations) => {
    const failed: string[] = []
    const worked: string[] = []
    let isFlaky = false
    for (const { hook, point, skipped, cause, metadata } of evaluations) {
      if (skipped !== undefined) continue
      const reviewed = metadata?.[FLAKY_PART]
      if (cause !== 'policy') failed.push(`${hook} ${point}`)
      else if (reviewed !== false) worked.push(`${hook} ${point}`)
      isFlaky ||= reviewed === true || (reviewed !== false && !isCritical(hook))
    }
    const failures = failed.length
    const isSuccess = failures === 0 && isFlaky
    if (failures > 0 || worked.length > 0) breaker.record({ failures, isSuccess, failed, worked })
  }
}

// The gate is critical for its rules, but its reviewer can fail: it says whether that one was really asked.
const FLAKY_PART = 'gateReviewed'

function isSpotless({ status, failures }: BreakerState): boolean {
  return status === 'closed' && failures === 0
}

function readStored(kept: unknown): { readonly state: BreakerState; readonly counts: FailureCounts } {
  if (!isRecord(kept)) return { state: CLOSED, counts: NO_FAILURES }
  const { hooks, ...state } = kept
  return { state: readState(state), counts: readFailureCounts(hooks) }
}
