// The moves of the driver of a roundtable: request a turn, complete it, complete the synthesis, end the roundtable. The hook
// in the pipeline may have recorded a turn before; the driver decides. Pure.

import { clip } from '../engine/errors.ts'
import {
  appendTurn,
  type Contribution,
  type Ended,
  getCurrentTurn,
  MAX_CONTENT,
  type Roundtable,
  type Synthesis,
  type TableDriver,
  type TurnCourse,
} from './machine.ts'

/** A moment, and how long the roundtable stays open after it without a turn. */
export interface Moment {
  readonly at: number
  readonly idleMs: number
}

/** A table that somebody drives. */
export function assignDriver(table: Roundtable, driver: TableDriver): Roundtable {
  return { ...table, driver }
}

/** The agent whose turn it is, or who is to sum up, has been asked. */
export function markRequested(table: Roundtable, { at, idleMs }: Moment): Roundtable {
  return { ...table, askedAt: at, expiresAt: at + idleMs }
}

/** What a turn came to. */
export interface TurnResult {
  /** What was said; nothing when the turn was given up. */
  readonly content: string
  readonly course: TurnCourse
}

/** Settles a turn by its place, counted from 0; whatever the hook made of it before is replaced. */
export function completeTurn(
  table: Roundtable,
  place: number,
  { content, course }: TurnResult,
  when: Moment,
): Roundtable {
  const expiresAt = when.at + when.idleMs
  const heard = table.turns[place]
  const said = { content: clip(content, MAX_CONTENT), via: 'response' as const, course }
  if (heard !== undefined) {
    const { askedAt: _, ...rest } = table
    return { ...rest, turns: table.turns.with(place, { ...heard, ...said }), expiresAt } as Roundtable
  }
  const turn = getCurrentTurn(table)
  if (turn === undefined || table.turns.length !== place) return table
  return appendTurn(table, { agent: turn.agent, round: turn.round, ...said }, expiresAt)
}

/** The end of a discussion: what it came to, by whom. */
export function completeSynthesis(
  table: Roundtable,
  { agent, content, course, findings }: TurnResult & { readonly agent: string; readonly findings: Synthesis },
  when: Moment,
): Roundtable {
  if (table.status === 'active') return table
  const { askedAt: _, ...rest } = table
  const said = { content: clip(content, MAX_CONTENT), via: 'response' as const, course }
  const synthesis: Contribution = { agent, round: table.rounds, ...said }
  const ended: Ended = { at: when.at, why: 'complete' }
  return { ...rest, status: 'complete', synthesis, findings, ended, expiresAt: when.at }
}

/** The driver leaves a roundtable. The running sessions at it continue; without one it is interrupted. */
export function release(table: Roundtable, { at, idleMs }: Moment): Roundtable {
  if (table.status === 'complete' || (table.sessions ?? []).length === 0) return interrupt(table, at)
  const { askedAt: _, driver: _driver, ...rest } = table
  return { ...rest, expiresAt: at + idleMs } as Roundtable
}

/** Removes the driver of a roundtable, at any stage. A complete roundtable stays complete. */
export function interrupt(table: Roundtable, at: number): Roundtable {
  if (table.status === 'complete') return table
  const { askedAt: _, ...rest } = table
  return { ...rest, ended: { at, why: 'interrupted' }, expiresAt: at } as Roundtable
}
