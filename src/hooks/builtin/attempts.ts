// How often something was tried, in a session and in one of its turns. Kept by the store, so that it survives the
// process that tried.

import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'

/** How often, in the turn and in the whole session. */
export interface Attempts {
  /** Undefined where the host does not number its turns. */
  readonly turn: number | undefined
  readonly session: number
}

/** Of what attempts are counted, and where. */
export interface AttemptScope {
  /** What counts; one thing counted by two must be counted apart. */
  readonly kind: string
  readonly session: string
  readonly turn?: string | undefined
}

/** Counts one more attempt and gives the numbers with it. */
export function countAttempt(state: StateStore, { kind, session, turn }: AttemptScope): Attempts {
  const add = (count: number | undefined): number => (count ?? 0) + 1
  const inSession = update(state, sessionKey(kind, session), add, SESSION_TTL_MS) ?? 0
  const inTurn = turn === undefined ? undefined : update(state, turnKey(kind, session, turn), add, SESSION_TTL_MS)
  return { turn: inTurn, session: inSession }
}

/** The numbers so far. */
export function readAttempts(state: StateStore, { kind, session, turn }: AttemptScope): Attempts {
  const inTurn = turn === undefined ? undefined : readCount(state, turnKey(kind, session, turn))
  return { turn: inTurn, session: readCount(state, sessionKey(kind, session)) }
}

function sessionKey(kind: string, session: string): string {
  return `${kind}:${JSON.stringify([session])}`
}

function readCount(state: StateStore, key: string): number {
  const count = state.get(key)?.value
  return typeof count === 'number' ? count : 0
}
