// What is said at a driven roundtable, before the pipeline: the topic, each prompt as the spawning of an agent, each
// answer as a message of that agent to the others. What is held waits for a person, if anybody may be there.

import { stripVTControlCharacters } from 'node:util'
import { describe } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { StepContext } from '../../engine/step.ts'
import { keepAliveWhile } from '../../platform/keep-alive.ts'
import { MAX_CONTENT } from '../machine.ts'
import type { DriverOptions, Reply } from './driver-options.ts'

export class SupervisedTurns {
  readonly #options: DriverOptions
  readonly #session: string

  constructor(options: DriverOptions, session: string) {
    this.#options = options
    this.#session = session
  }

  /** No waiting: a held step is reported at once, and sent again once approved. So it belongs to no session yet. */
  async reviewTopic(topic: string): Promise<Outcome> {
    const { supervisor, workspace } = this.#options
    return supervisor.decide('pre:message', { prompt: topic }, { workspace, source: 'human' }, { askMs: 0 })
  }

  /** A prompt on its way to an agent; a hook may have put rules before it. */
  async prompt(asked: {
    readonly agent: string
    readonly prompt: string
    readonly turn: string
    readonly facts: Readonly<Record<string, unknown>>
  }): Promise<Reply> {
    const { agent, prompt, turn, facts } = asked
    const config = { prompt, ...facts, roundtable: this.#session }
    const outcome = await this.#dispatch('pre:agent:spawn', { agent, config }, { agent, turn, source: 'system' })
    if ('kind' in outcome)
      return outcome.kind === 'aborted' ? outcome : { ...outcome, why: `its prompt was ${outcome.why}` }
    const { config: edited } = outcome.data as { readonly config?: unknown }
    return { kind: 'said', text: isRecord(edited) && typeof edited.prompt === 'string' ? edited.prompt : prompt }
  }

  /** An answer on its way to the others. */
  async reviewAnswer(
    { agent, turn }: { readonly agent: string; readonly turn: string },
    { text, note }: Extract<Reply, { kind: 'said' }>,
  ): Promise<Reply> {
    const said = cleanText(text)
    if (said === '') return { kind: 'silent', why: note ?? 'it said nothing' }
    const words = said.length > MAX_CONTENT ? said.slice(0, MAX_CONTENT) : said
    const data = { prompt: words, sender: agent }
    const outcome = await this.#dispatch('pre:message', data, { agent, turn, source: 'agent' })
    if ('kind' in outcome)
      return outcome.kind === 'aborted' ? outcome : { ...outcome, why: `what it said was ${outcome.why}` }
    const { prompt } = outcome.data as { readonly prompt?: unknown }
    const kept = typeof prompt === 'string' ? prompt : words
    await this.#options.supervisor.decide(
      'post:agent:complete',
      { agent, output: kept },
      this.#context({ agent, turn }),
    )
    const clipped =
      said.length > words.length ? `clipped: ${words.length} of ${said.length} characters are kept` : undefined
    return {
      kind: 'said',
      text: kept,
      note: [clipped, note].filter((part) => part !== undefined).join('; ') || undefined,
    }
  }

  /** A speaker that breaks is an agent that failed. */
  async catchFailure(ask: () => Promise<Reply>): Promise<Reply> {
    try {
      return await ask()
    } catch (error) {
      return { kind: 'failed', why: describe(error) }
    }
  }

  async #dispatch(
    point: string,
    data: object,
    about: StepContext,
  ): Promise<Outcome | Exclude<Reply, { kind: 'said' }>> {
    const { supervisor, holdMs, signal } = this.#options
    const outcome = await supervisor.decide(point, data, this.#context(about), { askMs: 0 })
    if (!outcome.blocked) return outcome
    const why = `${outcome.hook ?? 'a hook'}: ${outcome.reason ?? 'no reason was given'}`
    const trace = typeof outcome.metadata.traceId === 'string' ? { traceId: outcome.metadata.traceId } : {}
    const approval = readApprovalId(outcome)
    if (outcome.decision !== 'ask' || approval === undefined)
      return { kind: 'blocked', why: `blocked by ${why}`, ...trace }
    if (holdMs > 0) {
      this.#options.onEvent({ type: 'held', agent: about.agent ?? '', approval, reason: why })
      const status = await keepAliveWhile(supervisor.approvals.wait(approval, { waitMs: holdMs, signal }))
      if (signal.aborted) return { kind: 'aborted' }
      if (status === 'approved') return outcome
    }
    return { kind: 'held', why: `held for approval (${approval}) by ${why}`, ...trace }
  }

  #context(about: StepContext): StepContext {
    return { session: this.#session, workspace: this.#options.workspace, ...about }
  }
}

function readApprovalId({ metadata }: Outcome): string | undefined {
  const { approval } = metadata
  return isRecord(approval) && typeof approval.id === 'string' ? approval.id : undefined
}

// What programs write for a terminal is not part of what they say; neither is anything else that one would obey.
function cleanText(text: string): string {
  const plain = stripVTControlCharacters(text).replace(/\r\n?/g, '\n')
  return plain.replace(/[^\P{Cc}\n\t]/gu, '').trim()
}
