// The evaluation of one hook on one step, for the sink and the trace.

import type { AppliedVerdict } from './apply-by-mode.ts'
import type { Cause } from './degradation.ts'
import type { RegisteredHook } from './hook.ts'
import { effectiveMode, type Mode } from './mode.ts'
import type { Evaluation, Skip } from './outcome.ts'
import { frozenCopy } from './plain-data.ts'

/** A hook's run, its verdict and the result. */
interface EvaluationInput {
  readonly hook: RegisteredHook
  readonly profile: Mode
  /** The mode in force. */
  readonly mode: Mode
  readonly applied: AppliedVerdict
  readonly cause: Cause
  readonly durationMs: number
}

/** The evaluation of a hook with a verdict. */
export function buildEvaluation(input: EvaluationInput): Evaluation {
  const { hook, profile, mode, cause, durationMs } = input
  const { applied, dropped, verdict } = input.applied
  const { decision, reason, suggestion, metadata } = verdict
  // A copy: the edit itself becomes part of the data, which the caller may change.
  const modify = verdict.edit === undefined ? undefined : frozenCopy(verdict.edit)
  const loweredBy = mode === effectiveMode({ profile, hook: hook.mode }) ? undefined : 'breaker'
  return {
    hook: hook.name,
    point: hook.point,
    priority: hook.priority,
    mode,
    decision,
    applied,
    cause,
    durationMs,
    reason,
    suggestion,
    modify,
    metadata,
    dropped,
    loweredBy,
  }
}

/** The evaluation of a hook that passed without a verdict: the most frequent case. */
export function buildPass(hook: RegisteredHook, mode: Mode, durationMs: number): Evaluation {
  return {
    hook: hook.name,
    point: hook.point,
    priority: hook.priority,
    mode,
    decision: 'pass',
    applied: false,
    cause: 'policy',
    durationMs,
  }
}

/** Why a matching hook is skipped; undefined if it runs. */
export function findSkip({ disabled }: RegisteredHook, mode: Mode, wall: () => number): Skip | undefined {
  if (disabled !== undefined && disabled.until === undefined) return 'disabled'
  if (disabled?.until !== undefined && wall() < disabled.until) return 'snoozed'
  return mode === 'off' ? 'off' : undefined
}

/** The evaluation of a skipped hook. */
export function buildSkip(hook: RegisteredHook, mode: Mode, skipped: Skip): Evaluation {
  return { ...buildPass(hook, mode, 0), reason: hook.disabled?.reason, skipped }
}
