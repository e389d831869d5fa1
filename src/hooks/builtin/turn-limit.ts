// How often a hook may make one turn continue. Counted in the state of the turn, so that the limit holds over processes;
// then the turn is released and marked as `capped`.

import type { VerdictObject } from '../../engine/verdict.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, update } from '../../storage/state.ts'

/** A turn whose continues are counted. */
export interface LimitedTurn<Stored extends object> {
  readonly state: StateStore
  /** The key of the turn in the state; undefined where the host names no session. */
  readonly key: string | undefined
  /** The state of a turn that has none. */
  readonly initial: Stored
  /** How often a hook has continued this turn, as the host counts. */
  readonly continues: number
  readonly max: number
}

/** Counts an objection that makes the turn continue. Once there were `max`, returns the verdict that releases the turn. */
export function limitContinues<Stored extends object>(
  { state, key, initial, continues, max }: LimitedTurn<Stored>,
  objection: string,
): VerdictObject | undefined {
  const stored = key === undefined ? undefined : (state.get(key)?.value as Counted | undefined)
  const before = Math.max(stored?.continues ?? 0, continues)
  if (before >= max) {
    const reason = `released after ${before} blocks in this turn; the last objection was: ${objection}`
    return { decision: 'flag', reason, metadata: { capped: true } }
  }
  if (key !== undefined) {
    const count = (turn: object | undefined): object => ({ ...(turn ?? initial), continues: before + 1 })
    update<object>(state, key, count, SESSION_TTL_MS)
  }
  return undefined
}

interface Counted {
  readonly continues?: number
}
