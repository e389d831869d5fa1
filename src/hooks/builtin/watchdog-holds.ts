// The holds of each watchdog: the operations for which it is paused, and until when. Stored before the watchdog is paused,
// so that another process can resume it after a crash. A watchdog without holds is resumed.

import { isRecord } from '../../engine/plain-data.ts'
import type { StateStore } from '../../storage/ports.ts'
import { update } from '../../storage/state.ts'

/** One operation for which a watchdog is paused. */
export interface Hold {
  readonly id: string
  readonly session: string
  readonly agent: string
  /** Pairs the operation with its end. */
  readonly call: string
  /** Wall-clock milliseconds. */
  readonly since: number
  readonly until: number
}

interface PauseRecord {
  readonly holds: readonly Hold[]
  /** A process is resuming the watchdog and has until then. */
  readonly resumingUntil: number
  /** The failed attempts to resume, and the time of the next. */
  readonly tries: number
  readonly nextTryAt: number
}

const MAX_TRIES = 10
const FIRST_RETRY_MS = 1_000
const MAX_RETRY_MS = 300_000
const MAX_HOLDS = 200
// A wall clock that was set back must not prolong a pause.
const CLOCK_SLACK_MS = 60_000

/** The holds of one watchdog. */
export class WatchdogHolds {
  readonly #state: StateStore
  readonly #key: string

  constructor(state: StateStore, name: string) {
    this.#state = state
    this.#key = `watchdog/${name}`
  }

  /** Is the watchdog paused, or could it not be resumed so far? */
  get isPaused(): boolean {
    return this.#state.get(this.#key) !== undefined
  }

  /** Adds a hold. */
  add(hold: Hold): void {
    update<unknown>(this.#state, this.#key, (value) => {
      const holds = [...(readRecord(value)?.holds ?? []), hold].slice(-MAX_HOLDS)
      return { holds, resumingUntil: 0, tries: 0, nextTryAt: 0 } satisfies PauseRecord
    })
  }

  /** Removes ended and overdue holds. True when the caller, and only the caller, has to resume the watchdog. */
  release(isOver: (hold: Hold) => boolean, now: number, leaseMs: number): boolean {
    let isMine = false
    update<unknown>(this.#state, this.#key, (value) => {
      isMine = false
      const record = readRecord(value)
      if (record === undefined) return undefined
      const holds = record.holds.filter((hold) => !isOver(hold) && !isOverdue(hold, now))
      if (holds.length > 0) return holds.length < record.holds.length ? { ...record, holds } : undefined
      isMine = now >= record.resumingUntil && now >= record.nextTryAt
      return isMine ? { ...record, holds, resumingUntil: now + leaseMs } : undefined
    })
    return isMine
  }

  /** The watchdog runs again. False when somebody wanted it paused meanwhile: then it must be paused once more. */
  resumed(): boolean {
    const entry = this.#state.get(this.#key)
    const record = readRecord(entry?.value)
    if (entry === undefined || record === undefined) return true
    return record.holds.length === 0 && this.#state.remove(this.#key, entry.version)
  }

  /** Counts a failed attempt to resume. True when there will be another attempt. */
  resumeFailed(now: number): boolean {
    const after = readRecord(
      update<unknown>(this.#state, this.#key, (value) => {
        const record = readRecord(value)
        if (record === undefined || record.holds.length > 0) return undefined
        const waitMs = Math.min(MAX_RETRY_MS, FIRST_RETRY_MS * 2 ** record.tries)
        return { holds: [], resumingUntil: 0, tries: record.tries + 1, nextTryAt: now + waitMs } satisfies PauseRecord
      }),
    )
    if (after === undefined || after.holds.length > 0 || after.tries < MAX_TRIES) return true
    const entry = this.#state.get(this.#key)
    return entry === undefined || !this.#state.remove(this.#key, entry.version)
  }
}

function isOverdue({ since, until }: Hold, now: number): boolean {
  return now >= until || now < since - CLOCK_SLACK_MS
}

// An unreadable record counts as a pause without holds, so the watchdog is resumed.
function readRecord(value: unknown): PauseRecord | undefined {
  if (value === undefined) return undefined
  const { holds, resumingUntil, tries, nextTryAt } = isRecord(value) ? value : {}
  return {
    holds: Array.isArray(holds) ? holds.filter(isHold) : [],
    resumingUntil: numberOr0(resumingUntil),
    tries: numberOr0(tries),
    nextTryAt: numberOr0(nextTryAt),
  }
}

function isHold(value: unknown): value is Hold {
  if (!isRecord(value)) return false
  const { id, session, agent, call, since, until } = value
  const isTexts = [id, session, agent, call].every((text) => typeof text === 'string')
  return isTexts && Number.isFinite(since) && Number.isFinite(until)
}

function numberOr0(value: unknown): number {
  return typeof value === 'number' && Number.isFinite(value) ? value : 0
}
