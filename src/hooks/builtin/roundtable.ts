// Opens a roundtable when a message requests it, and tracks its turns: of agents that send messages, and of running sessions,
// whose answers count. Where two agents speak at once, the state store decides which was first; the other is out of turn.

import * as z from 'zod'
import type { RunContext } from '../../engine/hook.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
import { markRequested } from '../../roundtable/driver-moves.ts'
import {
  getCurrentTurn,
  isOpen,
  openRoundtable,
  type Roundtable,
  readRoundtable,
  roundtableKey,
  type SpeechChannel,
  type SpeechKind,
  speak,
} from '../../roundtable/machine.ts'
import {
  agentKey,
  DEFAULT_ROUNDS,
  hasTrigger,
  MAX_AGENTS,
  MAX_ROUNDS,
  parseRoundtable,
} from '../../roundtable/parse-request.ts'
import { buildSessionContext, buildUserNote, isAwaited } from '../../roundtable/session-prompts.ts'
import { findSessionTable, leaveSeat, takeSeat } from '../../roundtable/session-seats.ts'
import { addFindings } from '../../roundtable/synthesis.ts'
import { SESSION_TTL_MS, update } from '../../storage/state.ts'
import { builtIn } from './built-in.ts'
import { describeUnknownAgents, findOwnSeat, findSpeaker } from './roundtable-agents.ts'
import type { SupervisionServices } from './services.ts'
import { readSource } from './source-classify.ts'

const options = z.strictObject({
  agents: z
    .array(z.string().trim().min(1).max(64))
    .max(MAX_AGENTS)
    .default([])
    .describe('The agents when a message names none; by default only the current agent.'),
  rounds: z.int().min(1).max(MAX_ROUNDS).default(DEFAULT_ROUNDS).describe('The rounds when a message names none.'),
  idleMs: z
    .number()
    .positive()
    .max(86_400_000)
    .default(1_800_000)
    .describe('A roundtable without a turn for this long is over.'),
})

type Options = z.output<typeof options>

export const roundtable = builtIn<Options>({
  name: 'roundtable',
  priority: 50,
  points: ['pre:message', 'post:message', 'pre:turn:end', 'session:end'],
  summary: 'Opens discussions between agents, gives them their roles and tracks their turns.',
  critical: false,
  options,
  create(settings, services) {
    const host = new RoundtableHost(settings, services)
    return { check: (step, run) => host.check(step, run) }
  },
})

/** The open roundtable of a step's session, and where it is stored. */
interface Found {
  readonly key: string
  readonly table: Roundtable
}

interface Heard {
  readonly before: Roundtable
  readonly table: Roundtable
  readonly what: SpeechKind
}

const CHANNELS: Readonly<Record<string, SpeechChannel>> = {
  'pre:message': 'message',
  'post:message': 'response',
  'pre:turn:end': 'turn-end',
}

class RoundtableHost {
  readonly #options: Options
  readonly #services: SupervisionServices

  constructor(settings: Options, services: SupervisionServices) {
    this.#options = settings
    this.#services = services
  }

  check(step: Step, run: RunContext): VerdictObject | undefined {
    const { state, clock } = this.#services
    const found = findSessionTable((key) => state.get(key)?.value, step.session, clock.wall())
    if (step.point === 'session:end') return this.#leave(step, found)
    const text = readText(step)
    const asks = step.point === 'pre:message' && hasTrigger(text) && !isAutomatic(step)
    if (found === undefined) return asks ? this.#open(step, run, text) : undefined
    const speaker = findSpeaker(step, found.table)
    if (speaker !== undefined && text.trim() !== '') return this.#onSpeech(step, run, found, { speaker, text })
    if (step.point !== 'pre:message') return undefined
    return asks ? this.#ignoreTrigger(step, found) : this.#onPrompt(step, found)
  }

