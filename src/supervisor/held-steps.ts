// Steps whose outcome asks: they wait for approval. Then an answer of a person is passed on to the agent's own permissions.

import type { ApprovalGate, ApprovalNote, AskLimits, DispatchedStep } from '../approvals/approval-gate.ts'
import type { HostPermission } from '../approvals/host-permission.ts'
import type { PermissionEvent } from '../engine/permission.ts'
import type { TracedOutcome } from './traced-engine.ts'

/** What held steps need. */
interface HoldServices {
  readonly gate: ApprovalGate
  readonly hostPermission: HostPermission
  /** Writes what is pending: an approver answers from another process. */
  readonly flush: () => void
}

/** The steps of one supervisor that wait for a person. */
export class HeldSteps {
  readonly #services: HoldServices

  constructor(services: HoldServices) {
    this.#services = services
  }

  /** The outcome after the wait. `permission` is the event of the agent's own permissions, if the step is one. */
  resolve(
    traced: TracedOutcome,
    dispatched: DispatchedStep,
    limits: () => Partial<AskLimits>,
    permission: PermissionEvent | undefined,
  ): TracedOutcome | Promise<TracedOutcome> {
    const { gate, hostPermission, flush } = this.#services
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
}
