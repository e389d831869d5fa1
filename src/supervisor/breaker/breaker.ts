// The circuit breaker: after several failures of hooks in a row, advise and enforce act as log until hooks work again.
// One breaker keeps its state in memory, the other in the store that many short-lived processes share.

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
  /** Called each time the breaker opens. */
  readonly onTrip?: () => void
  /** Monotonic milliseconds; `performance.now` by default. */
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

  /** The number of failures in a row. */
  get failures(): number {
    return this.#state.failures
  }

  recordFailure(): void {
    this.#move('failure')
  }

  recordSuccess(): void {
    this.#move('success')
  }

  /** The effective mode of a configured mode: at most `log` while the breaker is open. */
  effectiveMode(mode: ModeInput): Mode {
    return lowerMode(readMode(mode, 'The mode'), getMaxMode(this.#move('look')))
  }

  reset(): void {
    this.#move('reset')
  }

  #move(event: BreakerEvent): BreakerState {
    // The cool-down first: a failure right after it opens the breaker again.
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

/** The runs of one step: the number of failures, and whether the step counts as a success. */
export interface StepResult extends Partial<StepRuns> {
  readonly failures: number
  readonly isSuccess: boolean
}

/** Counts failures of steps. */
export interface FailureCounter {
  record(step: StepResult): void
}

export interface DurableBreakerOptions extends Partial<BreakerSettings> {
  readonly profile: string
  readonly onTrip?: (() => void) | undefined
}

// A step asks once per hook; the state is read once per step.
const CACHE_MS = 5

/**
 * The breaker of a profile, shared by all processes. Its state is in the store, its changes are in the log.
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

  /** The highest mode that is currently allowed. */
  maxMode(): Mode {
    return getMaxMode(this.#readCached()?.state ?? this.#move(['look']))
  }

  record({ failures, isSuccess, failed = [], worked = [] }: StepResult): void {
    const runs = { failed, worked }
    if (failures > 0) return void this.#move(Array<BreakerEvent>(failures).fill('failure'), runs)
    // Closed and without failures a moment ago: a success changes nothing.
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

  /** Closes the breaker. */
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

  // The state if it was read a moment ago.
  #readCached() {
    const seen = this.#cached
    return seen !== undefined && this.#services.clock.now() - seen.at < CACHE_MS ? seen : undefined
  }

  // Only changes are written: a success without earlier failures costs one read.
  #move(events: readonly BreakerEvent[], runs?: StepRuns): BreakerState {
    const { state: store, clock } = this.#services
    const isReset = events.includes('reset')
    let path: BreakerState[] = []
    let counts = NO_FAILURES
    update<unknown>(store, `breaker:${this.#profile}`, (stored) => {
      const before = readStored(stored)
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

  // Failures in a row of one hook open the breaker as well.
  #applyCounts(state: BreakerState, counts: FailureCounts, runs: StepRuns | undefined): BreakerState {
    const { failureThreshold } = this.#settings
    if (state.status !== 'closed' || !hasReached(counts, runs?.failed ?? [], failureThreshold)) return state
    const failures = Math.max(state.failures, failureThreshold)
    return { status: 'open', failures, openedAt: this.#services.clock.wall() }
  }

  // The cool-down and the event are two changes, each with its own line in the log.
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
  open: { level: 'error', message: 'too many failures of hooks in a row: advise and enforce act as log for now' },
  'half-open': { level: 'warn', message: 'the cool-down is over: the next run of a hook decides' },
  close: { level: 'info', message: 'hooks work again: the configured modes apply' },
  reset: { level: 'info', message: 'reset by the user: the configured modes apply' },
} as const

/**
 * Passes the evaluations of one step to a breaker. Each failed run counts, for the breaker and for its hook. A step is a
 * success only if no hook failed and at least one hook that can fail did run.
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

// The gate is critical because of its rules, but its reviewer can fail: this key says whether the reviewer was asked.
const FLAKY_PART = 'gateReviewed'

function isSpotless({ status, failures }: BreakerState): boolean {
  return status === 'closed' && failures === 0
}

function readStored(stored: unknown): { readonly state: BreakerState; readonly counts: FailureCounts } {
  if (!isRecord(stored)) return { state: CLOSED, counts: NO_FAILURES }
  const { hooks, ...state } = stored
  return { state: readState(state), counts: readFailureCounts(hooks) }
}
