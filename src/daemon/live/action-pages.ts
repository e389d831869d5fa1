// The rows of the feed from the record: page by page, one by its id, and those of a session. Newest first is how people look.

import { isShown, joinStep } from '../../protocol/feed.ts'
import type { Action, ActionFilter, ActionsPage, EventView, FeedStep } from '../../protocol/feed-views.ts'
import type { SessionDetail } from '../../protocol/views.ts'
import type { TraceStore } from '../../trace/store.ts'
import { DecisionCounters } from './decision-counters.ts'
import { buildEventView, buildFeedStep, type WholeStep } from './feed-steps.ts'
import { readAfter, readBack } from './trace-scan.ts'

/** Which page. */
export interface PageRequest {
  readonly before?: number | undefined
  readonly limit: number
}

// A filter that matches little must not read for ever: the page asks on from there.
const MAX_SCANNED = 20_000
// So far ahead of a page the steps after its tool calls are looked for.
const MAX_AHEAD = 500
const MAX_OF_SESSION = 1_000

/** A page of actions. */
export async function readActions(trace: TraceStore, filter: ActionFilter, wish: PageRequest): Promise<ActionsPage> {
  const { before, limit } = wish
  const only = filter.session ? { session: filter.session } : {}
  const later = new LaterSteps()
  if (before !== undefined) for (const step of stepsAhead(trace, before, only)) later.keep(step)
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
  // What came after steps that are kept no more.
  actions.push(...later.rest(before).filter((action) => isShown(action, filter)))
  return { actions, next: null, seq: seq ?? 0 }
}

/** Everything a session did of late; undefined when nothing is known of it. */
export async function readSession(trace: TraceStore, id: string, now: number): Promise<SessionDetail | undefined> {
  const later = new LaterSteps()
  const wholes: WholeStep[] = []
  const actions: Action[] = []
  const events: EventView[] = []
  const tally = new DecisionCounters()
  let isCut = false
  for await (const page of readBack(trace, undefined, { session: id })) {
    for (const whole of [...page.steps].reverse()) {
      wholes.push(whole)
      const action = later.take(buildFeedStep(whole))
      if (action !== undefined) actions.push(action)
    }
    for (const event of page.events) {
      events.push(buildEventView(event))
      tally.addEvent(event)
    }
    isCut = actions.length >= MAX_OF_SESSION
    if (isCut) break
  }
  for (const whole of wholes.reverse()) tally.addStep(whole)
  const [session] = tally.sessions(now)
  if (session === undefined) return undefined
  const all = [...actions, ...(isCut ? [] : later.rest())].sort((a, b) => a.seq - b.seq)
  return { session, actions: all, events: events.sort((a, b) => a.seq - b.seq), isCut }
}

/** Steps that came after others, until those are met on the way back. */
class LaterSteps {
  readonly #waiting = new Map<string, FeedStep[]>()

  keep(step: FeedStep): void {
    if (step.action === step.id) return
    this.#waiting.set(step.action, [...(this.#waiting.get(step.action) ?? []), step])
  }

  /** The action that a step began, with what came after it; undefined for a step that came after another. */
  take(step: FeedStep): Action | undefined {
    if (step.action !== step.id) {
      this.keep(step)
      return undefined
    }
    const after = this.#waiting.get(step.id) ?? []
    this.#waiting.delete(step.id)
    return after.reduce<Action>((action, one) => joinStep(action, one), joinStep(undefined, step))
  }

  /** Those whose beginning was not met, newest first; not what was only looked for ahead of the page. */
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
  return steps.filter(({ record }) => record.point.startsWith('post:')).map(buildFeedStep)
}
