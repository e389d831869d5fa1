// Drives a roundtable: asks agent after agent for its turn, then one of them for the synthesis. Every prompt and every
// answer passes the pipeline, every turn is kept as soon as it is over, and an agent that fails loses its turn only.

import { hostname } from 'node:os'
import type { Clock } from '../../engine/clock.ts'
import { ArcError, show } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { recordEvent } from '../../hooks/pipeline-services.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import { update } from '../../storage/state.ts'
import * as driven from '../driver-moves.ts'
import {
  type Contribution,
  getCurrentTurn,
  openRoundtable,
  type Roundtable,
  readRoundtable,
  roundtableKey,
  type TurnCourse,
} from '../machine.ts'
import { synthesisPrompt, turnPrompt } from '../prompts.ts'
import { chooseSynthesizer, getAwaited } from '../session-seats.ts'
import { fallbackFindings, readFindings } from '../synthesis.ts'
import type { DriverOptions, Reply } from './driver-options.ts'
import { isDriverRunning } from './roundtable-store.ts'
import { SupervisedTurns } from './supervised-turns.ts'

/**
 * How a table ended: over, broken off, waiting for a running session whose turn it is, or not begun because the pipeline did
 * not let the topic through.
 */
export type DriveEnd =
  | { readonly kind: 'over' | 'interrupted' | 'waiting'; readonly table: Roundtable }
  | { readonly kind: 'refused'; readonly outcome: Outcome }

// For longer than anybody comes back to a discussion.
const RETENTION_MS = 90 * 86_400_000
const SLACK_MS = 600_000

export class RoundtableDriver {
  readonly #options: DriverOptions
  readonly #clock: Clock
  #session = ''
  #turns: SupervisedTurns

  constructor(options: DriverOptions) {
    this.#options = options
    this.#clock = options.clock ?? systemClock
    this.#turns = new SupervisedTurns(options, '')
  }

  /** Opens a table on a topic, if the pipeline lets it, and drives it to its end. */
  async open({ topic, rounds }: { readonly topic: string; readonly rounds: number }): Promise<DriveEnd> {
    const { speakers } = this.#options
    const outcome = await this.#turns.reviewTopic(topic)
    if (outcome.blocked) return { kind: 'refused', outcome }
    const id = `rt-${newId()}`
    const agents = speakers.map(({ name }) => name)
    const allowed = (outcome.data as { readonly prompt: string }).prompt
    const table = openRoundtable({ id, topic: allowed, agents, rounds, ...this.#now() })
    this.#useSession(id)
    this.#options.supervisor.state.set(roundtableKey(id), this.#claim(table), 0, RETENTION_MS)
    this.#log('roundtable:begin', table.topic, { agents, rounds })
    return this.#drive(table)
  }

  /** Resumes an interrupted roundtable. */
  async resume(session: string): Promise<DriveEnd> {
    this.#useSession(session)
    const { state } = this.#options.supervisor
    let table: Roundtable | undefined
    update<unknown>(
      state,
      roundtableKey(session),
      (there) => {
        const found = readRoundtable(there)
        table = found === undefined || !canResume(found) ? undefined : this.#claim(found)
        return table
      },
      RETENTION_MS,
    )
    if (table === undefined) {
      throw new ArcError('ARC_ROUNDTABLE_TAKEN', `The roundtable ${show(session)} is over, or somebody drives it.`)
    }
    this.#log('roundtable:resume', table.topic, { turns: table.turns.length })
    return this.#drive(table)
  }

  async #drive(opened: Roundtable): Promise<DriveEnd> {
    this.#options.onEvent({ type: 'open', table: opened })
    let table = opened
    const canDrive = (): boolean => !this.#isAborted && getAwaited(table)?.session === undefined
    while (table.status === 'active' && canDrive()) table = await this.#turn(table)
    if (table.status === 'synthesizing' && canDrive()) table = await this.#sumUp(table)
    const kind = table.status === 'complete' ? 'over' : this.#isAborted ? 'interrupted' : 'waiting'
    if (kind !== 'over') table = this.#change((before) => driven.release(before, this.#now()))
    const level = kind === 'interrupted' ? 'warn' : 'info'
    const action = { over: 'roundtable:end', interrupted: 'roundtable:interrupted', waiting: 'roundtable:waiting' }[
      kind
    ]
    this.#log(action, table.topic, countTurns(table), level)
    this.#options.onEvent({ type: 'end', table })
    return { kind, table }
  }

  async #turn(before: Roundtable): Promise<Roundtable> {
    const place = before.turns.length
    const turn = getCurrentTurn(before)
    const prompt = turnPrompt(before)
    if (turn === undefined || prompt === undefined) return before
    const { agent, role, round } = turn
    const table = this.#change((there) => driven.markRequested(there, this.#now()))
    this.#options.onEvent({ type: 'ask', agent, role, round })
    this.#log('roundtable:turn-start', `${agent}, ${role}, round ${round}`, { agent, role, round })
    const settled = await this.#ask({ agent, prompt, turn: `turn-${place + 1}`, facts: { role, round } })
    if (settled === undefined) return table
    const after = this.#change((there) => driven.completeTurn(there, place, settled, this.#now()))
    const said = { ...(after.turns[place] as Contribution), course: settled.course }
    this.#logCourse('roundtable:turn-end', `${agent}, ${role}, round ${round}`, said, { role, round })
    this.#options.onEvent({ type: 'turn', turn: said, role })
    return after
  }

