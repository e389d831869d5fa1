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
  const strictest = steps.reduce((a, b) => (rankStep(b) > rankStep(a) ? b : a), main)
  const { point, tool, agent, host, session, workspace, preview } = main
  return {
    id: first.action,
    seq: first.seq,
    time: first.time,
    point,
    tool,
    agent,
    host,
    session,
    workspace,
    preview,
    decision: strictest.decision,
    wouldBe: strictest.wouldBe,
    blocked: steps.some(({ blocked }) => blocked),
    hook: strictest.hook,
    reason: strictest.reason,
    rule: strictest.rule,
    wouldBlock: steps.find(({ wouldBlock }) => wouldBlock !== undefined)?.wouldBlock,
    durationMs: steps.reduce((sum, { durationMs }) => sum + durationMs, 0),
    ranMs: steps.find(({ ranMs }) => ranMs !== undefined)?.ranMs,
    isEdited: steps.some(({ isEdited }) => isEdited),
    isUnsupervised: steps.some(({ isUnsupervised }) => isUnsupervised),
    steps,
  }
}

// By the decision in force, then by the decision in enforce.
function rankStep({ decision, wouldBe = decision }: FeedStep): number {
  return SEVERITY[decision] * 10 + SEVERITY[wouldBe]
}

/** Does an action match a filter? Missing and empty fields match everything. */
export function isShown(action: Action, filter: ActionFilter): boolean {
  return FILTERS.every(([field, matches]) => {
    const wanted = filter[field]?.trim() ?? ''
    return wanted === '' || matches(action, wanted)
  })
}

type Matches = (action: Action, wanted: string) => boolean

const FILTERS: readonly (readonly [keyof ActionFilter, Matches])[] = [
  ['session', ({ session }, wanted) => session === wanted],
  ['tool', ({ tool }, wanted) => tool?.toLowerCase() === wanted.toLowerCase()],
  ['decision', (action, wanted) => wanted.split(',').some((one) => hasDecision(action, one))],
  ['hook', (action, wanted) => hasHook(action, wanted.toLowerCase())],
  ['text', (action, wanted) => hasText(action, wanted.toLowerCase())],
  ['project', ({ workspace }, wanted) => workspace !== undefined && isInProject(workspace, wanted)],
  ['agent', ({ agent, host }, wanted) => [agent, host].some((name) => name?.toLowerCase() === wanted.toLowerCase())],
  ['rule', ({ steps }, wanted) => steps.some(({ rule }) => rule === wanted || rule?.startsWith(`${wanted}/`) === true)],
]

// A path covers the folders in it; a name without a slash is that of the folder or of a folder around it.
function isInProject(workspace: string, wanted: string): boolean {
  const project = wanted.length > 1 ? wanted.replace(/[\\/]+$/, '') : wanted
  if (!/[\\/]/.test(project)) return workspace.split(/[\\/]/).includes(project)
  return workspace === project || (workspace.startsWith(project) && /[\\/]/.test(workspace.charAt(project.length)))
}

function hasDecision(action: Action, decision: string): boolean {
  if (decision === 'would-block') return action.wouldBlock !== undefined
  if (decision === 'error') return action.steps.some(({ verdicts }) => verdicts.some(({ isError }) => isError === true))
  return action.decision === decision
}

function hasHook({ steps }: Action, hook: string): boolean {
  return steps.some(({ verdicts }) => verdicts.some((verdict) => verdict.hook.toLowerCase() === hook))
}

function hasText({ preview, reason, tool, session, agent, hook, rule }: Action, text: string): boolean {
  return [preview, reason, tool, session, agent, hook, rule].some((part) => part?.toLowerCase().includes(text) === true)
}
