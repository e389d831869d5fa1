// Checks whether a process acts for a human. A process that descends from an agent does not, and neither does a process
// that was detached from its parents while an agent runs. docs/guides/approvals.md lists the cases that the process table
// does not show.

import { statSync } from 'node:fs'
import {
  AGENT_VARIABLES,
  isAgentHost,
  isMultiplexer,
  isProcessManager,
  isSshServer,
  isTerminalOrDesktop,
  isUserChanger,
} from './known-programs.ts'
import { isOlder, type ProcessDetails, type ProcessTable, ttyName } from './process-table.ts'

/** A process that calls the hooks of a home. */
export interface SupervisedAgent {
  readonly pid: number
  readonly start: string
  readonly host: string
  readonly session?: string | undefined
}

/** The processes that created an unattended home. They may act in it. */
export interface HomeCreator {
  readonly processes: readonly { readonly pid: number; readonly start: string }[]
  /** Variables of agents that were set at that time. */
  readonly variables: readonly string[]
}

/** The calling process, as recorded. */
export interface Requester {
  readonly pid: number
  readonly start: string
  readonly program: string
  readonly tty: string | null
}

/** The result of the check. */
export type HumanCallerCheck =
  | { readonly isHuman: true; readonly requester: Requester }
  | { readonly isHuman: false; readonly kind: 'agent' | 'orphan' | 'unknown'; readonly reason: string }

/** The inputs of the check. */
export interface CallerFacts {
  readonly table: ProcessTable | undefined
  /** The agents of the home. Ended agents are skipped. */
  readonly agents: readonly SupervisedAgent[]
  readonly creator?: HomeCreator | undefined
  /** The pid of the subreaper, when it is known. */
  readonly subreaper?: number | undefined
}

/**
 * Checks whether a process acts for a human.
 * @example
 * const check = checkHumanCaller(process.pid, { table: openProcessTable(), agents })
 * if (!check.isHuman) throw new ArcError('ARC_NEEDS_PERSON', check.reason)
 */
export function checkHumanCaller(pid: number, facts: CallerFacts): HumanCallerCheck {
  const { table, creator } = facts
  const whole = table === undefined ? [] : readAncestors(pid, table)
  const [self] = whole
  if (table === undefined || self === undefined) {
    return { isHuman: false, kind: 'unknown', reason: 'The system does not show which process started this one.' }
  }
  const end = creator === undefined ? -1 : whole.findIndex((one) => isAmong(one, creator.processes))
  // The creator of an unattended home and its ancestors are not checked.
  const chain = end === -1 ? whole : whole.slice(0, end)
  const reason = findAgentAncestor(chain, facts)
  if (reason !== undefined) return { isHuman: false, kind: 'agent', reason }
  const orphan = end === -1 ? findDetachment(chain, facts, table) : undefined
  if (orphan !== undefined) return { isHuman: false, kind: 'orphan', reason: orphan }
  const { start, program, tty } = self
  return { isHuman: true, requester: { pid, start, program, tty: ttyName(tty) ?? null } }
}

/** A process and its ancestors, nearest first. Ends at a missing parent, or at a parent younger than its child. */
export function readAncestors(pid: number, table: ProcessTable): readonly ProcessDetails[] {
  const chain: ProcessDetails[] = []
  for (let at = table.read(pid); at !== undefined; ) {
    chain.push(at)
    const parent: ProcessDetails | undefined = at.parent === 0 ? undefined : table.read(at.parent)
    // A younger parent has reused the pid of the real parent.
    at = parent !== undefined && isOlder(parent, at) && !chain.includes(parent) ? parent : undefined
  }
  return chain
}

/** The variables of agents in an environment. */
export function agentVariables(environment: readonly string[]): readonly string[] {
  return AGENT_VARIABLES.filter((name) => environment.some((entry) => entry.startsWith(`${name}=`)))
}

function isAmong(one: ProcessDetails, known: readonly { readonly pid: number; readonly start: string }[]): boolean {
  return known.some(({ pid, start }) => pid === one.pid && start === one.start)
}

