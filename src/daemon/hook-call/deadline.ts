// The time limits of a hook call: when the host must have its reply, and how long a person is waited for.

import { DeadlineError, withDeadline } from '../../engine/deadline.ts'
import type { HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'

const APPROVAL_WAIT_MS = 55_000

/** Before the host's own limit: the hook process still has to start and end. */
export function computeReplyDeadline({ spec }: HostStep): number {
  return Math.max(500, spec.limitMs * 0.9 - 400)
}

const RECORD_WAIT_MS = 10_000

/** How long a reply waits for a locked database: for its claim, or for its record. */
export function computeRecordWait(step: HostStep): number {
  return Math.min(RECORD_WAIT_MS, computeReplyDeadline(step) / 3)
}

/** How long a step waits for approval. Zero if the host shows its own prompt. */
export function computeApprovalWait({ spec, canPrompt }: HostStep): number {
  const canHostAsk = spec.ask === 'prompting' || (spec.ask === 'prompt' && canPrompt)
  return canHostAsk ? 0 : Math.min(APPROVAL_WAIT_MS, spec.limitMs / 2)
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
