// Answers one question: may this process speak for a human, and which process is it? A process that descends from an
// agent may not, nor one that was cut off from its parents while an agent runs. What the process table does not show
// cannot be told here: docs/guides/approvals.md lists it.

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

/** The processes that made a home for scripts: they answer for it themselves. */
export interface HomeCreator {
  readonly processes: readonly { readonly pid: number; readonly start: string }[]
  /** Variables of agents that were set when it was made. */
  readonly variables: readonly string[]
}

/** The process that asks, as it is recorded. */
export interface Requester {
  readonly pid: number
  readonly start: string
  readonly program: string
  readonly tty: string | null
}

/** The answer. */
export type HumanCallerCheck =
  | { readonly may: true; readonly who: Requester }
  | { readonly may: false; readonly is: 'agent' | 'orphan' | 'unknown'; readonly why: string }

/** What the question is asked of. */
export interface CallerFacts {
  readonly table: ProcessTable | undefined
  /** The agents of the home; those that ended are left out here. */
  readonly agents: readonly SupervisedAgent[]
  readonly maker?: HomeCreator | undefined
  /** The process that adopts orphans here, where it is known. */
  readonly adopter?: number | undefined
}

/**
 * May this process speak for a human?
 * @example
 * const check = checkPerson(process.pid, { table: openProcessTable(), agents })
 * if (!check.may) throw new ArcError('ARC_NEEDS_PERSON', check.why)
 */
export function checkHumanCaller(pid: number, facts: CallerFacts): HumanCallerCheck {
  const { table, maker } = facts
  const whole = table === undefined ? [] : readAncestors(pid, table)
  const [self] = whole
  if (table === undefined || self === undefined) {
    return { may: false, is: 'unknown', why: 'The system does not show which process started this one.' }
  }
  const end = maker === undefined ? -1 : whole.findIndex((one) => isAmong(one, maker.processes))
  // The maker of a home for scripts answers for itself and for what stands above it.
  const chain = end === -1 ? whole : whole.slice(0, end)
  const why = findAgentAncestor(chain, facts)
  if (why !== undefined) return { may: false, is: 'agent', why }
  const orphan = end === -1 ? findDetachment(chain, facts, table) : undefined
  if (orphan !== undefined) return { may: false, is: 'orphan', why: orphan }
  const { start, program, tty } = self
  return { may: true, who: { pid, start, program, tty: ttyName(tty) ?? null } }
}

/** A process and those above it, from below. Ends where the parent is none, or younger than its child. */
export function readAncestors(pid: number, table: ProcessTable): readonly ProcessDetails[] {
  const chain: ProcessDetails[] = []
  for (let at = table.read(pid); at !== undefined; ) {
    chain.push(at)
    const parent: ProcessDetails | undefined = at.parent === 0 ? undefined : table.read(at.parent)
    // A younger parent has only the number of the real one.
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

function findAgentAncestor(chain: readonly ProcessDetails[], { agents, maker }: CallerFacts): string | undefined {
  const ignored = maker?.variables ?? []
  for (const one of chain) {
    const agent = agents.find(({ pid, start }) => pid === one.pid && start === one.start)
    if (agent !== undefined) return `It was started by the supervised agent ${agent.host} (process ${agent.pid}).`
    if (isAgentHost(one)) return `It was started by the agent ${one.program} (process ${one.pid}).`
    const [name] = agentVariables(one.environment ?? []).filter((found) => !ignored.includes(found))
    if (name !== undefined) return `It was started by an agent: process ${one.pid} has ${name} in its environment.`
  }
  return undefined
}

// While an agent runs, a process has to show where it comes from: from a program that is older than the agent, or from a
// terminal or a login. Without an agent that runs nobody could have started it but a person, or what a person set up.
function findDetachment(chain: readonly ProcessDetails[], facts: CallerFacts, table: ProcessTable): string | undefined {
  const living = facts.agents.filter(({ pid, start }) => table.read(pid)?.start === start)
  if (living.length === 0) return undefined
  const oldest = living.reduce((first, one) => (isOlder(one, first) ? one : first))
  const isKeeper = (one: ProcessDetails): boolean => one.pid === facts.adopter || isProcessManager(one)
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

// A terminal of the system that came up while an agent runs. A program of the user's own could be one of the agent's.
function isTrustedTerminal(top: ProcessDetails, facts: CallerFacts, table: ProcessTable): boolean {
  if (!isTerminalOrDesktop(top) || !isSystemProgram(top)) return false
  return !isMultiplexer(top) || hasClient(top, facts, table)
}

function isSystemProgram({ uid, exe }: ProcessDetails): boolean {
  const own = process.getuid?.()
  if (uid !== undefined && own !== undefined && uid !== own) return uid === 0
  try {
    // For root every file is its own: the place has to do.
    return (
      exe !== undefined &&
      (own === 0 ? /^\/(?:usr|bin|sbin|opt|snap|nix|Applications|System)\//.test(exe) : statSync(exe).uid === 0)
    )
  } catch {
    // Replaced or removed since it started.
    return false
  }
}

// A multiplexer has no parent that shows who started it: the terminal that is attached to it shows it.
function hasClient(server: ProcessDetails, facts: CallerFacts, table: ProcessTable): boolean {
  return table.pids().some((pid) => {
    const client = pid === server.pid ? undefined : table.read(pid)
    if (client === undefined || !isMultiplexer(client) || client.tty === 0 || client.uid !== server.uid) return false
    const line = readAncestors(pid, table)
    if (line.some((one) => one.pid === server.pid)) return false
    const { maker: _, ...others } = facts
    return findAgentAncestor(line, others) === undefined && findDetachment(line.slice(1), others, table) === undefined
  })
}

// `ssh localhost` cuts a process off from its parents as well.
function findSshLoop(line: readonly ProcessDetails[]): string | undefined {
  const at = line.findIndex(isSshServer)
  if (at === -1) return undefined
  const entries = line.slice(0, at).flatMap(({ environment }) => environment ?? [])
  const connection = entries.find((entry) => entry.startsWith('SSH_CONNECTION='))
  const [client = '', , server] = connection?.slice('SSH_CONNECTION='.length).split(' ') ?? []
  const isLocal = client === '' || client === server || /^(?:::ffff:)?127\.|^::1$/.test(client)
  return isLocal ? 'It came by ssh from this machine itself while an agent is running.' : undefined
}

// `script`, `expect` and the like make a terminal inside another one, and can type into it.
function findNestedTerminal(line: readonly ProcessDetails[]): string | undefined {
  const [self] = line
  const maker = line.find(({ tty }) => tty !== self?.tty)
  if (self === undefined || self.tty === 0 || maker === undefined || maker.tty === 0) return undefined
  if (isTerminalOrDesktop(maker) || isUserChanger(maker)) return undefined
  return `Its terminal was made by ${maker.program} (process ${maker.pid}) inside another one while an agent is running.`
}
