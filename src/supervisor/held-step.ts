// A step whose outcome asks: it waits for approval. Then an answer of a person is passed on to the agent's own permissions.

import type { ApprovalGate, ApprovalNote, AskLimits, DispatchedStep } from '../approvals/approval-gate.ts'
import type { HostPermission } from '../approvals/host-permission.ts'
import type { PermissionEvent } from '../engine/permission.ts'
import type { TracedOutcome } from './traced-engine.ts'

/** What a held step needs. */
interface HoldServices {
  readonly gate: ApprovalGate
  readonly limits: () => Partial<AskLimits>
  /** The event of the agent's own permissions, if the step is one. */
  readonly permission: PermissionEvent | undefined
  readonly hostPermission: HostPermission
  readonly flush: () => void
}

/** The outcome after the wait for approval. Other steps are returned as they are. */
export function resolveHeldStep(
  traced: TracedOutcome,
  dispatched: DispatchedStep,
  { gate, limits, permission, hostPermission, flush }: HoldServices,
): TracedOutcome | Promise<TracedOutcome> {
  const permit = (resolved: TracedOutcome, note?: ApprovalNote): TracedOutcome | Promise<TracedOutcome> =>
    permission === undefined ? resolved : hostPermission.permit(permission, { ...resolved, dispatched, note }, limits)
  if (traced.outcome.decision !== 'ask') return permit(traced)
  return gate.resolve(traced.outcome, dispatched, limits()).then((outcome) => {
    flush()
    // A refused step is blocked: enforce would have done the same.
    const isRefused = outcome.decision === 'block'
    const resolved = { ...traced, outcome: isRefused ? { ...outcome, wouldBe: undefined } : outcome }
    return permit(resolved, outcome.metadata.approval as ApprovalNote | undefined)
  })
}
