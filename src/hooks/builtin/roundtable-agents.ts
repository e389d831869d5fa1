// Which agent of a roundtable a step speaks for, and which names are agents at all.

import { didYouMean } from '../../engine/errors.ts'
import type { Step } from '../../engine/step.ts'
import { AGENT_FACTS, HOST_NAMES } from '../../hosts/facts/list.ts'
import type { Roundtable } from '../../roundtable/machine.ts'
import { agentKey } from '../../roundtable/parse-request.ts'
import { findSeat } from '../../roundtable/session-seats.ts'
import { readSender, readSource } from './source-classify.ts'

/** Names that are neither an agent that ARC knows nor a profile, with what was expected; undefined if there are none. */
export function describeUnknownAgents(
  agents: readonly string[],
  { host }: Step,
  profiles: readonly string[] | undefined,
): string | undefined {
  // A program that dispatches its own steps has agents that ARC does not know.
  if (profiles === undefined || host === undefined || !(HOST_NAMES as readonly string[]).includes(host))
    return undefined
  const names = new Set([...AGENT_FACTS.flatMap(listNames), ...profiles].map(agentKey))
  const unknown = agents.filter((agent) => !names.has(agentKey(agent)))
  if (unknown.length === 0) return undefined
  const known = [...new Set([...HOST_NAMES, ...profiles])]
  const near = unknown.map((name) => `${JSON.stringify(name)}.${didYouMean(name, known)}`)
  return `there is no agent ${near.join(' Nor ')} Known agents and profiles: ${known.join(', ')}.`
}

/** The seat of the session in which a roundtable is opened: of its profile, its host or its agent. */
export function findOwnSeat(table: Roundtable, { profile, host, agent }: Step): string | undefined {
  const facts = AGENT_FACTS.find(({ name }) => name === host)
  return findAtTable(table, agent, profile, host, ...(facts === undefined ? [] : listNames(facts)))
}

/** The agent that speaks with this step: by its answer, or by a message that is its own. Undefined for all others. */
export function findSpeaker(step: Step, table: Roundtable): string | undefined {
  if (step.point === 'pre:turn:end') return findSessionSpeaker(step, table)
  if (step.point === 'post:message') return findResponder(step, table)
  const source = readSource(step)
  // People, timers and the system may say anything.
  if (source !== 'agent' && source !== 'unknown') return undefined
  const named = readSender(step) ?? step.agent
  // The first message after the rounds is the synthesis, from any agent; before, a nameless agent is out of turn.
  const isTaken = source === 'agent' || table.status === 'synthesizing'
  return named ?? (isTaken ? 'unknown' : undefined)
}

// The agent of the session itself. What its subagents answer is no turn.
function findSessionSpeaker({ session, agent, host }: Step, table: Roundtable): string | undefined {
  if (agent !== undefined) return findAtTable(table, agent)
  const seat = findSeat(table, session) ?? findAtTable(table, host)
  // A session without a seat may be asked for the synthesis.
  return seat ?? (table.status === 'synthesizing' ? host : undefined)
}

function findResponder(step: Step, table: Roundtable): string | undefined {
  const { agent, host } = step
  const isHostSession = findSeat(table, step.session) !== undefined
  if (isHostSession) return findSessionSpeaker(step, table)
  return findAtTable(table, agent, host) ?? agent ?? host
}

function findAtTable(table: Roundtable, ...names: readonly (string | undefined)[]): string | undefined {
  for (const name of names) {
    const seat = table.agents.find((one) => name !== undefined && agentKey(one) === agentKey(name))
    if (seat !== undefined) return seat
  }
  return undefined
}

function listNames({ name, programs, aliases }: (typeof AGENT_FACTS)[number]): readonly string[] {
  return [name, ...programs, ...aliases]
}
