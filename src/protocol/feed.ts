// How steps become the rows of the feed, and which of them a filter shows: one rule, for the daemon that reads the record and
// for the page that follows the stream. Pure; joining is the same in any order and joining twice changes nothing.

import type { Action, ActionFilter, DecisionName, FeedStep } from './feed-views.ts'

const GRAVITY: Readonly<Record<DecisionName, number>> = { pass: 0, flag: 1, ask: 2, block: 3 }

/**
 * An action with one more step of it.
 * @example
 * rows.set(step.action, joinStep(rows.get(step.action), step))
 */
export function joinStep(action: Action | undefined, step: FeedStep): Action {
  const known = action?.steps ?? []
  if (known.some(({ seq }) => seq === step.seq)) return action as Action
  return buildAction([...known, step].sort((a, b) => a.seq - b.seq))
}

function buildAction(steps: readonly FeedStep[]): Action {
  const first = steps[0] as FeedStep
  // What would run is told by the step before it; the one after it may have been cut off from it.
  const opening = steps.find(({ phase }) => phase !== 'after') ?? first
  const gravest = steps.reduce((a, b) => (GRAVITY[b.decision] > GRAVITY[a.decision] ? b : a), opening)
  const { point, tool, agent, host, session, preview } = opening
  return {
    id: first.action,
    seq: first.seq,
    time: first.time,
    point,
    tool,
    agent,
    host,
    session,
    preview,
    decision: gravest.decision,
    blocked: steps.some(({ blocked }) => blocked),
    hook: gravest.hook,
    reason: gravest.reason,
    wouldBlock: steps.find(({ wouldBlock }) => wouldBlock !== undefined)?.wouldBlock,
    durationMs: steps.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ranMs: steps.find(({ ranMs }) => ranMs !== undefined)?.ranMs,
    isEdited: steps.some(({ isEdited }) => isEdited),
    isUnsupervised: steps.some(({ isUnsupervised }) => isUnsupervised),
    steps,
  }
}

/** Is it among those that a filter asks for? What is not asked for, or asked for as an empty text, is no matter. */
export function isShown(action: Action, filter: ActionFilter): boolean {
  const [decision, hook, tool, session, text] = [
    filter.decision,
    filter.hook,
    filter.tool,
    filter.session,
    filter.text,
  ].map((asked) => asked?.trim() ?? '') as [string, string, string, string, string]
  return (
    (session === '' || action.session === session) &&
    (tool === '' || action.tool?.toLowerCase() === tool.toLowerCase()) &&
    (decision === '' || decision.split(',').some((one) => isDecided(action, one))) &&
    (hook === '' || hasHook(action, hook.toLowerCase())) &&
    (text === '' || hasText(action, text.toLowerCase()))
  )
}

function isDecided(action: Action, decision: string): boolean {
  if (decision === 'would-block') return action.wouldBlock !== undefined
  if (decision === 'error') return action.steps.some(({ verdicts }) => verdicts.some(({ isError }) => isError === true))
  return action.decision === decision
}

function hasHook({ steps }: Action, hook: string): boolean {
  return steps.some(({ verdicts }) => verdicts.some((verdict) => verdict.hook.toLowerCase() === hook))
}

function hasText({ preview, reason, tool, session, agent, hook }: Action, text: string): boolean {
  return [preview, reason, tool, session, agent, hook].some((part) => part?.toLowerCase().includes(text) === true)
}
