// `arc roundtable join`: a running session takes a seat. An agent joins with its own session; a person may name any.

import { ArcError, didYouMean, show } from '../../../engine/errors.ts'
import { findCallingSession } from '../../../guard/calling-session.ts'
import { openProcessTable } from '../../../guard/process-table.ts'
import { listAgents } from '../../../guard/supervised-agents.ts'
import { recordEvent } from '../../../hooks/pipeline-services.ts'
import { joinTable } from '../../../roundtable/driver/join-table.ts'
import { findRoundtable, listRoundtables } from '../../../roundtable/driver/roundtable-store.ts'
import { readRoundtable, roundtableKey } from '../../../roundtable/machine.ts'
import { agentKey } from '../../../roundtable/parse-request.ts'
import { buildSessionContext } from '../../../roundtable/session-prompts.ts'
import type { TableView } from '../../../roundtable/view.ts'
import type { StateStore } from '../../../storage/ports.ts'
import { requirePerson } from '../../confirm.ts'
import { context } from '../../context.ts'
import { openState, openTrace } from '../../home-stores.ts'
import { escapeControls, info, print, printJson } from '../../output.ts'
import { requireTable, tableJson } from './tables.ts'

/** The options of `arc roundtable join`. */
export interface JoinOptions {
  readonly as?: string
  readonly session?: string
  readonly json?: boolean
}

/** A session that can take a seat. */
interface Candidate {
  readonly session: string
  readonly host?: string | undefined
}

/** Takes a seat, and prints what the agent of the session has to know. */
export function joinRoundtable(id: string, options: JoinOptions): number {
  const view = requireTable(id)
  const { state, close } = openState()
  try {
    const caller = findCaller(state)
    const agent = chooseSeat(view, options.as, caller)
    const chosen = chooseSession(agent, options.session, caller)
    const { session, host } = chosen
    const wanted = { agent, session, ...(host !== undefined && { host }), at: Date.now() }
    const result = joinTable(state, view, wanted)
    if (result !== 'taken' && result !== 'own') throw new ArcError('ARC_ROUNDTABLE_TAKEN', explain(result, agent, view))
    if (result === 'taken') recordJoin(view, agent, chosen)
    report(state, view, { agent, session, isNew: result === 'taken', isJson: options.json === true })
    return 0
  } finally {
    close()
  }
}

function findCaller(state: StateStore): Candidate | undefined {
  const facts = { table: openProcessTable(), agents: listAgents(state), env: context().env }
  return findCallingSession(process.pid, facts)
}

// The named seat, the seat of the session's own agent, or the only free one.
function chooseSeat({ seats, id }: TableView, wanted: string | undefined, caller: Candidate | undefined): string {
  const find = (name: string | undefined) =>
    seats.find(({ agent }) => name !== undefined && agentKey(agent) === agentKey(name))?.agent
  const free = seats.filter(({ session }) => session === null)
  const own = seats.find(({ session }) => session !== null && session === caller?.session)?.agent
  const found = find(wanted) ?? (wanted === undefined ? (own ?? find(caller?.host)) : undefined)
  if (found !== undefined) return found
  const names = seats.map(({ agent }) => agent)
  if (wanted !== undefined) {
    const near = didYouMean(wanted, names)
    throw new ArcError('ARC_ROUNDTABLE_TAKEN', `${id} has no seat ${show(wanted)}, only ${names.join(', ')}.${near}`)
  }
  const [only, ...others] = free
  if (only !== undefined && others.length === 0) return only.agent
  const open = free.map(({ agent }) => agent).join(', ') || 'none'
  throw new ArcError('ARC_ROUNDTABLE_TAKEN', `Name the seat with --as. Free seats of ${id}: ${open}.`)
}

// Text of a roundtable gets into the context of a session that joins: only a person puts another session there.
function chooseSession(agent: string, wanted: string | undefined, caller: Candidate | undefined): Candidate {
  if (caller !== undefined && (wanted === undefined || wanted === caller.session)) return caller
  requirePerson('let another session join a roundtable')
  const running = listRunningSessions()
  if (wanted !== undefined) return running.find(({ session }) => session === wanted) ?? { session: wanted }
  const ofAgent = running.filter(({ host }) => host !== undefined && agentKey(host) === agentKey(agent))
  const [only, ...others] = ofAgent.length > 0 ? ofAgent : running
  if (only !== undefined && others.length === 0) return only
  const found = running.map(({ session, host }) => `${session} (${host ?? 'unknown agent'})`).join(', ') || 'none'
  throw new ArcError('ARC_ROUNDTABLE_TAKEN', `Name the session of ${show(agent)} with --session. Running: ${found}.`)
}

const RECENT_MS = 12 * 3_600_000
const MAX_RECORDS = 2_000

// The sessions with recent steps that have not ended, the newest first.
function listRunningSessions(): readonly Candidate[] {
  const trace = openTrace()
  try {
    const records = trace.records({ steps: true, since: Date.now() - RECENT_MS, limit: MAX_RECORDS })
    const found = new Map<string, Candidate>()
    for (const record of records) {
      if (record.kind !== 'step' || record.session === undefined || record.host === undefined) continue
      found.delete(record.session)
      if (record.point !== 'session:end') found.set(record.session, { session: record.session, host: record.host })
    }
    return [...found.values()].reverse()
  } finally {
    trace.close()
  }
}

const REASONS = {
  occupied: 'another session has this seat',
  'other-seat': 'this session has another seat at this roundtable',
  'other-table': 'this session takes part in another roundtable that is still open',
  'no-seat': 'the roundtable has no such seat',
  over: 'the roundtable is over',
  driven: 'arc roundtable drives all agents of this roundtable',
} as const

function explain(result: keyof typeof REASONS, agent: string, { id }: TableView): string {
  return `The seat of ${show(agent)} at ${id} cannot be taken: ${REASONS[result]}.`
}

function recordJoin(view: TableView, agent: string, { session, host }: Candidate): void {
  const trace = openTrace()
  const data = { id: view.id, session, agent, host }
  const event = { component: 'roundtable', action: 'roundtable:join', level: 'info', message: agent, data } as const
  recordEvent(trace, event, { time: Date.now() })
  trace.close()
}

function report(
  state: StateStore,
  view: TableView,
  { agent, session, isNew, isJson }: { agent: string; session: string; isNew: boolean; isJson: boolean },
): void {
  const table = readRoundtable(state.get(roundtableKey(view.session))?.value)
  const now = findRoundtable(listRoundtables(state), view.id) ?? view
  const text = table === undefined ? '' : buildSessionContext(table, session)
  if (isJson) {
    printJson({ joined: isNew, agent, session, context: text, roundtable: tableJson(now) })
    return
  }
  info(`${isNew ? 'Joined' : 'Already joined'} ${view.id} as ${agent}, session ${session}.`)
  for (const line of text.split('\n')) print(escapeControls(line))
}
