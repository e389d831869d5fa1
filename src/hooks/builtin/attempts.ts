// Counters of attempts, per session and per turn. Stored in the state, so that they outlive the process.

import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, turnKey, update } from '../../storage/state.ts'

/** The attempts in the turn and in the session. */
export interface Attempts {
  /** Undefined where the host has no turn ids. */
  readonly turn: number | undefined
  readonly session: number
}

/** What is counted, in which session and turn. */
export interface AttemptScope {
  /** The name of the counter; two hooks that count the same event need two names. */
  readonly kind: string
  readonly session: string
  readonly turn?: string | undefined
}

/** Counts one attempt and returns the new counts. */
export function countAttempt(state: StateStore, { kind, session, turn }: AttemptScope): Attempts {
  const add = (count: number | undefined): number => (count ?? 0) + 1
  const inSession = update(state, sessionKey(kind, session), add, SESSION_TTL_MS) ?? 0
  const inTurn = turn === undefined ? undefined : update(state, turnKey(kind, session, turn), add, SESSION_TTL_MS)
  return { turn: inTurn, session: inSession }
}

/** The current counts. */
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
