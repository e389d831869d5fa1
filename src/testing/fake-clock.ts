// A clock that a test advances: timers fire only then, in the order of a real clock.
// Imports no test runner, so that any can use it.

import type { Clock } from '../engine/clock.ts'

interface Timer {
  readonly at: number
  readonly callback: () => void
}

/**
 * Time for tests.
 * @example
 * const clock = new FakeClock()
 * clock.after(5_000, () => console.log('five seconds later'))
 * clock.advance(5_000)
 */
export class FakeClock implements Clock {
  #now = 0
  #wall: number
  #soon: (() => void)[] = []
  readonly #timers = new Set<Timer>()

  /** Wall-clock time starts at `wall`; monotonic time at 0. */
  constructor({ wall = Date.UTC(2025, 0, 1) } = {}) {
    this.#wall = wall
  }

  now(): number {
    return this.#now
  }

  wall(): number {
    return this.#wall
  }

  after(ms: number, callback: () => void): () => void {
    const timer = { at: this.#now + Math.max(0, ms), callback }
    this.#timers.add(timer)
    return () => void this.#timers.delete(timer)
  }

  soon(callback: () => void): void {
    this.#soon.push(callback)
  }

  /** How many timers are set and have neither run nor been undone. */
  get timers(): number {
    return this.#timers.size
  }

  /**
   * Moves both times on by `ms` and calls back whatever falls due on the way, each at its own time: first what was
   * asked for soon, then timers by time, equal times in the order in which they were set.
   */
  advance(ms: number): void {
    const end = this.#now + ms
    this.#runSoon()
    for (let timer = this.#nextTimer(end); timer !== undefined; timer = this.#nextTimer(end)) {
      this.#moveTo(timer.at)
      this.#timers.delete(timer)
      timer.callback()
      this.#runSoon()
    }
    this.#moveTo(end)
  }

  /** Runs promise callbacks and `soon` callbacks until none is left. The time does not change. */
  async settle(): Promise<void> {
    do {
      this.#runSoon()
      await new Promise((resolve) => setImmediate(resolve))
    } while (this.#soon.length > 0)
  }

  /** Sets the wall clock, as a person or a time server does. Monotonic time and timers do not notice. */
  setWall(ms: number): void {
    this.#wall = ms
  }

  #runSoon(): void {
    while (this.#soon.length > 0) {
      const due = this.#soon
      this.#soon = []
      for (const callback of due) callback()
    }
  }

  #nextTimer(end: number): Timer | undefined {
    let next: Timer | undefined
    for (const timer of this.#timers) {
      if (timer.at <= end && (next === undefined || timer.at < next.at)) next = timer
    }
    return next
  }

  // Never back: a callback may have advanced the clock.
  #moveTo(time: number): void {
    const passed = time - this.#now
    if (passed <= 0) return
    this.#now += passed
    this.#wall += passed
  }
}
