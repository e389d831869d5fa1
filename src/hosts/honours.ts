// What a host carries out at an event, for the engine: what it does not honour is never recorded or told as done.

import type { Honours } from '../engine/action-views.ts'
import { isRecord } from '../engine/plain-data.ts'
import { POINTS, type PointSpec } from '../engine/points.ts'
import type { HostStep } from './host.ts'
import { restoreArgs } from './tool-args.ts'

/** What the host of a step carries out of a verdict on it. */
export function readHonours(step: HostStep): Honours {
  const block = step.spec.block !== 'none'
  return {
    block,
    ask: block && isStoppable(step),
    who: step.host,
    canEdit: (field, value) => canEdit(step, field, value),
  }
}

/** Does a block stop the action? At a turn's end or a compaction it means something else. */
export function isStoppable({ point }: Pick<HostStep, 'point'>): boolean {
  const spec: PointSpec = POINTS[point]
  return spec.canAbort && spec.blockMeans === undefined
}

/** Does the host carry out this new value of a field? */
export function canEdit(step: HostStep, field: string, value: unknown): boolean {
  if (field === 'config') return canAddPrompt(step, value)
  if (!(step.spec.edits as readonly string[]).includes(field)) return false
  return field !== 'args' || !step.spec.isMerged || canMerge(step, value)
}

// An agent that starts gets a new prompt as context; the rest of its configuration is out of reach.
function canAddPrompt({ spec, data }: HostStep, value: unknown): boolean {
  if (!spec.context || !isRecord(value) || typeof value.prompt !== 'string') return false
  const before = isRecord(data.config) ? data.config : {}
  return Object.keys({ ...before, ...value }).every((key) => key === 'prompt' || value[key] === before[key])
}

// A merge cannot take an argument away.
function canMerge({ data, hostArgs = {} }: HostStep, value: unknown): boolean {
  if (!isRecord(value)) return false
  const restored = restoreArgs(String(data.tool), hostArgs, value)
  return Object.keys(hostArgs).every((key) => Object.hasOwn(restored, key))
}
