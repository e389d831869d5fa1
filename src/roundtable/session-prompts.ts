// What a running session at a roundtable gets as context: its role, the topic, the turns so far, whose turn it is, and what
// is expected now. Contains no phrase that would open another roundtable.

import type { Roundtable } from './machine.ts'
import { aboutTopic, aboutTurns, type PromptLimits, synthesisPrompt, turnPrompt } from './prompts.ts'
import { buildCommands, findSeat, getAwaited, listFreeSeats } from './session-seats.ts'

// Hosts cut a text of more than 9 000 characters.
const LIMITS: PromptLimits = { turn: 1_500, transcript: 4_500 }

/** Is this session expected to answer now? A synthesis may come from any session at the table. */
export function isAwaited(table: Roundtable, session: string | undefined): boolean {
  const awaited = getAwaited(table)
  if (awaited === undefined) return false
  return awaited.what === 'synthesis' || (session !== undefined && awaited.session?.session === session)
}

/** The context of a session at the table, or of the session that opened it without a seat. */
export function buildSessionContext(table: Roundtable, session: string): string {
  const seat = findSeat(table, session)
  const head = `ARC roundtable ${table.id}, opened on request of the user. ${describeSeats(table)}`
  if (!isAwaited(table, session)) return [head, ...aboutWaiting(table, seat)].join('\n')
  if (table.status === 'synthesizing') {
    const task = synthesisPrompt(table, seat ?? 'the moderator', LIMITS)
    return [head, 'The rounds are over. Your answer to this message completes the discussion.', task].join('\n')
  }
  const task = turnPrompt(table, LIMITS) ?? ''
  return [head, 'Your answer at the end of this turn counts as your turn.', task, ...aboutFreeSeats(table)].join('\n')
}

/** One line about an open roundtable for the user: what it waits for, and the commands that continue it. */
export function buildUserNote(table: Roundtable): string {
  const awaited = getAwaited(table)
  if (awaited === undefined) return `ARC roundtable ${table.id} is complete: arc roundtable show ${table.id}`
  const { agent, what, role, round, session } = awaited
  const next = what === 'turn' ? `${agent} (${role}, round ${round} of ${table.rounds})` : `the synthesis of ${agent}`
  const head = `ARC roundtable ${table.id} waits for ${next}`
  if (session !== undefined) return `${head}: continue in its session${inHost(session.host)}.`
  const { join, drive } = buildCommands(table, agent)
  return `${head}. Run "${join}" in its session or in a terminal, or "${drive}" for headless agents.`
}

function inHost(host: string | undefined): string {
  return host === undefined ? '' : ` (${host})`
}

function describeSeats({ agents, rounds }: Roundtable): string {
  const length = `${rounds} ${rounds === 1 ? 'round' : 'rounds'}`
  return `Agents in speaking order: ${agents.join(', ')}; ${length}.`
}

function aboutWaiting(table: Roundtable, seat: string | undefined): readonly string[] {
  const who = seat === undefined ? 'You have no seat at it.' : `You are ${seat}, and it is not your turn.`
  return [
    `${who} Answer the user as usual; do not argue for or against the topic now, and speak for no other agent.`,
    `Tell the user: ${buildUserNote(table)}`,
    ...aboutTopic(table),
    ...aboutTurns(table.turns, LIMITS),
  ]
}

function aboutFreeSeats(table: Roundtable): readonly string[] {
  const free = listFreeSeats(table)
  const [next] = free
  if (next === undefined) return []
  const { join, drive } = buildCommands(table, next)
  return [
    `No running session has taken the seat of ${free.join(', ')}. Do not speak for them. After your answer, tell the user:`,
    `to continue, run "${join}" in the session of ${next} or in a terminal, or "${drive}" for headless agents.`,
  ]
}
