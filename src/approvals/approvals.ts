// Steps that need approval. An approval is for exactly one step in one project, can be used once, and expires; an edited
// step needs a new one. Stored in the state store, so that one process can wait for an answer that is given in another.

import type { Clock } from '../engine/clock.ts'
import { pause } from '../engine/deadline.ts'
import { ArcError, clip, show } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { onAnswer, signalAnswer } from './answer-signal.ts'
import {
  type AnswerSource,
  type Approval,
  type ApprovalEvent,
  type ApprovalStatus,
  canJoin,
  canUse,
  giveBack,
  type HeldStep,
  type HoldReason,
  hasMessageFor,
  notPending,
  type SessionOwner,
  type StepEnd,
  type UsedAt,
  type WithdrawnBy,
} from './approval.ts'
import { answerEvent, withdrawnEvent } from './approval-events.ts'
import { ApprovalIndex } from './approval-index.ts'
import { ApprovalStore, RETENTION_MS } from './approval-store.ts'
import { storedArgs } from './stored-args.ts'

export {
  type AnswerSource,
  type Approval,
  type ApprovalStatus,
  type HeldStep,
  toHeldStep,
} from './approval.ts'

export interface ApprovalServices {
  readonly state: StateStore
  readonly clock: Clock
  readonly newId: () => string
  /** Canonical JSON, as in the trace. */
  readonly canonicalize: (value: unknown) => string
  /** Records each answer when it is given. */
  readonly record?: ((event: ApprovalEvent) => void) | undefined
  /** Called when an approval is new, and when it is over. */
  readonly onChange?: ((approval: Approval) => void) | undefined
}

export interface ApprovalOptions {
  /** How long an approval can be answered, and after that used; 10 minutes by default. */
  readonly lifetimeMs?: number | (() => number)
}

/** How long an approval can be answered, and after that used. */
export const LIFETIME_MS = 600_000
// How often the state is read for an answer of another process.
const POLL_MS = 20
const MAX_REASON = 2_000

/** When to stop waiting for an answer. */
export interface WaitLimits {
  readonly signal?: AbortSignal
  readonly waitMs?: number
  /** The approval stays unused: a later call uses it. */
  readonly isKept?: boolean
  /** The call that uses the approval. */
  readonly use?: { readonly by: SessionOwner; readonly at: UsedAt } | undefined
}

/**
 * The approvals of a home.
 * @example
 * const approvals = new Approvals(services)
 * const { status } = await approvals.hold(step, { reason, hook, waitMs: 60_000 })
 */
export class Approvals {
  readonly #services: ApprovalServices
  readonly #lifetimeMs: () => number
  readonly #index: ApprovalIndex
  readonly #store: ApprovalStore

  constructor(services: ApprovalServices, { lifetimeMs = LIFETIME_MS }: ApprovalOptions = {}) {
    this.#services = services
    this.#lifetimeMs = typeof lifetimeMs === 'number' ? () => lifetimeMs : lifetimeMs
    this.#index = new ApprovalIndex(services.state, RETENTION_MS + this.#lifetimeMs())
    this.#store = new ApprovalStore(services, this.#index)
  }

  /** Requests approval. The same step requested twice is one request. Throws when too many are pending. */
  request(step: HeldStep, why: HoldReason): Approval {
    const hash = this.hashStep(step)
    const { appliesTo = 'next' } = why
    const known = this.#store.findByHash(hash).find((approval) => canJoin(approval, step, appliesTo))
    const joined = known === undefined ? undefined : this.#join(known.id, why)
    if (joined !== undefined) return joined
    // A new question about the same step: an earlier approval is over.
    this.#index.endUses(step, hash)
    const { clock, newId, canonicalize, onChange } = this.#services
    const createdAt = clock.wall()
    const lifetimeMs = this.#lifetimeMs()
    const reason = why.reason === undefined ? undefined : clip(why.reason, MAX_REASON)
    const times = { createdAt, lifetimeMs, expiresAt: createdAt + lifetimeMs }
    const stored = { ...step, ...storedArgs(step.args, canonicalize(step.args ?? null), why.matched) }
    const { hook, stepId, callerPid, refusedBy } = why
    const cause = { reason, hook, stepId, callerPid, ...(refusedBy !== undefined && { refusedBy }) }
    const approval: Approval = { id: newId(), step: stored, hash, ...cause, appliesTo, ...times, status: 'pending' }
    this.#store.add(approval)
    onChange?.(approval)
    return approval
  }

