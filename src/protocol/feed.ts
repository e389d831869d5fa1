// Builds the rows of the feed from steps, and filters them: the same code in the daemon, which reads the trace, and in the
// page, which follows the stream. Pure; the order of steps does not matter, and adding a step twice changes nothing.

import type { Action, ActionFilter, DecisionName, FeedStep } from './feed-views.ts'

const SEVERITY: Readonly<Record<DecisionName, number>> = { pass: 0, flag: 1, ask: 2, block: 3 }

/**
 * Adds a step to an action.
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
  // The step before the call has the command; it may be missing if it was deleted.
  const main = steps.find(({ phase }) => phase !== 'after') ?? first
  const strictest = steps.reduce((a, b) => (SEVERITY[b.decision] > SEVERITY[a.decision] ? b : a), main)
  const { point, tool, agent, host, session, preview } = main
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
    decision: strictest.decision,
    blocked: steps.some(({ blocked }) => blocked),
    hook: strictest.hook,
    reason: strictest.reason,
    wouldBlock: steps.find(({ wouldBlock }) => wouldBlock !== undefined)?.wouldBlock,
    durationMs: steps.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ranMs: steps.find(({ ranMs }) => ranMs !== undefined)?.ranMs,
    isEdited: steps.some(({ isEdited }) => isEdited),
    isUnsupervised: steps.some(({ isUnsupervised }) => isUnsupervised),
    steps,
  }
}

/** Does an action match a filter? Missing and empty fields match everything. */
export function isShown(action: Action, filter: ActionFilter): boolean {
  const [decision, hook, tool, session, text] = [
    filter.decision,
    filter.hook,
    filter.tool,
    filter.session,
    filter.text,
  ].map((value) => value?.trim() ?? '') as [string, string, string, string, string]
  return (
    (session === '' || action.session === session) &&
    (tool === '' || action.tool?.toLowerCase() === tool.toLowerCase()) &&
    (decision === '' || decision.split(',').some((one) => hasDecision(action, one))) &&
    (hook === '' || hasHook(action, hook.toLowerCase())) &&
    (text === '' || hasText(action, text.toLowerCase()))
  )
}

function hasDecision(action: Action, decision: string): boolean {
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
