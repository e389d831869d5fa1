// The actions of the feed from the trace: page by page, newest first, and the actions of a session.

import { isShown, joinStep } from '../../protocol/feed.ts'
import type { Action, ActionFilter, ActionsPage, EventView, FeedStep } from '../../protocol/feed-views.ts'
import type { SessionDetail } from '../../protocol/views.ts'
import type { TraceStore } from '../../storage/ports.ts'
import { readFirstStep } from '../../trace/second-step.ts'
import { DecisionCounters } from './decision-counters.ts'
import { buildEventView, buildFeedStep, type WholeStep } from './feed-steps.ts'
import { readAfter, readBack } from './trace-scan.ts'

/** The position and size of a page. */
export interface PageRequest {
  readonly before?: number | undefined
  readonly limit: number
  /** Not older than this wall-clock time in ms. */
  readonly since?: number | undefined
}

// A filter with few matches must not scan the whole trace: the page continues from there.
const MAX_SCANNED = 20_000
// How many records after a page are searched for the results of its tool calls.
const MAX_AHEAD = 500
const MAX_OF_SESSION = 1_000

/** A page of actions. */
export async function readActions(trace: TraceStore, filter: ActionFilter, request: PageRequest): Promise<ActionsPage> {
  const { before, limit, since } = request
  const only = { ...(filter.session && { session: filter.session }), ...(since !== undefined && { since }) }
  const later = new LaterSteps()
  if (before !== undefined) for (const step of stepsAhead(trace, before, only)) later.add(step)
  const actions: Action[] = []
  let seq: number | undefined
  let scanned = 0
  for await (const { steps, last, read, first } of readBack(trace, before, only)) {
    seq ??= last
    scanned += read
    for (const whole of [...steps].reverse()) {
      const action = later.take(buildFeedStep(whole))
      if (action === undefined || !isShown(action, filter)) continue
      actions.push(action)
      if (actions.length === limit) return { actions, next: action.seq, seq: seq ?? 0 }
    }
    if (scanned >= MAX_SCANNED) return { actions, next: first, seq: seq ?? 0 }
  }
  // Steps whose first step was removed.
  actions.push(...later.rest(before).filter((action) => isShown(action, filter)))
  return { actions, next: null, seq: seq ?? 0 }
}

/** The newest actions of a session; undefined for an unknown session. */
export async function readSession(trace: TraceStore, id: string, now: number): Promise<SessionDetail | undefined> {
  const later = new LaterSteps()
  const wholes: WholeStep[] = []
  const actions: Action[] = []
  const events: EventView[] = []
  const counters = new DecisionCounters()
  let isCut = false
  for await (const page of readBack(trace, undefined, { session: id })) {
    for (const whole of [...page.steps].reverse()) {
      wholes.push(whole)
      const action = later.take(buildFeedStep(whole))
      if (action !== undefined) actions.push(action)
    }
    for (const event of page.events) {
      events.push(buildEventView(event))
      counters.addEvent(event)
    }
    isCut = actions.length >= MAX_OF_SESSION
    if (isCut) break
  }
  for (const whole of wholes.reverse()) counters.addStep(whole)
  const [session] = counters.sessions(now)
  if (session === undefined) return undefined
  const all = [...actions, ...(isCut ? [] : later.rest())].sort((a, b) => a.seq - b.seq)
  return { session, actions: all, events: events.sort((a, b) => a.seq - b.seq), isCut }
}

/** Later steps of actions, until the first step is read: the trace is read backward. */
export class LaterSteps {
  readonly #waiting = new Map<string, FeedStep[]>()

  add(step: FeedStep): void {
    if (step.action === step.id) return
    this.#waiting.set(step.action, [...(this.#waiting.get(step.action) ?? []), step])
  }

  /** The action of a first step with its later steps; undefined for a later step. */
  take(step: FeedStep): Action | undefined {
    if (step.action !== step.id) {
      this.add(step)
      return undefined
    }
    const after = this.#waiting.get(step.id) ?? []
    this.#waiting.delete(step.id)
    return after.reduce<Action>((action, one) => joinStep(action, one), joinStep(undefined, step))
  }

  /** The actions whose first step was not read, newest first, without records after the page. */
  rest(before = Number.POSITIVE_INFINITY): Action[] {
    const all = [...this.#waiting.values()].map((steps) => steps.filter(({ seq }) => seq < before))
    const joined = all.map((steps) =>
      steps.reduce<Action | undefined>((action, one) => joinStep(action, one), undefined),
    )
    return joined.filter((action) => action !== undefined).sort((a, b) => b.seq - a.seq)
  }
}

function stepsAhead(trace: TraceStore, from: number, only: { readonly session?: string }): FeedStep[] {
  const { steps } = readAfter(trace, from - 1, { ...only, limit: MAX_AHEAD })
  return steps.filter(({ record }) => readFirstStep(record) !== undefined).map(buildFeedStep)
}
