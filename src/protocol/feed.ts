// How steps become the rows of the feed: the one rule, for the daemon that reads the record and for the page that follows
// the stream. Pure; joining is the same in any order and joining twice changes nothing.

import type { Action, DecisionName, FeedStep } from './feed-views.ts'

const GRAVITY: Readonly<Record<DecisionName, number>> = { pass: 0, flag: 1, ask: 2, block: 3 }

/**
 * An action with one more step of it.
 * @example
 * rows.set(step.action, joinStep(rows.get(step.action), step))
 */
export function joinStep(action: Action | undefined, step: FeedStep): Action {
  const known = action?.steps ?? []
  if (known.some(({ seq }) => seq === step.seq)) return action as Action
  return actionOf([...known, step].sort((a, b) => a.seq - b.seq))
}

function actionOf(steps: readonly FeedStep[]): Action {
  const first = steps[0] as FeedStep
  // What would run is told by the step before it; the one after it may have been cut off from it.
  const opening = steps.find(({ phase }) => phase !== 'after') ?? first
  const gravest = steps.reduce((a, b) => (GRAVITY[b.decision] > GRAVITY[a.decision] ? b : a), opening)
  const { tool, agent, host, session } = opening
  const { hook, reason } = gravest
  const wouldBlock = steps.find((step) => step.wouldBlock !== undefined)?.wouldBlock
  const ranMs = steps.find((step) => step.ranMs !== undefined)?.ranMs
  return {
    id: first.action,
    seq: first.seq,
    time: first.time,
    point: opening.point,
    ...(tool !== undefined && { tool }),
    ...(agent !== undefined && { agent }),
    ...(host !== undefined && { host }),
    ...(session !== undefined && { session }),
    preview: opening.preview,
    decision: gravest.decision,
    blocked: steps.some(({ blocked }) => blocked),
    ...(hook !== undefined && { hook }),
    ...(reason !== undefined && { reason }),
    ...(wouldBlock !== undefined && { wouldBlock }),
    durationMs: steps.reduce((sum, step) => sum + step.durationMs, 0),
    ...(ranMs !== undefined && { ranMs }),
    ...(steps.some(({ isEdited }) => isEdited) && { isEdited: true as const }),
    ...(steps.some(({ isUnsupervised }) => isUnsupervised) && { isUnsupervised: true as const }),
    steps,
  }
}
