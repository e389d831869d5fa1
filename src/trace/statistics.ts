// Counts actions and hook runs. Both stores count by this and nothing else. Memory does not grow with the number of records:
// durations are counted by their first two digits.

import type { HookStatistics, TraceStatistics } from '../storage/ports.ts'

/** The time of actions is counted by this unit. */
export const QUARTER_MS = 15 * 60_000

/** Runs of a hook with about the same duration. */
export interface HookRuns {
  readonly hook: string
  readonly isError: boolean
  /** Rounded by `roundDuration`. */
  readonly micros: number
  readonly count: number
}

/** The units that durations in microseconds are rounded to, each below a limit; longer ones to the last unit. */
export const DURATION_UNITS: readonly { readonly below: number; readonly unit: number }[] = [1, 2, 3, 4, 5, 6, 7].map(
  (power) => ({ below: 10 ** (power + 1), unit: 10 ** (power - 1) }),
)

/** A duration in microseconds, rounded to two digits. */
export function roundDuration(durationMs: number): number {
  const micros = Math.round(durationMs * 1_000)
  const { unit } = DURATION_UNITS.find(({ below }) => micros < below) ?? { unit: LAST_UNIT }
  return Math.floor((micros + Math.floor(unit / 2)) / unit) * unit
}

export const LAST_UNIT = 10 ** 7

export class StatisticsCounter {
  readonly #quarters = new Map<number, number>()
  readonly #hooks = new Map<string, HookCounter>()

  /** Adds actions by the start of their quarter of an hour. */
  addActions(at: number, count: number): void {
    this.#quarters.set(at, (this.#quarters.get(at) ?? 0) + count)
  }

  addRuns({ hook, ...runs }: HookRuns): void {
    const counter = this.#hooks.get(hook) ?? new HookCounter()
    this.#hooks.set(hook, counter)
    counter.add(runs)
  }

  result(): TraceStatistics {
    const quarters = [...this.#quarters].sort(([a], [b]) => a - b).map(([at, actions]) => ({ at, actions }))
    const actions = quarters.reduce((sum, quarter) => sum + quarter.actions, 0)
    const hooks = [...this.#hooks].map(([name, counter]) => counter.result(name))
    return { actions, quarters, hooks: hooks.sort((a, b) => (a.name < b.name ? -1 : 1)) }
  }
}

const SHARE = 0.95

class HookCounter {
  #runs = 0
  #errors = 0
  // By microseconds.
  readonly #durations = new Map<number, number>()

  add({ isError, micros, count }: Omit<HookRuns, 'hook'>): void {
    this.#runs += count
    if (isError) this.#errors += count
    this.#durations.set(micros, (this.#durations.get(micros) ?? 0) + count)
  }

  result(name: string): HookStatistics {
    let before = Math.ceil(this.#runs * SHARE) - 1
    let p95 = 0
    for (const [micros, count] of [...this.#durations].sort(([a], [b]) => a - b)) {
      p95 = micros
      before -= count
      if (before < 0) break
    }
    return { name, runs: this.#runs, errors: this.#errors, p95Ms: p95 / 1_000 }
  }
}
