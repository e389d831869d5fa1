// Steps that need approval. An approval is for exactly one step in one project, can be used once, and expires; an edited
// step needs a new one. Stored in the state store, so that one process can wait for an answer that is given in another.

import { createHash } from 'node:crypto'
import type { Clock } from '../engine/clock.ts'
import { pause } from '../engine/deadline.ts'
import { ArcError, clip, describe, show } from '../engine/errors.ts'
import type { StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import { onAnswer, signalAnswer } from './answer-signal.ts'
import {
  type AnswerSource,
  type Approval,
  type ApprovalEvent,
  type ApprovalStatus,
  canJoin,
  canUse,
  type HeldStep,
  type HoldReason,
  hasMessageFor,
  notPending,
  readApproval,
  type StepEnd,
  type WithdrawnBy,
} from './approval.ts'
import { answerEvent, withdrawnEvent } from './approval-events.ts'
import { ApprovalIndex } from './approval-index.ts'
import { readBoundArgs } from './bound-args.ts'
import { shortenExpired, storedArgs } from './stored-args.ts'

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
/** How long answered, used and expired approvals are kept. */
export const RETENTION_MS = 86_400_000
/** The start of the keys of approvals in the state. */
export const PREFIX = 'approval:'
const MAX_REASON = 2_000

/** When to stop waiting for an answer. */
export interface WaitLimits {
  readonly signal?: AbortSignal
  readonly waitMs?: number
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

  constructor(services: ApprovalServices, { lifetimeMs = LIFETIME_MS }: ApprovalOptions = {}) {
    this.#services = services
    this.#lifetimeMs = typeof lifetimeMs === 'number' ? () => lifetimeMs : lifetimeMs
    this.#index = new ApprovalIndex(services.state, RETENTION_MS + this.#lifetimeMs())
  }

  /** Requests approval. The same step requested twice is one request. Throws when too many are pending. */
  request(step: HeldStep, why: HoldReason): Approval {
    const text = this.#serialize(step)
    const hash = createHash('sha256').update(text).digest('hex')
    const { appliesTo = 'next' } = why
    const known = this.#findByHash(hash).find((approval) => canJoin(approval, step, appliesTo))
    const joined = known === undefined ? undefined : this.#join(known.id, why)
    if (joined !== undefined) return joined
    const { state, clock, newId, canonicalize, onChange } = this.#services
    const createdAt = clock.wall()
    const lifetimeMs = this.#lifetimeMs()
    const reason = why.reason === undefined ? undefined : clip(why.reason, MAX_REASON)
    const times = { createdAt, lifetimeMs, expiresAt: createdAt + lifetimeMs }
    const stored = { ...step, ...storedArgs(step.args, canonicalize(step.args ?? null), why.matched) }
    const cause = { reason, hook: why.hook, stepId: why.stepId, callerPid: why.callerPid }
    const approval: Approval = { id: newId(), step: stored, hash, ...cause, appliesTo, ...times, status: 'pending' }
    const { ended, isPurgeDue } = this.#index.add(approval)
    if (!state.set(PREFIX + approval.id, approval, 0)) {
      throw new ArcError('ARC_STORE_BUSY', `There is an approval ${show(approval.id)} already.`)
    }
    for (const expired of ended) this.#shrink(expired)
    if (isPurgeDue) this.#purge()
    onChange?.(approval)
    return approval
  }

  /** Answers a pending approval and records the answer. The first answer counts. */
  answer(id: string, answer: 'approve' | 'deny', source: AnswerSource = {}): Approval {
    const status = answer === 'approve' ? 'approved' : 'denied'
    const message = source.message === undefined ? undefined : clip(source.message, MAX_REASON)
    const answered = this.#change(id, (approval) => {
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

  /** Uses an earlier approval of exactly this step: once, by one process. */
  consume(step: HeldStep): Approval | undefined {
    for (const approval of this.#findByHash(this.hashStep(step))) {
      const used = approval.status === 'approved' && canUse(approval, step) ? this.#use(approval.id) : undefined
      if (used !== undefined) return used
    }
    return undefined
  }

  /** Takes the message of a denial that the agent did not get, because the step was refused before the answer. */
  takeDenial(step: HeldStep): Approval | undefined {
    const now = this.#services.clock.wall()
    for (const { id } of this.#findByHash(this.hashStep(step)).filter((one) => hasMessageFor(one, now))) {
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
        if (status === 'approved') return this.#use(id) === undefined ? (this.get(id)?.status ?? 'expired') : 'approved'
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
    const open = this.#change(id, (approval) => {
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
    const ids = this.#index.findBySession(owner)
    if (ids.length === 0) return []
    const hash = call === undefined ? undefined : this.hashStep(call.step)
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
    return this.#read(this.#services.state.get(PREFIX + id)?.value)
  }

  /** All stored approvals, oldest first. */
  list(): readonly Approval[] {
    const all = this.#services.state.list(PREFIX).map(({ value }) => this.#read(value))
    return all.filter((approval) => approval !== undefined).sort((a, b) => a.createdAt - b.createdAt)
  }

  /** The pending approvals, oldest first. */
  pending(): readonly Approval[] {
    const found = this.#index.pending().flatMap((id) => this.get(id) ?? [])
    return found.filter(({ status }) => status === 'pending').sort((a, b) => a.createdAt - b.createdAt)
  }

  /** The hash that identifies a step. */
  hashStep(step: HeldStep): string {
    return createHash('sha256').update(this.#serialize(step)).digest('hex')
  }

  /** Marks a message about an approval as sent. True for exactly one of several callers, in all processes. */
  claimMessage(id: string, kind: 'waiting' | 'over'): boolean {
    const claimed = this.#change(id, (approval) => {
      const { announced = [], status } = approval
      const isDue = kind === 'waiting' ? status === 'pending' : status !== 'pending' && announced.includes('waiting')
      return isDue && !announced.includes(kind) ? { ...approval, announced: [...announced, kind] } : undefined
    })
    return claimed !== undefined
  }

  // The content of the step in its project. Not the session: a headless agent has a new one for each run.
  #serialize({ point, tool, args, workspace }: HeldStep): string {
    try {
      return this.#services.canonicalize({ point, tool, args: readBoundArgs(tool, args), workspace })
    } catch (error) {
      throw new ArcError('ARC_DATA_INVALID', `Approval of this step cannot be requested: ${describe(error)}.`)
    }
  }

  #require(id: string): Approval {
    const approval = this.get(id)
    if (approval !== undefined) return approval
    throw new ArcError('ARC_APPROVAL_UNKNOWN', `There is no approval ${show(id)}.`)
  }

  #join(id: string, { stepId }: HoldReason): Approval | undefined {
    const joined = this.#change(id, (approval) => {
      return approval.status === 'pending' ? { ...approval, stepId, ...this.#renew(approval) } : undefined
    })
    if (joined !== undefined) this.#index.change(joined)
    return joined
  }

  #renew({ lifetimeMs = LIFETIME_MS }: Approval): { readonly expiresAt: number } {
    return { expiresAt: this.#services.clock.wall() + lifetimeMs }
  }

  #use(id: string): Approval | undefined {
    const used = this.#change(id, (approval) =>
      approval.status === 'approved' ? { ...approval, status: 'used' } : undefined,
    )
    if (used !== undefined && used.appliesTo !== 'next') this.#index.remove(id)
    return used
  }

  #deliver(id: string): Approval | undefined {
    return this.#change(id, (approval) =>
      approval.status === 'denied' && approval.isDelivered !== true ? { ...approval, isDelivered: true } : undefined,
    )
  }

  #withdraw(id: string, by: WithdrawnBy, isEnded: (approval: Approval) => boolean): Approval | undefined {
    const withdrawn = this.#change(id, (approval) => {
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

  // Defined for exactly one of several concurrent calls: the one that made the change.
  #change(id: string, change: (approval: Approval) => Approval | undefined): Approval | undefined {
    let changed: Approval | undefined
    update<unknown>(this.#services.state, PREFIX + id, (value) => {
      const approval = this.#read(value)
      changed = approval === undefined ? undefined : change(approval)
      return changed
    })
    return changed
  }

  #read(value: unknown): Approval | undefined {
    return readApproval(value, this.#services.clock.wall())
  }

  #findByHash(hash: string): readonly Approval[] {
    return this.#index.findByHash(hash).flatMap((id) => this.get(id) ?? [])
  }

  #shrink(id: string): void {
    this.#change(id, (approval) =>
      approval.status === 'expired'
        ? { ...approval, step: { ...approval.step, args: shortenExpired(approval.step.args) } }
        : undefined,
    )
  }

  #purge(): void {
    const { state, clock } = this.#services
    const before = clock.wall() - RETENTION_MS
    for (const { key, value, version } of state.list(PREFIX)) {
      const approval = this.#read(value)
      if (approval === undefined || approval.expiresAt < before) state.remove(key, version)
    }
  }
}
