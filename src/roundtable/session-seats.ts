// The sessions at a roundtable: which running session takes the turns of which agent, and what the table waits for.
// Pure: the caller stores the result, and the store decides which of two concurrent sessions was first.

import { quoteWordForShell } from '../engine/shell-quote.ts'
import { getCurrentTurn, isOpen, type Roundtable, readRoundtable, roundtableKey, type SeatSession } from './machine.ts'
import { agentKey } from './parse-request.ts'
import type { Role } from './roles.ts'

/** The result of taking a seat. */
export type SeatResult = 'taken' | 'own' | 'occupied' | 'no-seat' | 'other-seat'

/** Takes the seat of an agent for a session. A seat has one session, and a session one seat. */
export function takeSeat(
  table: Roundtable,
  wanted: SeatSession,
): { readonly table: Roundtable; readonly result: SeatResult } {
  const agent = table.agents.find((name) => agentKey(name) === agentKey(wanted.agent))
  if (agent === undefined) return { table, result: 'no-seat' }
  const sessions = table.sessions ?? []
  const held = sessions.find(({ session }) => session === wanted.session)
  if (held !== undefined) return { table, result: held.agent === agent ? 'own' : 'other-seat' }
  if (sessions.some((one) => one.agent === agent)) return { table, result: 'occupied' }
  return { table: { ...table, sessions: [...sessions, { ...wanted, agent }] }, result: 'taken' }
}

/** Frees the seat of a session that ended. */
export function leaveSeat(table: Roundtable, session: string): Roundtable {
  const { sessions = [], ...rest } = table
  const left = sessions.filter((one) => one.session !== session)
  return left.length === sessions.length ? table : ({ ...rest, sessions: left } as Roundtable)
}

/** The agent whose turns this session takes. */
export function findSeat(table: Roundtable, session: string | undefined): string | undefined {
  return table.sessions?.find((one) => one.session === session)?.agent
}

/** The session that takes the turns of an agent. */
export function findSeatSession(table: Roundtable, agent: string): SeatSession | undefined {
  return table.sessions?.find((one) => agentKey(one.agent) === agentKey(agent))
}

/** The agents without a session, in order. */
export function listFreeSeats(table: Roundtable): readonly string[] {
  return table.agents.filter((agent) => findSeatSession(table, agent) === undefined)
}

/** Where it is stored that a session joined the roundtable of another one. */
export function joinedKey(session: string): string {
  return `roundtable-joined/${session}`
}

/** The open roundtable of a session: the one that it opened, else the one that it joined. */
export function findSessionTable(
  read: (key: string) => unknown,
  session: string | undefined,
  at: number,
): { readonly key: string; readonly table: Roundtable } | undefined {
  const key = roundtableKey(session)
  const own = readRoundtable(read(key))
  if (isOpen(own, at)) return { key, table: own }
  if (session === undefined) return undefined
  const joined = read(joinedKey(session))
  if (typeof joined !== 'string') return undefined
  const table = readRoundtable(read(joined))
  return isOpen(table, at) && findSeat(table, session) !== undefined ? { key: joined, table } : undefined
}

/** What a roundtable waits for. */
export interface AwaitedStep {
  readonly what: 'turn' | 'synthesis'
  readonly agent: string
  readonly role?: Role
  readonly round: number
  /** The session that has to answer; undefined if no session has taken the seat. */
  readonly session?: SeatSession | undefined
}

/** What a roundtable waits for; nothing once it is complete. */
export function getAwaited(table: Roundtable): AwaitedStep | undefined {
  if (table.status === 'complete') return undefined
  const turn = getCurrentTurn(table)
  const agent = turn?.agent ?? chooseSynthesizer(table) ?? (table.agents.at(-1) as string)
  const session = findSeatSession(table, agent)
  if (turn === undefined) return { what: 'synthesis', agent, round: table.rounds, session }
  return { what: 'turn', ...turn, session }
}

/** The last agent in order that spoke: with three or more agents, a neutral one. */
export function chooseSynthesizer({ turns, agents }: Roundtable): string | undefined {
  return agents.findLast((agent) => turns.some((turn) => turn.agent === agent && turn.content !== ''))
}

/** The commands with which a roundtable continues whose next agent has no session. */
export function buildCommands({ id }: Pick<Roundtable, 'id'>, agent: string) {
  return {
    /** In the session of the agent, or in a terminal. */
    join: `arc roundtable join ${id} --as ${quoteWordForShell(agent)}`,
    /** Starts headless agents for all seats without a session. */
    drive: `arc roundtable --resume ${id}`,
  }
}
