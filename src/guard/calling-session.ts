// The session of an agent that runs a command: from the process table, and from the variable in which the agent tells its
// children the session.

import { AGENT_FACTS } from '../hosts/facts/list.ts'
import { readAncestors, type SupervisedAgent } from './human-caller.ts'
import type { ProcessTable } from './process-table.ts'

/** A running session of an agent. */
export interface CallingSession {
  readonly host: string
  readonly session: string
}

/** The inputs: the process table, the agents that called hooks, and the environment of the command. */
export interface CallingFacts {
  readonly table: ProcessTable | undefined
  readonly agents: readonly SupervisedAgent[]
  readonly env: Readonly<Record<string, string | undefined>>
}

/**
 * The session that runs this process; undefined for a process that no agent started. The variable counts before what was
 * recorded: an agent can change its session while it runs. An agent in an agent inherits the variables of both, so the nearest
 * ancestor decides.
 */
export function findCallingSession(pid: number, { table, agents, env }: CallingFacts): CallingSession | undefined {
  const ancestors = table === undefined ? [] : readAncestors(pid, table)
  const isAncestor = (agent: SupervisedAgent, one: { readonly pid: number; readonly start: string }): boolean =>
    agent.pid === one.pid && agent.start === one.start
  for (const one of ancestors) {
    const agent = agents.find((known) => isAncestor(known, one))
    const session = agent === undefined ? undefined : (readVariable(agent.host, env) ?? agent.session)
    if (agent !== undefined && session !== undefined) return { host: agent.host, session }
  }
  const named = AGENT_FACTS.flatMap(({ name }) => {
    const session = readVariable(name, env)
    return session === undefined ? [] : [{ host: name, session }]
  })
  return named.length === 1 ? named[0] : undefined
}

function readVariable(host: string, env: CallingFacts['env']): string | undefined {
  const facts: { readonly variables: { readonly session?: string } } | undefined = AGENT_FACTS.find(
    ({ name }) => name === host,
  )
  const variable = facts?.variables.session
  return variable === undefined ? undefined : env[variable] || undefined
}
