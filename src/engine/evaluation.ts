// What is recorded of one hook's part in a step. Built only when there is a sink to take it.

import type { AppliedVerdict } from './apply-by-mode.ts'
import type { Cause } from './degradation.ts'
import type { Hook } from './hook.ts'
import { effectiveMode, type Mode } from './mode.ts'
import type { Evaluation, Skip } from './outcome.ts'
import { frozenCopy } from './plain-data.ts'
import type { Verdict } from './verdict.ts'

/** A hook's run, how it was judged, and what came of it. */
interface Judged {
  readonly hook: Hook
  readonly profile: Mode
  /** The mode in force. */
  readonly mode: Mode
  readonly verdict: Verdict
  readonly ruling: AppliedVerdict
  readonly cause: Cause
}

/** The evaluation of a hook that had something to say. The recorder adds how long it took. */
export function buildEvaluation({ hook, profile, mode, verdict, ruling, cause }: Judged): Evaluation {
  const { decision, reason, suggestion, metadata } = verdict
  const { applied, dropped } = ruling
  // A copy: the edit itself becomes part of the data, which the caller may change.
  const modify = verdict.edit === undefined ? undefined : frozenCopy(verdict.edit)
  const loweredBy = mode === effectiveMode({ profile, hook: hook.mode }) ? undefined : 'breaker'
  // One literal: V8 looks up every field anew that follows a spread.
  return {
    hook: hook.name,
    point: hook.point,
    priority: hook.priority,
    mode,
    decision,
    applied,
    cause,
    durationMs: 0,
    reason,
    suggestion,
    modify,
    metadata,
    dropped,
    loweredBy,
  }
}

/** The evaluation of a hook that had nothing to say: by far the commonest, so no more is built than it needs. */
export function buildPass(hook: Hook, mode: Mode, durationMs: number): Evaluation {
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

/** Why a hook that matches does not run; undefined when it does. */
export function findSkip({ disabled }: Hook, mode: Mode, wall: () => number): Skip | undefined {
  if (disabled !== undefined && disabled.until === undefined) return 'disabled'
  if (disabled?.until !== undefined && wall() < disabled.until) return 'snoozed'
  return mode === 'off' ? 'off' : undefined
}

/** The evaluation of a hook that did not run. */
export function buildSkip(hook: Hook, mode: Mode, skipped: Skip): Evaluation {
  return { ...buildPass(hook, mode, 0), reason: hook.disabled?.reason, skipped }
}
