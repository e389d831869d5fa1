// Counts actions and hook runs. Both stores count by this and nothing else. Memory does not grow with the number of records:
// durations are counted by their first three digits.

import type { HookStatistics, TraceStatistics } from '../storage/ports.ts'

/** What of a record counts. */
export interface StatisticsRow {
  readonly kind: string
  readonly action: string
  readonly hook: string | null
  readonly time: number
  /** Of an evaluation. */
  readonly durationMs: number | null
  /** A step after a tool call, whose first step is on record. */
  readonly isSecond: boolean
}

const QUARTER_MS = 15 * 60_000

export class StatisticsCounter {
  readonly #quarters = new Map<number, number>()
  readonly #hooks = new Map<string, HookCounter>()

  add({ kind, action, hook, time, durationMs, isSecond }: StatisticsRow): void {
    if (kind === 'step' && !isSecond) {
      const at = time - (time % QUARTER_MS)
      this.#quarters.set(at, (this.#quarters.get(at) ?? 0) + 1)
    }
    if (kind !== 'evaluation' || hook === null || action === 'hook:skip') return
    let counter = this.#hooks.get(hook)
    if (counter === undefined) {
      counter = new HookCounter()
      this.#hooks.set(hook, counter)
    }
    counter.add(durationMs ?? 0, action === 'hook:error')
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
  // By duration.
  readonly #durations = new Map<number, number>()

  add(durationMs: number, isError: boolean): void {
    this.#runs += 1
    if (isError) this.#errors += 1
    const rounded = Number(durationMs.toPrecision(3))
    this.#durations.set(rounded, (this.#durations.get(rounded) ?? 0) + 1)
  }

  result(name: string): HookStatistics {
    let before = Math.ceil(this.#runs * SHARE) - 1
    let p95Ms = 0
    for (const [duration, count] of [...this.#durations].sort(([a], [b]) => a - b)) {
      p95Ms = duration
      before -= count
      if (before < 0) break
    }
    return { name, runs: this.#runs, errors: this.#errors, p95Ms }
  }
}