  async #sumUp(table: Roundtable): Promise<Roundtable> {
    const spoke = chooseSynthesizer(table)
    const agent = spoke === undefined ? undefined : (this.#options.synthesizer ?? spoke)
    const asked = this.#change((there) => driven.markRequested(there, this.#now()))
    if (agent !== undefined) this.#options.onEvent({ type: 'sum-up', agent })
    const settled = agent === undefined ? this.#nobody() : await this.#askForSynthesis(asked, agent)
    if (settled === undefined) return asked
    const read = readFindings(settled.content)
    const findings = read ?? fallbackFindings(asked, settled.content)
    const isUnread = read === undefined && settled.course.outcome === 'spoken'
    const course = isUnread
      ? { ...settled.course, reason: 'the answer is not the JSON that was asked for' }
      : settled.course
    const by = settled.course.outcome === 'spoken' ? (agent ?? '') : ''
    const end = { agent: by, content: settled.content, course, findings }
    const after = this.#change((there) => driven.completeSynthesis(there, end, this.#now()))
    if (after.status !== 'complete') return after
    const { synthesis } = after
    this.#logCourse('roundtable:synthesis-end', agent ?? 'none', { ...synthesis, course }, { ...findings })
    this.#options.onEvent({ type: 'synthesis', synthesis, findings })
    return after
  }

