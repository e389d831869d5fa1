// The time limits of a hook call: when the host must have its reply, and how long a person is waited for.

import type { Config } from '../../config/config.ts'
import { DeadlineError, withDeadline } from '../../engine/deadline.ts'
import type { HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'

/** Before the host's own limit: the hook process still has to start and end. */
export function computeReplyDeadline({ spec }: HostStep): number {
  return Math.max(500, spec.limitMs * 0.9 - 400)
}

const RECORD_WAIT_MS = 10_000

/** How long a reply waits for a locked database: for its claim, or for its record. */
export function computeRecordWait(step: HostStep): number {
  return Math.min(RECORD_WAIT_MS, computeReplyDeadline(step) / 3)
}

/** Who asks for approval of a step, and how long the call waits for the answer. */
export function planApproval(
  { spec, canPrompt }: HostStep,
  isUnattended: boolean,
  { waitMs, unattendedWaitMs }: Config['approvals'],
): { readonly isPrompt: boolean; readonly askMs: number } {
  // The host asks anyway; without a person it refuses.
  if (spec.ask === 'prompting') return { isPrompt: !isUnattended, askMs: 0 }
  const isPrompt = spec.ask === 'prompt' && canPrompt && !isUnattended
  if (isPrompt) return { isPrompt, askMs: 0 }
  return { isPrompt, askMs: Math.min(isUnattended ? unattendedWaitMs : waitMs, spec.limitMs / 2) }
}

/** Waits for a reply until the deadline or the signal; throws an error that says why there is none. */
export function withReplyDeadline<T>(
  limitMs: number,
  signal: AbortSignal | undefined,
  work: (signal: AbortSignal) => Promise<T>,
): Promise<T> {
  return withDeadline({ clock: systemClock, limitMs, signal }, work, (why) => {
    const isLate = why instanceof DeadlineError
    throw new Error(isLate ? `no decision within ${Math.round(limitMs)} ms` : 'cancelled before there was a decision')
  })
}
