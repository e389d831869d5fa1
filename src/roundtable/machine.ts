// The course of one roundtable: active → synthesizing → complete. Pure: every move gives a new table, nothing is kept.
// A turn is never lost: only its own agent can use it, or the driver skips it for that agent.

import { ArcError, clip, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import { agentKey, MAX_AGENTS, MAX_ROUNDS } from './parse-request.ts'
import { type Role, roleAt } from './roles.ts'

/** Something said at the table. */
export interface Contribution {
  readonly agent: string
  readonly round: number
  /** What was said, clipped; nothing when the turn was given up. */
  readonly content: string
  /** How it was heard: as a message to others, or as the answer to a prompt. */
  readonly via: SpeechChannel
  /** How a turn went that somebody drove; one that was only heard has none. */
  readonly course?: TurnCourse
  /** The session that said it, and the turn of that session. */
  readonly session?: string
  readonly sessionTurn?: string
  /** The session ended the turn with it: the text is final. */
  readonly isFinal?: true
}

/** How a driven turn went: `spoken`, or why it was given up. */
export type TurnOutcome = 'spoken' | 'silent' | 'failed' | 'timeout' | 'blocked' | 'held'

/** What the driver knows of a turn beyond its text. */
export interface TurnCourse {
  readonly outcome: TurnOutcome
  /** Why it was given up, or what else is to be known of it. */
  readonly reason?: string | undefined
  /** Wall-clock milliseconds. */
  readonly startedAt: number
  readonly durationMs: number
  /** The decision of the pipeline that stopped it, for `arc why`. */
  readonly traceId?: string | undefined
}

/** What a discussion came to. */
export interface Synthesis {
  /** From 0, all disagree, to 1; null if unknown. */
  readonly consensus: number | null
  readonly summary: string
  readonly keyPoints: readonly string[]
  /** Put together without an agent, because none gave a synthesis that could be read. */
  readonly isFallback: boolean
}

/** Who drives a table. */
export interface TableDriver {
  readonly pid: number
  /** The name of the machine: a process of another one cannot be looked for. */
  readonly machine: string
  readonly profile: string
}

/** How a driven table ended. */
export interface Ended {
  readonly at: number
  readonly why: 'complete' | 'interrupted'
}

/**
 * The ways in which an agent's words reach the table: a message to others, an answer to a prompt, or what the agent said when
 * it ended a turn of its session. The same words may come several ways.
 */
export type SpeechChannel = 'message' | 'response' | 'turn-end'

/** A session that takes the turns of an agent. */
export interface SeatSession {
  readonly agent: string
  readonly session: string
  readonly host?: string
  /** Wall-clock milliseconds. */
  readonly at: number
}

interface TableBase {
  readonly id: string
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
  /** Wall-clock milliseconds. */
  readonly startedAt: number
  /** The turns, in order. */
  readonly turns: readonly Contribution[]
  /** What was said out of turn, apart; the latest only. */
  readonly asides: readonly Contribution[]
  readonly asideCount: number
  /** When the table counts as deserted unless somebody speaks. */
  readonly expiresAt: number
  /** The process that asks the agents for their turns, if one does. */
  readonly driver?: TableDriver
  /** Since when the agent whose turn it is has been asked. */
  readonly askedAt?: number
  readonly ended?: Ended
  /** The running sessions at the table; an agent without one is driven, or awaited. */
  readonly sessions?: readonly SeatSession[]
}

/** A discussion at one of its stages. */
export type Roundtable =
  | (TableBase & { readonly status: 'active' })
  | (TableBase & { readonly status: 'synthesizing' })
  | (TableBase & { readonly status: 'complete'; readonly synthesis: Contribution; readonly findings?: Synthesis })

/** What became of something said. */
export type SpeechKind = 'turn' | 'aside' | 'synthesis' | 'echo' | 'over'

/** Something that somebody says now. */
export interface Speech {
  readonly agent: string
  readonly content: string
  readonly via: SpeechChannel
  readonly at: number
  readonly idleMs: number
  readonly session?: string | undefined
  readonly sessionTurn?: string | undefined
}

/** The most that is kept of one turn, in characters. */
export const MAX_CONTENT = 8_000
const MAX_ASIDES = 50

/** Opens a table. */
export function openRoundtable(plan: {
  readonly id: string
  readonly topic: string
  readonly agents: readonly string[]
  readonly rounds: number
  readonly at: number
  readonly idleMs: number
}): Roundtable {
  const { id, topic, agents, rounds, at, idleMs } = plan
  const isDistinct = new Set(agents.map(agentKey)).size === agents.length
  if (agents.length < 1 || agents.length > MAX_AGENTS || !isDistinct) {
    throw new ArcError('ARC_OPTION_INVALID', `A roundtable needs 1 to ${MAX_AGENTS} agents, not ${show(agents)}.`)
  }
  if (!Number.isInteger(rounds) || rounds < 1 || rounds > MAX_ROUNDS) {
    throw new ArcError('ARC_OPTION_INVALID', `A roundtable has 1 to ${MAX_ROUNDS} rounds, not ${show(rounds)}.`)
  }
  const base = { id, topic, agents: [...agents], rounds, startedAt: at, turns: [], asides: [], asideCount: 0 }
  return { ...base, status: 'active', expiresAt: at + idleMs }
}

/** Whose turn it is, in which round and role; nothing once the rounds are over. */
export function getCurrentTurn(
  table: Roundtable,
): { readonly agent: string; readonly round: number; readonly role: Role } | undefined {
  if (table.status !== 'active') return undefined
  const place = table.turns.length % table.agents.length
  const round = Math.floor(table.turns.length / table.agents.length) + 1
  return { agent: table.agents[place] as string, round, role: roleAt(place) }
}

/** Is the discussion active? A discussion without a turn for too long is not. */
export function isOpen(table: Roundtable | undefined, at: number): table is Roundtable {
  return table !== undefined && table.status !== 'complete' && table.ended === undefined && at < table.expiresAt
}

/** Something is said. In turn it is the turn, out of turn it is kept apart, and after the rounds it is the synthesis. */
export function speak(table: Roundtable, said: Speech): { readonly table: Roundtable; readonly heard: SpeechKind } {
  const words = toWords(said)
  const expiresAt = said.at + said.idleMs
  if (table.status === 'complete' || table.ended !== undefined) return { table, heard: 'over' }
  const repeated = mergeRepeated(table, said.agent, words)
  if (repeated !== undefined) return { table: repeated, heard: 'echo' }
  if (table.status === 'synthesizing') {
    const synthesis = { agent: said.agent, round: table.rounds, ...words }
    return { table: { ...table, status: 'complete', synthesis, expiresAt }, heard: 'synthesis' }
  }
  const turn = getCurrentTurn(table)
  if (turn !== undefined && agentKey(turn.agent) === agentKey(said.agent)) {
    return { table: appendTurn(table, { agent: turn.agent, round: turn.round, ...words }, expiresAt), heard: 'turn' }
  }
  const aside = { agent: clip(said.agent, 100), round: turn?.round ?? table.rounds, ...words }
  const asides = [...table.asides, aside].slice(-MAX_ASIDES)
  // An aside does not keep a table open: else one agent could keep it open forever.
  return { table: { ...table, asides, asideCount: table.asideCount + 1 }, heard: 'aside' }
}

type Words = Omit<Contribution, 'agent' | 'round' | 'course'>

function toWords({ content, via, session, sessionTurn }: Speech): Words {
  return {
    content: clip(content, MAX_CONTENT),
    via,
    ...(session !== undefined && { session }),
    ...(sessionTurn !== undefined && { sessionTurn }),
    ...(via === 'turn-end' && { isFinal: true as const }),
  }
}

// An answer that is then sent on as a message, or is also the end of the session's turn, is one contribution. Of several
// texts in one turn of a session the last is the answer.
function mergeRepeated(table: Roundtable, agent: string, words: Words): Roundtable | undefined {
  const isOwn = (said: Contribution): boolean => agentKey(said.agent) === agentKey(agent)
  const at = table.turns.findLastIndex(isOwn)
  const turn = table.turns[at]
  if (turn !== undefined && (isSameText(turn, words) || isLaterText(turn, words))) {
    const isFinal = words.isFinal ?? turn.isFinal
    if (words.content === turn.content && isFinal === turn.isFinal) return table
    const merged = { ...turn, content: words.content, ...(isFinal && { isFinal }) }
    return { ...table, turns: table.turns.with(at, merged) }
  }
  const aside = table.asides.findLast(isOwn)
  return aside !== undefined && isSameText(aside, words) ? table : undefined
}

// After the end of a turn the same text can only be the answer to another prompt.
function isSameText(said: Contribution, { content, via }: Words): boolean {
  return content !== '' && said.content === content && said.via !== via && !(via === 'turn-end' && said.isFinal)
}

function isLaterText(said: Contribution, { content, via, session, sessionTurn }: Words): boolean {
  if (said.isFinal || via === 'message' || said.via === 'message' || content === '') return false
  return sessionTurn !== undefined && said.sessionTurn === sessionTurn && said.session === session
}

/** The agent whose turn it is gives it up: it failed or does not answer. The others continue. */
export function skipTurn(table: Roundtable, when: { readonly at: number; readonly idleMs: number }): Roundtable {
  const turn = getCurrentTurn(table)
  if (turn === undefined) return table
  return appendTurn(
    table,
    { agent: turn.agent, round: turn.round, content: '', via: 'response' },
    when.at + when.idleMs,
  )
}

/** A turn is over: the next one begins, or the synthesis. */
export function appendTurn(table: Roundtable, turn: Contribution, expiresAt: number): Roundtable {
  const turns = [...table.turns, turn]
  const isDone = turns.length >= table.agents.length * table.rounds
  const { askedAt: _, ...base } = table
  return { ...base, turns, expiresAt, status: isDone ? 'synthesizing' : 'active' }
}

/** Where the table of a session is kept. */
export function roundtableKey(session: string | undefined): string {
  return `roundtable/${session ?? ''}`
}

/** Reads a table as it was kept. What is not one, or was kept by another version, is nothing. */
export function readRoundtable(value: unknown): Roundtable | undefined {
  if (!isRecord(value)) return undefined
  const { id, topic, agents, rounds, startedAt, turns, asides, asideCount, expiresAt, status, synthesis } = value
  const hasTexts = typeof id === 'string' && typeof topic === 'string'
  const hasNumbers = [rounds, startedAt, asideCount, expiresAt].every(Number.isFinite)
  const hasAgents = isListOf(agents, (agent) => typeof agent === 'string') && agents.length > 0
  const hasSaid = isListOf(turns, isContribution) && isListOf(asides, isContribution)
  const isStage =
    status === 'active' || status === 'synthesizing' || (status === 'complete' && isContribution(synthesis))
  return hasTexts && hasNumbers && hasAgents && hasSaid && isStage ? (value as unknown as Roundtable) : undefined
}

function isListOf(value: unknown, isItem: (item: unknown) => boolean): value is readonly unknown[] {
  return Array.isArray(value) && value.every(isItem)
}

function isContribution(value: unknown): boolean {
  if (!isRecord(value)) return false
  return typeof value.agent === 'string' && typeof value.content === 'string' && Number.isFinite(value.round)
}