  #askForSynthesis(table: Roundtable, agent: string): Promise<driven.TurnResult | undefined> {
    this.#log('roundtable:synthesis-start', agent, { agent })
    return this.#ask({
      agent,
      prompt: synthesisPrompt(table, agent),
      turn: 'synthesis',
      facts: { role: 'synthesizer' },
    })
  }

  #nobody(): driven.TurnResult {
    const course = {
      outcome: 'silent',
      reason: 'no agent spoke',
      startedAt: this.#clock.wall(),
      durationMs: 0,
    } as const
    return { content: '', course }
  }

  // The prompt through the pipeline, the agent itself, and its answer through the pipeline; nothing when it was broken off.
  async #ask(asked: PromptRequest): Promise<driven.TurnResult | undefined> {
    const startedAt = this.#clock.wall()
    const began = this.#clock.now()
    const answer = await this.#answer(asked)
    if (answer.kind === 'aborted' || (this.#isAborted && answer.kind !== 'said')) return undefined
    const durationMs = Math.max(0, Math.round(this.#clock.now() - began))
    const times = { startedAt, durationMs }
    if (answer.kind === 'said') {
      return { content: answer.text, course: { outcome: 'spoken', reason: answer.note, ...times } }
    }
    const { kind: outcome, why: reason, traceId } = answer
    return { content: '', course: { outcome, reason, traceId, ...times } }
  }

  async #answer({ agent, prompt, turn, facts }: PromptRequest): Promise<Reply> {
    const speaker = this.#options.speakers.find(({ name }) => name === agent)
    if (speaker === undefined) return { kind: 'failed', why: 'this agent has no headless command' }
    const { signal } = this.#options
    const allowed = await this.#turns.prompt({ agent, prompt, turn, facts })
    if (allowed.kind !== 'said') return allowed
    const reply = await this.#turns.catchFailure(() => speaker.ask(allowed.text, { session: this.#session, signal }))
    return reply.kind === 'said' ? this.#turns.reviewAnswer({ agent, turn }, reply) : reply
  }

  // Changes the table as it is kept: the hook may have written to it, another driver must not have.
  #change(change: (table: Roundtable) => Roundtable): Roundtable {
    let after: Roundtable | undefined
    const { state } = this.#options.supervisor
    const key = roundtableKey(this.#session)
    const write = (there: unknown): Roundtable | undefined => {
      const table = readRoundtable(there)
      after = table?.driver?.pid === process.pid ? change(table) : undefined
      return after
    }
    update<unknown>(state, key, write, RETENTION_MS)
    if (after !== undefined) return after
    throw new ArcError('ARC_ROUNDTABLE_TAKEN', `The roundtable ${show(this.#session)} is in other hands now, or gone.`)
  }

  #useSession(session: string): void {
    this.#session = session
    this.#turns = new SupervisedTurns(this.#options, session)
  }

  #claim({ ended: _, sessions = [], ...table }: Roundtable): Roundtable {
    const { profile } = this.#options.supervisor.config
    const { at, idleMs } = this.#now()
    const driver = { pid: process.pid, machine: hostname(), profile }
    // The sessions of a deserted table are not waited for again.
    const left = sessions.length > 0 && at < table.expiresAt ? { sessions } : {}
    return driven.assignDriver({ ...table, ...left, expiresAt: at + idleMs } as Roundtable, driver)
  }

  #now(): driven.Moment {
    const { turnMs, holdMs } = this.#options
    return { at: this.#clock.wall(), idleMs: turnMs + 2 * holdMs + SLACK_MS }
  }

  get #isAborted(): boolean {
    return this.#options.signal.aborted
  }

  #logCourse(action: string, who: string, said: Contribution & { readonly course: TurnCourse }, facts: object): void {
    const { outcome, reason, durationMs, traceId } = said.course
    const isSpoken = outcome === 'spoken'
    const how = isSpoken ? `${said.content.length} characters` : `${outcome}, ${reason ?? 'no reason was given'}`
    const data = { agent: said.agent, ...facts, outcome, durationMs, ...(traceId !== undefined && { traceId }) }
    this.#log(action, `${who}: ${how}, after ${durationMs} ms`, data, isSpoken ? 'info' : 'warn')
  }

  #log(action: string, message: string, facts: object, level: 'info' | 'warn' = 'info'): void {
    const { trace, config } = this.#options.supervisor
    const data = { id: this.#session, session: this.#session, ...facts }
    const when = { time: this.#clock.wall(), profile: config.profile }
    recordEvent(trace, { component: 'roundtable', action, level, message, data }, when)
  }
}

interface PromptRequest {
  readonly agent: string
  readonly prompt: string
  readonly turn: string
  readonly facts: Readonly<Record<string, unknown>>
}

function canResume(table: Roundtable): boolean {
  if (table.status === 'complete') return false
  return table.driver === undefined || table.ended !== undefined || !isDriverRunning(table.driver)
}

function countTurns({ turns }: Roundtable): { readonly turns: number; readonly spoken: number } {
  return { turns: turns.length, spoken: turns.filter(({ content }) => content !== '').length }
}