function findAgentAncestor(chain: readonly ProcessDetails[], { agents, creator }: CallerFacts): string | undefined {
  const ignored = creator?.variables ?? []
  for (const one of chain) {
    const agent = agents.find(({ pid, start }) => pid === one.pid && start === one.start)
    if (agent !== undefined) return `It was started by the supervised agent ${agent.host} (process ${agent.pid}).`
    if (isAgentHost(one)) return `It was started by the agent ${one.program} (process ${one.pid}).`
    const [name] = agentVariables(one.environment ?? []).filter((found) => !ignored.includes(found))
    if (name !== undefined) return `It was started by an agent: process ${one.pid} has ${name} in its environment.`
  }
  return undefined
}

// While an agent runs, a process must descend from a program that is older than the agent, or from a
// terminal or a login. While no agent runs, only a user or a job of the user can have started it.
function findDetachment(chain: readonly ProcessDetails[], facts: CallerFacts, table: ProcessTable): string | undefined {
  const living = facts.agents.filter(({ pid, start }) => table.read(pid)?.start === start)
  if (living.length === 0) return undefined
  const oldest = living.reduce((first, one) => (isOlder(one, first) ? one : first))
  const isKeeper = (one: ProcessDetails): boolean => one.pid === facts.subreaper || isProcessManager(one)
  const end = chain.findIndex((one, at) => at > 0 && isKeeper(one))
  const line = end === -1 ? chain : chain.slice(0, end)
  const top = line.at(-1)
  if (top === undefined) return undefined
  const isEarly = isOlder(top, oldest) && top.start !== oldest.start
  const isFromOutside = top.parent === 0 && top.pid !== 1
  if (!isEarly && !isFromOutside && !isTrustedTerminal(top, facts, table)) {
    const what = `${top.program}, process ${top.pid}`
    return `No terminal or login is above it (${what}), and it began while the agent ${oldest.host} was running.`
  }
  return findSshLoop(line) ?? findNestedTerminal(line)
}

// A system terminal that started while an agent runs. A program in a user folder could belong to the agent.
function isTrustedTerminal(top: ProcessDetails, facts: CallerFacts, table: ProcessTable): boolean {
  if (!isTerminalOrDesktop(top) || !isSystemProgram(top)) return false
  return !isMultiplexer(top) || hasClient(top, facts, table)
}

function isSystemProgram({ uid, exe }: ProcessDetails): boolean {
  const own = process.getuid?.()
  if (uid !== undefined && own !== undefined && uid !== own) return uid === 0
  try {
    // Root owns every program, so the folder decides.
    return (
      exe !== undefined &&
      (own === 0 ? /^\/(?:usr|bin|sbin|opt|snap|nix|Applications|System)\//.test(exe) : statSync(exe).uid === 0)
    )
  } catch {
    // Replaced or removed after its start.
    return false
  }
}

// The server of a multiplexer is detached. Its attached client shows who uses it.
function hasClient(server: ProcessDetails, facts: CallerFacts, table: ProcessTable): boolean {
  return table.pids().some((pid) => {
    const client = pid === server.pid ? undefined : table.read(pid)
    if (client === undefined || !isMultiplexer(client) || client.tty === 0 || client.uid !== server.uid) return false
    const line = readAncestors(pid, table)
    if (line.some((one) => one.pid === server.pid)) return false
    const { creator: _, ...others } = facts
    return findAgentAncestor(line, others) === undefined && findDetachment(line.slice(1), others, table) === undefined
  })
}

// `ssh localhost` also detaches a process from its parents.
function findSshLoop(line: readonly ProcessDetails[]): string | undefined {
  const at = line.findIndex(isSshServer)
  if (at === -1) return undefined
  const entries = line.slice(0, at).flatMap(({ environment }) => environment ?? [])
  const connection = entries.find((entry) => entry.startsWith('SSH_CONNECTION='))
  const [client = '', , server] = connection?.slice('SSH_CONNECTION='.length).split(' ') ?? []
  const isLocal = client === '' || client === server || /^(?:::ffff:)?127\.|^::1$/.test(client)
  return isLocal ? 'It came by ssh from this machine itself while an agent is running.' : undefined
}

// `script` and `expect` create a nested terminal, and can type into it.
function findNestedTerminal(line: readonly ProcessDetails[]): string | undefined {
  const [self] = line
  const maker = line.find(({ tty }) => tty !== self?.tty)
  if (self === undefined || self.tty === 0 || maker === undefined || maker.tty === 0) return undefined
  if (isTerminalOrDesktop(maker) || isUserChanger(maker)) return undefined
  return `Its terminal was made by ${maker.program} (process ${maker.pid}) inside another one while an agent is running.`
}
