// Approvals that a person gives before the agent tries again, for a step that was blocked or held: `arc allow ID`. They are
// approvals like all others: for exactly one step, used once, and they expire.

import { ArcError, clip, show } from '../engine/errors.ts'
import { update } from '../storage/state.ts'
import { ApprovalIndex } from './approval-index.ts'
import { PREFIX, RETENTION_MS } from './approval-store.ts'
import {
  type AnswerSource,
  type Approval,
  type ApprovalServices,
  Approvals,
  type HeldStep,
  LIFETIME_MS,
} from './approvals.ts'
import { storedArgs } from './stored-args.ts'

/** The step that may run once. */
export interface AllowedStep {
  /** Shown to people. Its secrets may be replaced, so the hash is given. */
  readonly step: HeldStep
  /** The hash of the step as it was checked. */
  readonly hash: string
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  readonly stepId?: string | undefined
  /** How long it can be used; 10 minutes by default. */
  readonly lifetimeMs?: number | undefined
}

const MAX_REASON = 2_000

/** The approvals in advance of a home. */
export class AdvanceApprovals {
  readonly #services: ApprovalServices
  readonly #approvals: Approvals
  readonly #index: ApprovalIndex

  constructor(services: ApprovalServices) {
    this.#services = services
    this.#approvals = new Approvals(services)
    this.#index = new ApprovalIndex(services.state, RETENTION_MS + LIFETIME_MS)
  }

  /** The hash that identifies a step. */
  hashStep(step: HeldStep): string {
    return this.#approvals.hashStep(step)
  }

  /** Allows a step once. A pending approval of the same step is answered instead. */
  grant(allowed: AllowedStep, source: AnswerSource): Approval {
    const answered = this.answerPending(allowed.hash, source)
    if (answered !== undefined) return answered
    const { state, clock, newId, canonicalize, record } = this.#services
    const { step, hash, hook, stepId, lifetimeMs = LIFETIME_MS } = allowed
    const reason = allowed.reason === undefined ? undefined : clip(allowed.reason, MAX_REASON)
    const now = clock.wall()
    const approval: Approval = {
      ...{ id: newId(), hash, reason, hook, stepId, status: 'approved' },
      step: { ...step, ...storedArgs(step.args, canonicalize(step.args ?? null)) },
      ...{
        appliesTo: 'next',
        lifetimeMs,
        createdAt: now,
        expiresAt: now + lifetimeMs,
        answeredBy: source.by,
        answeredAt: now,
      },
    }
    this.#index.add(approval)
    this.#index.remove(approval.id)
    if (!state.set(PREFIX + approval.id, approval, 0)) {
      throw new ArcError('ARC_STORE_BUSY', `There is an approval ${show(approval.id)} already.`)
    }
    const { by, channel = 'program', process } = source
    record?.({
      ...{ component: 'hooks', action: 'approval:approved', level: 'info' },
      message: `${approval.id} is approved in advance${by === undefined ? '' : ` by ${by}`}, channel ${channel}`,
      data: {
        approval: { id: approval.id, status: 'approved', by },
        ...{ channel, process, hash, hook, step: stepId, session: step.session, point: step.point, reason },
      },
    })
    return approval
  }

  /** Approves the step where it still waits for an answer. */
  answerPending(hash: string, source: AnswerSource): Approval | undefined {
    const pending = this.#find(hash, 'pending')
    return pending === undefined ? undefined : this.#approvals.answer(pending.id, 'approve', source)
  }

  /** The unused approval of a step, by its hash. */
  findApproved(hash: string): Approval | undefined {
    return this.#find(hash, 'approved')
  }

  /** The approvals that were given and not used yet, oldest first. */
  list(): readonly Approval[] {
    return this.#approvals.list().filter(({ status }) => status === 'approved')
  }

  /** Ends an unused approval; false when it was used or has expired meanwhile. */
  revoke(id: string): boolean {
    const { state, clock } = this.#services
    let isMine = false
    update<Approval>(state, PREFIX + id, (approval) => {
      isMine = approval?.status === 'approved' && this.#approvals.get(id)?.status === 'approved'
      return isMine && approval !== undefined ? { ...approval, status: 'expired', expiresAt: clock.wall() } : undefined
    })
    return isMine
  }

  #find(hash: string, status: Approval['status']): Approval | undefined {
    const found = this.#index.findByHash(hash).flatMap((id) => this.#approvals.get(id) ?? [])
    return found.find((approval) => approval.status === status)
  }
}
