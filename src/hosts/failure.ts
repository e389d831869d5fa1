// The reply to a host when ARC itself fails: a payload it cannot read, an engine it cannot reach.

import { isAtLeast, type Mode } from '../engine/mode.ts'
import type { Outcome } from '../engine/outcome.ts'
import { isStoppable } from './honours.ts'
import type { HostStep } from './host.ts'

const HOOK = 'arc'

/**
 * The outcome of a step that ARC could not check. In enforce it stops what can be stopped, since a failure is never
 * consent; in the lower modes it is only told. A turn's end and a compaction are let go: to hold them would never end.
 * @example
 * const outcome = isUnreadable(read) ? failureOutcome(read.step, read.unreadable, 'enforce') : …
 */
export function failureOutcome(step: HostStep, why: string, mode: Mode): Outcome {
  const isStopped = mode === 'enforce' && step.spec.block !== 'none' && isStoppable(step)
  const reason = `ARC could not check this: ${why}`
  const suggestion = 'Run arc doctor to see what is wrong.'
  const decision = isStopped ? 'block' : 'flag'
  const advice = [{ hook: HOOK, decision, reason, suggestion }]
  return {
    decision,
    blocked: isStopped,
    control: isStopped ? 'stop' : 'proceed',
    reason,
    hook: HOOK,
    suggestion,
    data: step.data,
    metadata: isAtLeast(mode, 'log') ? { suggestions: advice } : {},
  }
}
