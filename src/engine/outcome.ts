// What a dispatch gives back, and the record of one evaluation. Shapes only.

import type { Cause, OnError } from './degradation.ts'
import type { Mode } from './mode.ts'
import type { BlockMeaning } from './points.ts'
import type { Step } from './step.ts'
import type { Answer, Decision, Dropped } from './verdict.ts'

/** The result of a dispatch, for the caller. */
export interface Outcome<Data = object> {
  /** The strongest decision in force. A hold or block that was not applied counts as a flag. */
  readonly decision: Decision
  /**
   * What the decision would be if every hook were in enforce; only where that differs from `decision`. In log mode, the
   * default, a block is a flag here and `wouldBe` is `block`.
   */
  readonly wouldBe?: Decision | undefined
  /** The action must not run now: it is blocked, or it needs approval. */
  readonly blocked: boolean
  /** What the main loop must do when blocked: stop the action, continue the turn, skip, or end the turn. */
  readonly control: 'proceed' | BlockMeaning | 'break'
  /** Why, by whom, and what to do instead: from the first hook with the strongest decision. */
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  readonly suggestion?: string | undefined
  /** The data with all edits applied; the caller's own object when there were none. */
  readonly data: Data
  readonly metadata: Readonly<Record<string, unknown>>
  /** A result to use instead of running the action. */
  readonly answer?: Answer | undefined
}

/** One hook's evaluation of one step, for the trace. */
export interface Evaluation {
  readonly hook: string
  readonly point: string
  readonly priority: number
  /** The mode in force for this hook on this step. */
  readonly mode: Mode
  /** What the hook decided, whether or not it was applied. */
  readonly decision: Decision
  /** Did it change what happens: a hold or block in force, an edit or answer used? */
  readonly applied: boolean
  readonly cause: Cause
  readonly durationMs: number
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
  /** The edit it asked for. */
  readonly modify?: Readonly<Record<string, unknown>> | undefined
  readonly metadata?: Readonly<Record<string, unknown>> | undefined
  /** Parts of the verdict that could not be used, and why. */
  readonly dropped?: readonly Dropped[] | undefined
  /** The hook did not run: why. */
  readonly skipped?: Skip | undefined
  /** The breaker's maximum mode lowered the mode. */
  readonly loweredBy?: 'breaker' | undefined
}

/** Receives every evaluation, with its step, before the outcome is returned. */
export type Sink = (evaluation: Evaluation, step: Step) => void

/** Why a matching hook was skipped. */
export type Skip = 'disabled' | 'snoozed' | 'off'

/** A notice for the user, in advise and enforce. */
export interface Notice {
  readonly hook: string
  readonly point: string
  readonly mode: Mode
  readonly decision: Decision
  readonly applied: boolean
  readonly reason?: string | undefined
  readonly suggestion?: string | undefined
}

/** A failure that does not change the decision; always reported. */
export interface Fault {
  readonly kind: 'hook' | 'sink' | 'notify' | 'max-mode' | 'observe'
  readonly point: string
  readonly hook?: string | undefined
  /** How the hook's failures are to be taken, for the kind `hook`. */
  readonly onError?: OnError | undefined
  readonly message: string
}
