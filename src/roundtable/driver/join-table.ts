// A running session takes a seat at a roundtable. The state store decides which of two concurrent sessions was first.

import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, update } from '../../storage/state.ts'
import { isOpen, type Roundtable, readRoundtable, roundtableKey, type SeatSession } from '../machine.ts'
import { findSessionTable, joinedKey, type SeatResult, takeSeat } from '../session-seats.ts'

/** Why a session cannot join beside the seat itself: the roundtable is over or driven, or the session has another one. */
export type JoinResult = SeatResult | 'over' | 'driven' | 'other-table'

/** Takes a seat for a session. */
export function joinTable(state: StateStore, table: { readonly session: string }, wanted: SeatSession): JoinResult {
  const key = roundtableKey(table.session)
  const current = findSessionTable((at) => state.get(at)?.value, wanted.session, wanted.at)
  if (current !== undefined && current.key !== key) return 'other-table'
  let result: JoinResult = 'over'
  const take = (there: unknown): unknown => {
    const taken = tryTake(there, wanted)
    result = taken.result
    return taken.table
  }
  update<unknown>(state, key, take, SESSION_TTL_MS)
  // Stored after the seat: a session that only has this entry has no seat.
  if ((result as JoinResult) === 'taken') update<unknown>(state, joinedKey(wanted.session), () => key, SESSION_TTL_MS)
  return result
}

function tryTake(
  there: unknown,
  wanted: SeatSession,
): { readonly result: JoinResult; readonly table?: Roundtable | undefined } {
  const found = readRoundtable(there)
  if (!isOpen(found, wanted.at)) return { result: 'over' }
  if (found.driver !== undefined) return { result: 'driven' }
  const { table, result } = takeSeat(found, wanted)
  return result === 'taken' ? { result, table } : { result }
}