  #open(step: Step, run: RunContext, text: string): VerdictObject | undefined {
    const { agents, rounds, idleMs } = this.#options
    const current = agents.length > 0 ? agents : [step.host ?? step.agent ?? 'agent']
    const request = parseRoundtable(text, { agents: current, rounds })
    if (request === undefined) return undefined
    const { state, clock, newId, record, listProfiles } = this.#services
    const profiles = listProfiles?.()
    const unknown = describeUnknownAgents(request.agents, step, profiles && [...agents, ...profiles])
    if (unknown !== undefined) return this.#refuse(step, unknown)
    const at = clock.wall()
    const fresh = this.#seatOwnSession(openRoundtable({ ...request, id: `rt-${newId()}`, at, idleMs }), step)
    // Of two concurrent requests the first wins, and both get the same roundtable.
    const openUnlessOpen = (there: unknown) => (isOpen(readRoundtable(there), at) ? undefined : fresh)
    const key = roundtableKey(step.session)
    const kept = update<unknown>(state, key, openUnlessOpen, SESSION_TTL_MS)
    const table = readRoundtable(kept) ?? fresh
    if (table.id === fresh.id) {
      const notes = table.agents.length < 2 ? [...request.notes, 'only one agent takes part'] : request.notes
      const data = { id: table.id, session: step.session, agents: table.agents, rounds: table.rounds, notes }
      record({ component: 'roundtable', action: 'roundtable:open', level: 'info', message: table.topic, data })
    }
    const opened = this.#onPrompt(step, { key, table })
    return { ...opened, metadata: { ...opened.metadata, ...this.#noteOpening(step, run, table, request.notes) } }
  }

  // The session in which the user asked takes the seat of the agent that runs in it.
  #seatOwnSession(table: Roundtable, step: Step): Roundtable {
    const agent = findOwnSeat(table, step)
    if (agent === undefined || step.session === undefined) return table
    const host = step.host === undefined ? {} : { host: step.host }
    return takeSeat(table, { agent, session: step.session, ...host, at: table.startedAt }).table
  }

  #refuse(step: Step, reason: string): VerdictObject {
    const data = { session: step.session }
    const event = { component: 'roundtable', action: 'roundtable:refuse', level: 'warn' } as const
    this.#services.record({ ...event, message: reason, data })
    const note = `ARC opened no roundtable: ${reason}`
    return {
      decision: 'flag',
      reason,
      metadata: { roundtable: false, userNotes: [note] },
      additional_context: [`${note} Tell the user so, and do not simulate the discussion.`],
    }
  }

  #noteOpening(step: Step, run: RunContext, table: Roundtable, notes: readonly string[]): object {
    if (step.host === undefined) return {}
    const limits = notes.length === 0 ? '' : ` (${notes.join('; ')})`
    const how = run.mode === 'log' ? ' In log mode it is only recorded; agents get roles in advise or enforce.' : ''
    return { userNotes: [`ARC opened a roundtable on request of this message${limits}. ${buildUserNote(table)}${how}`] }
  }

  #ignoreTrigger(step: Step, found: Found): VerdictObject {
    const { table } = found
    const reason = `a roundtable on ${JSON.stringify(table.topic)} is already open: no second one was opened`
    const { metadata, ...rest } = this.#onPrompt(step, found)
    return { ...rest, decision: 'flag', reason, metadata: { ...metadata, triggerIgnored: true } }
  }

  // A message of a person to a session at the table: its agent gets the state of the discussion.
  #onPrompt(step: Step, { key, table }: Found): VerdictObject {
    const pass = { decision: 'pass', metadata: buildMetadata(table) } as const
    if (step.host === undefined || step.session === undefined || step.agent !== undefined) return pass
    if (readSource(step) === 'agent' || isAutomatic(step)) return pass
    const context = { additional_context: [buildSessionContext(table, step.session)] }
    if (!isAwaited(table, step.session)) return { ...pass, ...context }
    const when = { at: this.#services.clock.wall(), idleMs: this.#options.idleMs }
    this.#change(key, (there) => (isAwaited(there, step.session) ? markRequested(there, when) : undefined))
    return { ...pass, ...context }
  }

  #onSpeech(
    step: Step,
    run: RunContext,
    found: Found,
    said: { readonly speaker: string; readonly text: string },
  ): VerdictObject | undefined {
    const via = CHANNELS[step.point] ?? 'message'
    const heard = this.#addSpeech(step, found, {
      ...said,
      via,
      isHeldBack: via === 'message' && run.mode === 'enforce',
    })
    if (heard === undefined) return undefined
    const { before, table, what } = heard
    if (what !== 'echo') this.#log(step, said.speaker, table, what)
    const turn = getCurrentTurn(before)
    if (what === 'aside' && turn !== undefined) return outOfTurn(before, table, { via, speaker: said.speaker, turn })
    return via === 'turn-end' ? this.#endTurn(step, run, table) : { decision: 'pass', metadata: buildMetadata(table) }
  }

  // Where the host allows it, the same session continues with its next turn or the synthesis. Else it does at its next prompt.
  #endTurn(step: Step, run: RunContext, table: Roundtable): VerdictObject {
    const metadata = buildMetadata(table)
    if (step.session === undefined || step.host === undefined) return { decision: 'pass', metadata }
    const canContinue = run.mode === 'enforce' && step.metadata.canContinue === true
    if (!canContinue || !isAwaited(table, step.session)) {
      const notes = run.mode === 'log' ? {} : { userNotes: [buildUserNote(table)] }
      return { decision: 'pass', metadata: { ...metadata, ...notes } }
    }
    const what = table.status === 'synthesizing' ? 'the synthesis' : `round ${getCurrentTurn(table)?.round}`
    const reason = `the roundtable ${table.id} continues with ${what}`
    return { decision: 'block', reason, metadata, additional_context: [buildSessionContext(table, step.session)] }
  }

  // A message that will be blocked leaves no aside; every other message is stored.
  #addSpeech(
    step: Step,
    { key }: Found,
    said: { speaker: string; text: string; via: SpeechChannel; isHeldBack: boolean },
  ): Heard | undefined {
    const at = this.#services.clock.wall()
    const { session, turn: sessionTurn } = step
    const words = { agent: said.speaker, content: said.text, via: said.via, at, session, sessionTurn }
    let result: Heard | undefined
    this.#change(key, (before) => {
      const { table, heard } = speak(before, { ...words, idleMs: this.#options.idleMs })
      const isKept = table !== before && !(heard === 'aside' && said.isHeldBack)
      const after = heard === 'synthesis' ? addFindings(table, at) : table
      result = { before, table: isKept ? after : before, what: heard }
      return isKept ? after : undefined
    })
    return result
  }

  // A session that ended leaves its seat to another one.
  #leave(step: Step, found: Found | undefined): undefined {
    const { session } = step
    if (found === undefined || session === undefined) return undefined
    this.#change(found.key, (table) => {
      const left = leaveSeat(table, session)
      return left === table ? undefined : left
    })
    return undefined
  }

  // Changes an open roundtable as it is stored now.
  #change(key: string, change: (table: Roundtable) => Roundtable | undefined): void {
    const at = this.#services.clock.wall()
    const changeOpen = (there: unknown): Roundtable | undefined => {
      const table = readRoundtable(there)
      return isOpen(table, at) ? change(table) : undefined
    }
    update<unknown>(this.#services.state, key, changeOpen, SESSION_TTL_MS)
  }

  #log(step: Step, speaker: string, table: Roundtable, what: SpeechKind): void {
    // The driver of a roundtable logs its turns itself, with more detail.
    if (table.driver !== undefined && what !== 'aside') return
    const { record } = this.#services
    const level = what === 'aside' ? 'warn' : 'info'
    const data = { id: table.id, session: step.session, agent: speaker, status: table.status, turn: table.turns.length }
    const message = `${speaker}: ${what === 'aside' ? 'out of turn' : what}`
    record({ component: 'roundtable', action: `roundtable:${what}`, level, message, data })
    const isRoundsOver = what === 'turn' && table.status === 'synthesizing'
    const phase = isRoundsOver ? 'synthesizing' : what === 'synthesis' ? 'complete' : undefined
    if (phase === undefined) return
    record({ component: 'roundtable', action: `roundtable:${phase}`, level: 'info', message: table.topic, data })
  }
}

