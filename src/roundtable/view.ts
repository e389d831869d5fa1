// A table as programs and people look at it: every turn with its role and how it went, who speaks now, what it came to.

import type { Contribution, Roundtable, SpeechChannel, TableDriver, TurnOutcome } from './machine.ts'
import { getCurrentTurn } from './machine.ts'
import { type Role, roleAt } from './roles.ts'
import { buildUserNote } from './session-prompts.ts'
import { buildCommands, findSeatSession, getAwaited } from './session-seats.ts'

/** The state of a roundtable. `interrupted`: its driver stopped. `deserted`: no turn for too long. */
export type TableStatus = Roundtable['status'] | 'interrupted' | 'deserted'

/** What the time of looking adds. */
export interface ViewContext {
  /** Wall-clock milliseconds. */
  readonly at: number
  /** Is the process that drives a table still there? */
  readonly isRunning: (driver: TableDriver) => boolean
}

export type TableView = ReturnType<typeof viewTable>

/** A table of a session, as it is now. */
export function viewTable(session: string, table: Roundtable, look: ViewContext) {
  const { id, topic, agents, rounds, asides, asideCount, driver, ended, startedAt, expiresAt, askedAt } = table
  const status = readStatus(table, look)
  const isGoing = status === 'active' || status === 'synthesizing'
  const endedAt = ended?.at ?? null
  return {
    id,
    session,
    topic,
    agents,
    rounds,
    status,
    startedAt,
    endedAt,
    /** When it counts as deserted unless somebody speaks. */
    expiresAt,
    /** Until its end, or until now while it is active; null if the end is unknown. */
    durationMs: endedAt !== null ? endedAt - startedAt : isGoing ? Math.max(0, look.at - startedAt) : null,
    profile: driver?.profile ?? null,
    isDriven: driver !== undefined,
    seats: agents.map((agent, place) => viewSeat(table, agent, roleAt(place))),
    turns: table.turns.map((turn, at) => viewTurn(turn, roleAt(at % agents.length))),
    speaking: isGoing ? viewSpeaker(table, askedAt) : null,
    awaited: isGoing && driver === undefined ? viewAwaited(table) : null,
    asides: asides.map(({ agent, round, content, via }) => ({ agent, round, content, via: viewChannel(via) })),
    asideCount,
    synthesis: viewSynthesis(table),
  }
}

function viewSeat(table: Roundtable, agent: string, role: Role) {
  const taken = findSeatSession(table, agent)
  return { agent, role, session: taken?.session ?? null, host: taken?.host ?? null }
}

// What a roundtable without a driver waits for, and how it continues.
function viewAwaited(table: Roundtable) {
  const awaited = getAwaited(table)
  if (awaited === undefined) return null
  const { what, agent, role = null, round, session } = awaited
  const { join, drive } = buildCommands(table, agent)
  const isTaken = session !== undefined
  const facts = { what, agent, role, round, session: session?.session ?? null, host: session?.host ?? null }
  return { ...facts, join: isTaken ? null : join, drive: isTaken ? null : drive, note: buildUserNote(table) }
}

// The end of a turn is a response, too.
function viewChannel(via: SpeechChannel): 'message' | 'response' {
  return via === 'message' ? 'message' : 'response'
}

function viewTurn({ agent, round, content, via, course }: Contribution, role: Role) {
  const outcome: TurnOutcome = course?.outcome ?? (content === '' ? 'silent' : 'spoken')
  return {
    agent,
    round,
    role,
    outcome,
    content,
    via: viewChannel(via),
    reason: course?.reason ?? null,
    startedAt: course?.startedAt ?? null,
    durationMs: course?.durationMs ?? null,
    traceId: course?.traceId ?? null,
  }
}

function viewSpeaker(table: Roundtable, askedAt: number | undefined) {
  const turn = getCurrentTurn(table)
  return turn === undefined ? null : { ...turn, since: askedAt ?? null }
}

// A roundtable without a driver has a synthesis in words only: its consensus is unknown.
function viewSynthesis(table: Roundtable) {
  if (table.status !== 'complete') return undefined
  const { synthesis, findings } = table
  const { agent, round, content, via, course } = synthesis
  const said = findings ?? { consensus: null, summary: content, keyPoints: [], isFallback: true }
  return {
    agent: agent === '' ? null : agent,
    ...{ round, content, via: viewChannel(via), ...said },
    reason: course?.reason ?? null,
    durationMs: course?.durationMs ?? null,
  }
}

function readStatus(table: Roundtable, { at, isRunning }: ViewContext): TableStatus {
  const { status, ended, driver, expiresAt } = table
  if (status === 'complete') return status
  if (ended !== undefined || (driver !== undefined && !isRunning(driver))) return 'interrupted'
  return at < expiresAt ? status : 'deserted'
}