  /** Answers a pending approval and records the answer. The first answer counts. */
  answer(id: string, answer: 'approve' | 'deny', source: AnswerSource = {}): Approval {
    const status = answer === 'approve' ? 'approved' : 'denied'
    const message = source.message === undefined ? undefined : clip(source.message, MAX_REASON)
    const answered = this.#store.change(id, (approval) => {
      if (approval.status !== 'pending') return undefined
      // The use has its own lifetime, so that an answer at the last moment can still be used.
      const answeredAt = this.#services.clock.wall()
      const { lifetimeMs = LIFETIME_MS } = approval
      const given = { answeredBy: source.by, answeredAt, ...(message !== undefined && { message }) }
      return { ...approval, status, ...given, expiresAt: answeredAt + lifetimeMs }
    })
    if (answered === undefined) throw notPending(this.#require(id))
    // An approval of a prompt or a call that is not used yet still ends with its session.
    if (status === 'denied' || answered.appliesTo === 'next') this.#index.remove(id)
    else this.#index.change(answered)
    if (status === 'approved' && answered.refusedBy !== undefined) this.#index.noteOverruled(answered)
    this.#services.record?.(answerEvent(answered, status, source))
    this.#end(answered)
    return answered
  }

  /** A pending approval; throws where there is none with this id. */
  open(id: string): Approval {
    const approval = this.#require(id)
    if (approval.status !== 'pending') throw notPending(approval)
    return approval
  }

  /** Uses an earlier approval of exactly this step: once, by one process. `at` is for agents that call twice for a call. */
  consume(step: HeldStep, at?: UsedAt, isWanted: (approval: Approval) => boolean = () => true): Approval | undefined {
    const hash = this.hashStep(step)
    for (const approval of this.#store.findByHash(hash)) {
      const isUsable = approval.status === 'approved' && canUse(approval, step) && isWanted(approval)
      const used = isUsable ? this.#use(approval.id, at && { by: step, at }) : undefined
      if (used !== undefined) return used
    }
    const id = at === undefined ? undefined : this.#index.takeUse(step, hash, at, this.#services.clock.wall())
    return id === undefined ? undefined : this.get(id)
  }

  /** Whether an approval of a step that an agent refused itself may be unused: most calls need no further search. */
  hasOverruled(): boolean {
    return this.#index.hasOverruled(this.#services.clock.wall())
  }

  /** An approval of a step that the agent refused itself: one that is not used yet, or the used one, given back once. */
  giveBack(step: HeldStep, refusedBy: string): Approval | undefined {
    const hash = this.hashStep(step)
    const unused = this.#store.findByHash(hash).find((one) => one.status === 'approved' && canUse(one, step))
    const now = this.#services.clock.wall()
    const id = unused?.id ?? this.#index.takeUse(step, hash, 'refusal', now)
    const given =
      id === undefined ? undefined : this.#store.change(id, (approval) => giveBack(approval, refusedBy, now))
    if (given !== undefined) this.#index.noteOverruled(given)
    return given
  }

  /** Requests approval of a step that the agent refused itself. The open question of its prompt becomes this request. */
  requestOverruling(step: HeldStep, why: HoldReason & { readonly refusedBy: string }): Approval {
    const hash = this.hashStep(step)
    const asked = this.#store.findByHash(hash).find((one) => one.status === 'pending' && canUse(one, step))
    if (asked === undefined || asked.appliesTo === 'next') return this.request(step, { ...why, appliesTo: 'next' })
    const { refusedBy } = why
    this.#store.change(asked.id, (approval) => (approval.status === 'pending' ? { ...approval, refusedBy } : undefined))
    return this.leaveOpen(asked.id) ?? this.request(step, { ...why, appliesTo: 'next' })
  }

  /** Takes the message of a denial that the agent did not get, because the step was refused before the answer. */
  takeDenial(step: HeldStep): Approval | undefined {
    const now = this.#services.clock.wall()
    for (const { id } of this.#store.findByHash(this.hashStep(step)).filter((one) => hasMessageFor(one, now))) {
      const taken = this.#deliver(id)
      if (taken !== undefined) return taken
    }
    return undefined
  }

  /** Waits for the answer and uses the approval. Without an answer in time the status is `pending` or `expired`. */
  async wait(id: string, limits: WaitLimits = {}): Promise<ApprovalStatus> {
    const { state, clock } = this.#services
    const giveUpAt = clock.now() + (limits.waitMs ?? this.#lifetimeMs())
    for (;;) {
      const woken = new AbortController()
      const wake = (): void => woken.abort()
      // Listens before it reads: an answer in between is not missed.
      const stopListening = onAnswer(state, id, wake)
      limits.signal?.addEventListener('abort', wake, { once: true })
      try {
        const status = this.get(id)?.status ?? 'expired'
        if (status === 'approved' && limits.isKept === true) return status
        if (status === 'approved')
          return this.#use(id, limits.use) === undefined ? (this.get(id)?.status ?? 'expired') : 'approved'
        if (status === 'denied') this.#deliver(id)
        if (status !== 'pending') return status
        const restMs = giveUpAt - clock.now()
        if (restMs <= 0 || limits.signal?.aborted === true) return 'pending'
        await pause(Math.min(POLL_MS, restMs), { clock, signal: woken.signal })
      } finally {
        stopListening()
        limits.signal?.removeEventListener('abort', wake)
      }
    }
  }

  /**
   * Leaves a request open after its step was refused without an answer: an approval then applies to the next step that is
   * the same, in any session.
   */
  leaveOpen(id: string): Approval | undefined {
    const open = this.#store.change(id, (approval) => {
      return approval.status === 'pending' ? { ...approval, appliesTo: 'next', ...this.#renew(approval) } : undefined
    })
    if (open !== undefined) this.#index.change(open)
    return open ?? this.get(id)
  }

  /**
   * Withdraws the questions that a tool's result, or the end of a turn or session, answers: those of the agent's own
   * prompt and of waiting calls. Approvals that were not used are withdrawn too.
   */
  withdraw({ by, call, ...owner }: StepEnd): readonly Approval[] {
    if (!this.#index.hasSession(owner)) return []
    const ids = this.#index.findBySession(owner)
    const hash = call === undefined ? undefined : this.hashStep(call.step)
    this.#index.endUses(owner, hash)
    const isEnded = ({ stepId, hash: own }: Approval): boolean =>
      call === undefined || own === hash || (stepId !== undefined && stepId === call.stepId)
    return ids.flatMap((id) => this.#withdraw(id, by, isEnded) ?? [])
  }

  /** Uses an earlier approval, or requests one and waits for the answer. */
  async hold(
    step: HeldStep,
    why: HoldReason,
    limits: WaitLimits = {},
  ): Promise<{ readonly id: string; readonly isApproved: boolean; readonly status: ApprovalStatus }> {
    const earlier = this.consume(step)
    if (earlier !== undefined) return { id: earlier.id, isApproved: true, status: 'approved' }
    const { id } = this.request(step, { appliesTo: 'call', ...why })
    const status = await this.wait(id, limits)
    return { id, isApproved: status === 'approved', status }
  }

  get(id: string): Approval | undefined {
    return this.#store.get(id)
  }

  /** All stored approvals, oldest first. */
  list(): readonly Approval[] {
    return this.#store.list()
  }

  /** The hash that identifies a step. */
  hashStep(step: HeldStep): string {
    return this.#store.hashStep(step)
  }

  /** The pending approvals, oldest first. */
  pending(): readonly Approval[] {
    const found = this.#index.pending().flatMap((id) => this.get(id) ?? [])
    return found.filter(({ status }) => status === 'pending').sort((a, b) => a.createdAt - b.createdAt)
  }

  /** Marks a message about an approval as sent. True for exactly one of several callers, in all processes. */
  claimMessage(id: string, kind: 'waiting' | 'over'): boolean {
    const claimed = this.#store.change(id, (approval) => {
      const { announced = [], status } = approval
      const isDue = kind === 'waiting' ? status === 'pending' : status !== 'pending' && announced.includes('waiting')
      return isDue && !announced.includes(kind) ? { ...approval, announced: [...announced, kind] } : undefined
    })
    return claimed !== undefined
  }

  #require(id: string): Approval {
    const approval = this.get(id)
    if (approval !== undefined) return approval
    throw new ArcError('ARC_APPROVAL_UNKNOWN', `There is no approval ${show(id)}.`)
  }

  #join(id: string, { stepId, refusedBy }: HoldReason): Approval | undefined {
    const joined = this.#store.change(id, (approval) => {
      const by = refusedBy === undefined ? {} : { refusedBy }
      return approval.status === 'pending' ? { ...approval, stepId, ...by, ...this.#renew(approval) } : undefined
    })
    if (joined !== undefined) this.#index.change(joined)
    return joined
  }

  #renew({ lifetimeMs = LIFETIME_MS }: Approval): { readonly expiresAt: number } {
    return { expiresAt: this.#services.clock.wall() + lifetimeMs }
  }

  #use(id: string, use?: WaitLimits['use']): Approval | undefined {
    const used = this.#store.change(id, (approval) =>
      approval.status === 'approved' ? { ...approval, status: 'used' } : undefined,
    )
    if (used !== undefined && used.appliesTo !== 'next') this.#index.remove(id)
    if (used?.refusedBy !== undefined) this.#index.removeOverruled(used.hash)
    if (used !== undefined && use !== undefined) this.#index.noteUse(use.by, used, use.at)
    return used
  }

  #deliver(id: string): Approval | undefined {
    return this.#store.change(id, (approval) =>
      approval.status === 'denied' && approval.isDelivered !== true ? { ...approval, isDelivered: true } : undefined,
    )
  }

  #withdraw(id: string, by: WithdrawnBy, isEnded: (approval: Approval) => boolean): Approval | undefined {
    const withdrawn = this.#store.change(id, (approval) => {
      const { status, appliesTo } = approval
      const isOpen = (status === 'pending' || status === 'approved') && appliesTo !== 'next'
      return isOpen && isEnded(approval) ? { ...approval, status: 'withdrawn', withdrawnBy: by } : undefined
    })
    if (withdrawn === undefined) return undefined
    this.#index.remove(id)
    this.#services.record?.(withdrawnEvent(withdrawn, by))
    this.#end(withdrawn)
    return withdrawn
  }

  #end(approval: Approval): void {
    signalAnswer(this.#services.state, approval.id)
    this.#services.onChange?.(approval)
  }
}