// What an agent program writes itself, such as the report of a background task, requests nothing.
function isAutomatic(step: Step): boolean {
  const source = readSource(step)
  return step.host !== undefined && (source === 'system' || source === 'cron')
}

function outOfTurn(
  before: Roundtable,
  table: Roundtable,
  said: {
    readonly via: SpeechChannel
    readonly speaker: string
    readonly turn: { readonly agent: string; readonly round: number }
  },
): VerdictObject {
  const { via, speaker, turn } = said
  const facts = { outOfTurn: true, expectedAgent: turn.agent, actualAgent: speaker }
  const metadata = { ...buildMetadata(table), ...facts }
  // The user may talk with a session while the table waits for another one: reported once per round.
  const isKnown = before.asides.some((one) => agentKey(one.agent) === agentKey(speaker) && one.round === turn.round)
  if (via === 'turn-end' && isKnown) return { decision: 'pass', metadata }
  return {
    decision: via === 'message' ? 'block' : 'flag',
    reason: `out of turn: the roundtable expects ${turn.agent} to speak next (round ${turn.round})`,
    suggestion: `Wait until ${turn.agent} has spoken.`,
    metadata,
  }
}

// The message to other agents during a discussion.
function buildMetadata(table: Roundtable): Readonly<Record<string, unknown>> {
  const turn = getCurrentTurn(table)
  return {
    roundtable: table.status !== 'complete',
    roundtableId: table.id,
    roundtableStatus: table.status,
    roundtableTopic: table.topic,
    totalRounds: table.rounds,
    ...(turn !== undefined && { currentAgent: turn.agent, currentRound: turn.round, mode: turn.role }),
  }
}

function readText(step: Step): string {
  const { prompt, output } = step.data as { readonly prompt?: unknown; readonly output?: unknown }
  const text = step.point === 'pre:message' ? prompt : output
  return typeof text === 'string' ? text : ''
}
