// A table as programs and people look at it: every turn with its role and how it went, who speaks now, what it came to.

import type { Contribution, Driver, Roundtable, TurnOutcome } from './machine.ts'
import { turnOf } from './machine.ts'
import { type Role, roleAt } from './roles.ts'

/** How far a table is. `interrupted`: whoever drove it stopped. `deserted`: nobody took a turn for too long. */
export type TableStatus = Roundtable['status'] | 'interrupted' | 'deserted'

/** What the time of looking adds. */
export interface Look {
  /** Wall-clock milliseconds. */
  readonly at: number
  /** Is the process that drives a table still there? */
  readonly isRunning: (driver: Driver) => boolean
}

export type TableView = ReturnType<typeof viewTable>

/** A table of a session, as it is now. */
export function viewTable(session: string, table: Roundtable, look: Look) {
  const { id, topic, agents, rounds, asides, asideCount, driver, ended, askedAt } = table
  const status = statusOf(table, look)
  const isGoing = status === 'active' || status === 'synthesizing'
  const endedAt = ended?.at ?? null
  return {
    id,
    session,
    topic,
    agents,
    rounds,
    status,
    startedAt: timeOf(table.startedAt),
    endedAt: endedAt === null ? null : timeOf(endedAt),
    /** Until its end, or until now while it goes on; null when nobody knows the end. */
    durationMs: endedAt !== null ? endedAt - table.startedAt : isGoing ? Math.max(0, look.at - table.startedAt) : null,
    profile: driver?.profile ?? null,
    isDriven: driver !== undefined,
    seats: agents.map((agent, place) => ({ agent, role: roleAt(place) })),
    turns: table.turns.map((turn, at) => viewTurn(turn, roleAt(at % agents.length))),
    speaking: isGoing ? speakerOf(table, askedAt) : null,
    asides: asides.map(({ agent, round, content }) => ({ agent, round, content })),
    asideCount,
    synthesis: synthesisOf(table),
  }
}

function viewTurn({ agent, round, content, course }: Contribution, role: Role) {
  const outcome: TurnOutcome = course?.outcome ?? (content === '' ? 'silent' : 'spoken')
  return {
    agent,
    round,
    role,
    outcome,
    content,
    reason: course?.reason ?? null,
    startedAt: course === undefined ? null : timeOf(course.startedAt),
    durationMs: course?.durationMs ?? null,
    traceId: course?.traceId ?? null,
  }
}

function speakerOf(table: Roundtable, askedAt: number | undefined) {
  const turn = turnOf(table)
  const since = askedAt === undefined ? null : timeOf(askedAt)
  return turn === undefined ? null : { ...turn, since }
}

// A table that nobody drove has a synthesis in words only: nobody said how far the agents agree.
function synthesisOf(table: Roundtable) {
  if (table.status !== 'complete') return null
  const { synthesis, findings } = table
  const { agent, content, course } = synthesis
  const said = findings ?? { consensus: null, summary: content, keyPoints: [], isFallback: true }
  return {
    agent: agent === '' ? null : agent,
    ...said,
    reason: course?.reason ?? null,
    durationMs: course?.durationMs ?? null,
  }
}

function statusOf(table: Roundtable, { at, isRunning }: Look): TableStatus {
  const { status, ended, driver, expiresAt } = table
  if (status === 'complete') return status
  if (ended !== undefined || (driver !== undefined && !isRunning(driver))) return 'interrupted'
  return at < expiresAt ? status : 'deserted'
}

function timeOf(ms: number): string {
  return new Date(ms).toISOString()
}
