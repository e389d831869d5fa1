// Opens a roundtable when a message requests it, and tracks its turns. Where two agents speak at once, the state store
// decides which was first; the other is out of turn.

import * as z from 'zod'
import type { RunContext } from '../../engine/hook.ts'
import type { Step } from '../../engine/step.ts'
import type { VerdictObject } from '../../engine/verdict.ts'
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
import { SESSION_TTL_MS, update } from '../../storage/state.ts'
import { builtIn } from './built-in.ts'
import type { SupervisionServices } from './services.ts'
import { readSender, readSource } from './source-classify.ts'

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
  points: ['pre:message', 'post:message'],
  summary: 'Opens discussions between agents and tracks their turns.',
  critical: false,
  options,
  create(settings, services) {
    const host = new RoundtableHost(settings, services)
    return { check: (step, run) => host.check(step, run) }
  },
})

class RoundtableHost {
  readonly #options: Options
  readonly #services: SupervisionServices

  constructor(settings: Options, services: SupervisionServices) {
    this.#options = settings
    this.#services = services
  }

  check(step: Step, run: RunContext): VerdictObject | undefined {
    const table = readRoundtable(this.#services.state.get(roundtableKey(step.session))?.value)
    const isGoing = isOpen(table, this.#services.clock.wall())
    const text = readText(step)
    const asks = step.point === 'pre:message' && hasTrigger(text)
    if (!isGoing) return asks ? this.#open(step, text) : undefined
    const speaker = findSpeaker(step, table)
    if (speaker !== undefined && text.trim() !== '') return this.#onSpeech(step, run, { speaker, text })
    if (!asks) return { decision: 'pass', metadata: buildMetadata(table) }
    const reason = `a roundtable on ${JSON.stringify(table.topic)} is already open: no second one was opened`
    return { decision: 'flag', reason, metadata: { ...buildMetadata(table), triggerIgnored: true } }
  }

  #open(step: Step, text: string): VerdictObject | undefined {
    const { agents, rounds, idleMs } = this.#options
    const current = agents.length > 0 ? agents : [step.host ?? step.agent ?? 'agent']
    const request = parseRoundtable(text, { agents: current, rounds })
    if (request === undefined) return undefined
    const { state, clock, newId, record } = this.#services
    const at = clock.wall()
    const fresh = openRoundtable({ ...request, id: `rt-${newId()}`, at, idleMs })
    // Of two concurrent requests the first wins, and both get the same roundtable.
    const openUnlessOpen = (there: unknown) => (isOpen(readRoundtable(there), at) ? undefined : fresh)
    const kept = update<unknown>(state, roundtableKey(step.session), openUnlessOpen, SESSION_TTL_MS)
    const table = readRoundtable(kept) ?? fresh
    if (table.id === fresh.id) {
      const notes = table.agents.length < 2 ? [...request.notes, 'only one agent takes part'] : request.notes
      const data = { id: table.id, session: step.session, agents: table.agents, rounds: table.rounds, notes }
      record({ component: 'roundtable', action: 'roundtable:open', level: 'info', message: table.topic, data })
    }
    return { decision: 'pass', metadata: buildMetadata(table) }
  }

  #onSpeech(step: Step, run: RunContext, said: { speaker: string; text: string }): VerdictObject | undefined {
    const via: SpeechChannel = step.point === 'pre:message' ? 'message' : 'response'
    const heard = this.#addSpeech(step, { ...said, via, isHeldBack: via === 'message' && run.mode === 'enforce' })
    if (heard === undefined) return undefined
    const { before, table, what } = heard
    if (what !== 'echo') this.#log(step, said.speaker, table, what)
    const turn = getCurrentTurn(before)
    if (what !== 'aside' || turn === undefined) return { decision: 'pass', metadata: buildMetadata(table) }
    const outOfTurn = { outOfTurn: true, expectedAgent: turn.agent, actualAgent: said.speaker }
    return {
      decision: via === 'message' ? 'block' : 'flag',
      reason: `out of turn: the roundtable expects ${turn.agent} to speak next (round ${turn.round})`,
      suggestion: `Wait until ${turn.agent} has spoken.`,
      metadata: { ...buildMetadata(table), ...outOfTurn },
    }
  }

  // A message that will be blocked leaves no aside; every other message is stored.
  #addSpeech(step: Step, said: { speaker: string; text: string; via: SpeechChannel; isHeldBack: boolean }) {
    const { state, clock } = this.#services
    const at = clock.wall()
    let result: { before: Roundtable; table: Roundtable; what: SpeechKind } | undefined
    const hear = (there: unknown): Roundtable | undefined => {
      const before = readRoundtable(there)
      result = undefined
      if (!isOpen(before, at)) return undefined
      const words = { agent: said.speaker, content: said.text, via: said.via, at, idleMs: this.#options.idleMs }
      const { table, heard } = speak(before, words)
      const isKept = table !== before && !(heard === 'aside' && said.isHeldBack)
      result = { before, table: isKept ? table : before, what: heard }
      return isKept ? table : undefined
    }
    update<unknown>(state, roundtableKey(step.session), hear, SESSION_TTL_MS)
    return result as { before: Roundtable; table: Roundtable; what: SpeechKind } | undefined
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

// An agent speaks by its answer, or by a message that is its own. People, timers and the system may say what they like.
function findSpeaker(step: Step, table: Roundtable): string | undefined {
  if (step.point === 'post:message') return atTable(table, step.agent, step.host) ?? step.agent ?? step.host
  const source = readSource(step)
  if (source !== 'agent' && source !== 'unknown') return undefined
  const named = readSender(step) ?? step.agent
  // The first message after the rounds is the synthesis, from any agent; before, a nameless agent is out of turn.
  const isTaken = source === 'agent' || table.status === 'synthesizing'
  return named ?? (isTaken ? 'unknown' : undefined)
}

function atTable(table: Roundtable, ...names: readonly (string | undefined)[]): string | undefined {
  const seats = new Set(table.agents.map(agentKey))
  return names.find((name) => name !== undefined && seats.has(agentKey(name)))
}

function readText(step: Step): string {
  const { prompt, output } = step.data as { readonly prompt?: unknown; readonly output?: unknown }
  const text = step.point === 'pre:message' ? prompt : output
  return typeof text === 'string' ? text : ''
}
