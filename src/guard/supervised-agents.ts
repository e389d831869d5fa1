// The processes of the agents that a home supervises. Every hook call names the process that started the hook. Each process
// is recorded once in the state, for all processes of the home; ended processes are removed.

import { isRecord } from '../engine/plain-data.ts'
import type { StateStore } from '../storage/ports.ts'
import type { SupervisedAgent } from './human-caller.ts'
import { isShell, isTerminalOrDesktop } from './known-programs.ts'
import { openProcessTable, type ProcessDetails, type ProcessTable, readProcess } from './process-table.ts'

const PREFIX = 'agent:'
// A host may start a hook through shells.
const MAX_SHELLS = 6
const MAX_KNOWN = 500

/** The caller of a hook. */
export interface HookCaller {
  readonly pid: number
  readonly host: string
  readonly session?: string | undefined
}

/** Records the agent behind a hook call. For a recorded agent this is one read of a small file. */
export function recordAgent(state: StateStore, caller: HookCaller): void {
  const known = readRecorded(state)
  const first = readProcess(caller.pid)
  if (first === undefined || known.get(first.pid) === first.start) return
  const table = openProcessTable()
  const agent = table === undefined ? undefined : findAgentAbove(caller.pid, table, known)
  if (agent === undefined) return
  known.set(agent.pid, agent.start)
  const key = `${PREFIX}${agent.pid}:${agent.start}`
  if (state.get(key) !== undefined) return
  removeEnded(state)
  const { host, session } = caller
  const noted: SupervisedAgent = { pid: agent.pid, start: agent.start, host, session }
  // Returns false if another call recorded the agent at the same time.
  state.set(key, noted, 0)
}

/** The agents of the home whose processes are alive. */
export function listAgents(state: StateStore): readonly SupervisedAgent[] {
  const table = openProcessTable()
  return listEntries(state).flatMap(({ value }) => (table?.read(value.pid)?.start === value.start ? [value] : []))
}

function removeEnded(state: StateStore): void {
  for (const { key, value, version } of listEntries(state)) {
    if (readProcess(value.pid)?.start !== value.start) state.remove(key, version)
  }
}

function listEntries(state: StateStore) {
  return state.list(PREFIX).flatMap(({ key, value, version }) => (isAgent(value) ? [{ key, value, version }] : []))
}

/**
 * Goes up from the process that started the hook, past shells that only run the hook, to the agent. A user who runs a hook
 * manually in a terminal is not an agent. Undefined at an agent that is known already.
 */
export function findAgentAbove(
  pid: number,
  table: ProcessTable,
  known: ReadonlyMap<number, string> = new Map(),
): ProcessDetails | undefined {
  let at = table.read(pid)
  for (let shells = 0; at !== undefined && shells < MAX_SHELLS; shells++) {
    if (known.get(at.pid) === at.start) return undefined
    const parent = table.read(at.parent)
    if (parent === undefined || !(runsHook(at) || isFork(at, parent))) break
    at = parent
  }
  return at === undefined || at.pid === 1 || isTerminalOrDesktop(at) || isInteractive(at) ? undefined : at
}

// `sh -c '…/arc hook claude'`: a shell that ends with the hook. The agent is its ancestor.
function runsHook(found: ProcessDetails): boolean {
  return isShell(found) && found.args.includes('-c') && /\shook\s+[\w-]/.test(found.args.at(-1) ?? '')
}

// A fork of a shell that runs a part of the same script.
function isFork(one: ProcessDetails, parent: ProcessDetails): boolean {
  return isShell(one) && one.exe === parent.exe && one.args.join('\0') === parent.args.join('\0')
}

function isInteractive(found: ProcessDetails): boolean {
  const hasNoScript = found.args.slice(1).every((arg) => /^-[a-z-]+$/.test(arg) && arg !== '-c')
  return isShell(found) && found.tty !== 0 && found.session === found.pid && hasNoScript
}

// The agents that this process has recorded, by state store.
const KNOWN = new WeakMap<StateStore, Map<number, string>>()

function readRecorded(state: StateStore): Map<number, string> {
  const known = KNOWN.get(state) ?? new Map<number, string>()
  if (known.size >= MAX_KNOWN) known.clear()
  KNOWN.set(state, known)
  return known
}

function isAgent(value: unknown): value is SupervisedAgent {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.start === 'string'
}
