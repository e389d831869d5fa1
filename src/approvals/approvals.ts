// Steps that need approval. An approval is for exactly one step, can be used once, and expires; an edited step needs a new
// one. Stored in the state store, so that one process can wait for an answer that is given in another.

import { createHash } from 'node:crypto'
import type { Clock } from '../engine/clock.ts'
import { pause } from '../engine/deadline.ts'
import { ArcError, clip, describe, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { StateEntry, StateStore } from '../storage/ports.ts'
import { update } from '../storage/state.ts'
import { ApprovalIndex } from './approval-index.ts'
import { readBoundArgs } from './bound-args.ts'
import { type StepPreview, shortenExpired, storedArgs } from './stored-args.ts'

/** The step that needs approval. */
export interface HeldStep {
  readonly point: string
  readonly tool?: string | undefined
  /** The arguments of a tool call, or the whole data elsewhere. */
  readonly args: unknown
  readonly workspace?: string | undefined
  readonly session?: string | undefined
  /** Shown to the user; not part of the hash. */
  readonly agent?: string | undefined
  readonly host?: string | undefined
  /** Set where `args` holds only a part of the arguments. */
  readonly preview?: StepPreview | undefined
}

/** Why a step needs approval. */
export interface HoldReason {
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  /** The id of the step that was dispatched. */
  readonly stepId?: string | undefined
  /** The texts that rules matched: shown even where the arguments are too long to show. */
  readonly matched?: readonly string[] | undefined
}

/** Who answered, through which channel. */
export interface AnswerSource {
  readonly by?: string | undefined
  /** `program`: a program that embeds ARC. */
  readonly channel?: 'terminal' | 'page' | 'control-socket' | 'program' | undefined
  /** The process of the terminal, for an answer there. */
  readonly process?: object | undefined
  /** The session of the page, for an answer there. */
  readonly pageSession?: string | undefined
}

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'used'

/** An approval: requested, answered, used or expired. Times are wall-clock milliseconds. */
export interface Approval {
  readonly id: string
  readonly step: HeldStep
  /** SHA-256 over the canonical JSON of the step. */
  readonly hash: string
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  readonly stepId?: string | undefined
  readonly createdAt: number
  readonly expiresAt: number
  readonly status: ApprovalStatus
  readonly answeredBy?: string | undefined
  readonly answeredAt?: number | undefined
}

/** A log entry about an approval. */
export interface ApprovalEvent {
  readonly component: 'hooks'
  readonly action: `approval:${ApprovalStatus}`
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

export interface ApprovalServices {
  readonly state: StateStore
  readonly clock: Clock
  readonly newId: () => string
  /** Canonical JSON, as in the trace. */
  readonly canonicalize: (value: unknown) => string
  /** Records each answer when it is given. */
  readonly record?: ((event: ApprovalEvent) => void) | undefined
}

export interface ApprovalOptions {
  /** How long an approval can be answered, and after that used; 10 minutes by default. */
  readonly lifetimeMs?: number
}

/** How long an approval can be answered, and after that used. */
export const LIFETIME_MS = 600_000
// How often the answer is polled.
const POLL_MS = 20
/** How long answered, used and expired approvals are kept. */
export const RETENTION_MS = 86_400_000
/** The start of the keys of approvals in the state. */
export const PREFIX = 'approval:'
const MAX_REASON = 2_000

/**
 * The approvals of a home.
 * @example
 * const approvals = new Approvals(services)
 * const { status } = await approvals.hold(step, { reason, hook, waitMs: 60_000 })
 */
export class Approvals {
  readonly #services: ApprovalServices
  readonly #lifetimeMs: number
  readonly #index: ApprovalIndex

  constructor(services: ApprovalServices, { lifetimeMs = LIFETIME_MS }: ApprovalOptions = {}) {
    this.#services = services
    this.#lifetimeMs = lifetimeMs
    this.#index = new ApprovalIndex(services.state, RETENTION_MS + lifetimeMs)
  }

  /** Requests approval. The same step requested twice is one request. Throws when too many are pending. */
  request(step: HeldStep, why: HoldReason): Approval {
    const text = this.#serialize(step)
    const hash = createHash('sha256').update(text).digest('hex')
    const requirePending = this.#findByHash(hash).find(({ status }) => status === 'pending')
    if (requirePending !== undefined) return requirePending
    const { state, clock, newId, canonicalize } = this.#services
    const createdAt = clock.wall()
    const reason = why.reason === undefined ? undefined : clip(why.reason, MAX_REASON)
    const times = { createdAt, expiresAt: createdAt + this.#lifetimeMs }
    const stored = { ...step, ...storedArgs(step.args, canonicalize(step.args ?? null), why.matched) }
    const cause = { reason, hook: why.hook, stepId: why.stepId }
    const approval: Approval = { id: newId(), step: stored, hash, ...cause, ...times, status: 'pending' }
    const { ended, isPurgeDue } = this.#index.add(approval)
    if (!state.set(PREFIX + approval.id, approval, 0)) {
      throw new ArcError('ARC_STORE_BUSY', `There is an approval ${show(approval.id)} already.`)
    }
    for (const expired of ended) this.#shrink(expired)
    if (isPurgeDue) this.#purge()
    return approval
  }

  /** Answers a pending approval and records the answer. The first answer counts. */
  answer(id: string, answer: 'approve' | 'deny', source: AnswerSource = {}): Approval {
    const { clock } = this.#services
    const status = answer === 'approve' ? 'approved' : 'denied'
    const isMine = this.#change(id, (approval) => {
      if (approval.status !== 'pending') return undefined
      // The use has its own lifetime, so that an answer at the last moment can still be used.
      const answeredAt = clock.wall()
      return { ...approval, status, answeredBy: source.by, answeredAt, expiresAt: answeredAt + this.#lifetimeMs }
    })
    const approval = this.#require(id)
    if (isMine) {
      this.#index.remove(id)
      this.#record(approval, status, source)
      return approval
    }
    throw notPending(approval)
  }

  /** A pending approval; throws where there is none with this id. */
  open(id: string): Approval {
    const approval = this.#require(id)
    if (approval.status !== 'pending') throw notPending(approval)
    return approval
  }

  /** Uses an earlier approval of exactly this step: once, by one process. */
  consume(step: HeldStep): Approval | undefined {
    for (const { id, status } of this.#findByHash(this.hashStep(step))) {
      if (status === 'approved' && this.#use(id)) return this.get(id)
    }
    return undefined
  }

  /** Waits for the answer and uses the approval. No answer in time counts as `expired`. */
  async wait(
    id: string,
    limits: { readonly signal?: AbortSignal; readonly waitMs?: number } = {},
  ): Promise<ApprovalStatus> {
    const { clock } = this.#services
    const giveUpAt = clock.now() + (limits.waitMs ?? this.#lifetimeMs)
    for (;;) {
      const status = this.get(id)?.status ?? 'expired'
      if (status === 'approved') return this.#use(id) ? 'approved' : 'used'
      if (status !== 'pending') return status
      const restMs = giveUpAt - clock.now()
      if (restMs <= 0 || limits.signal?.aborted === true) return 'expired'
      await pause(Math.min(POLL_MS, restMs), { clock: this.#services.clock, signal: limits.signal })
    }
  }

  /** Uses an earlier approval, or requests one and waits for the answer. */
  async hold(
    step: HeldStep,
    why: HoldReason,
    limits: { readonly signal?: AbortSignal; readonly waitMs?: number } = {},
  ): Promise<{ readonly id: string; readonly isApproved: boolean; readonly status: ApprovalStatus }> {
    const earlier = this.consume(step)
    if (earlier !== undefined) return { id: earlier.id, isApproved: true, status: 'approved' }
    const { id } = this.request(step, why)
    const status = await this.wait(id, limits)
    return { id, isApproved: status === 'approved', status }
  }

  get(id: string): Approval | undefined {
    return this.#read(this.#services.state.get(PREFIX + id))
  }

  /** All stored approvals, oldest first. */
  list(): readonly Approval[] {
    const all = this.#services.state.list(PREFIX).map((entry) => this.#read(entry))
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

  #serialize({ point, tool, args, workspace, session }: HeldStep): string {
    try {
      return this.#services.canonicalize({ point, tool, args: readBoundArgs(tool, args), workspace, session })
    } catch (error) {
      throw new ArcError('ARC_DATA_INVALID', `Approval of this step cannot be requested: ${describe(error)}.`)
    }
  }

  #require(id: string): Approval {
    const approval = this.get(id)
    if (approval !== undefined) return approval
    throw new ArcError('ARC_APPROVAL_UNKNOWN', `There is no approval ${show(id)}.`)
  }

  #use(id: string): boolean {
    return this.#change(id, (approval) =>
      approval.status === 'approved' ? { ...approval, status: 'used' } : undefined,
    )
  }

  // True for exactly one of several concurrent calls: the one that made the change.
  #change(id: string, change: (approval: Approval) => Approval | undefined): boolean {
    let isMine = false
    update<unknown>(this.#services.state, PREFIX + id, (value) => {
      const approval = this.#read(value === undefined ? undefined : { key: PREFIX + id, value, version: 0 })
      const after = approval === undefined ? undefined : change(approval)
      isMine = after !== undefined
      return after
    })
    return isMine
  }

  // Expiry is decided on read. A clock that was set back must not prolong an approval beyond its lifetime.
  #read(entry: StateEntry | undefined): Approval | undefined {
    if (entry === undefined || !isApproval(entry.value)) return undefined
    const approval = entry.value
    const isOpen = approval.status === 'pending' || approval.status === 'approved'
    const now = this.#services.clock.wall()
    const isPast = now >= approval.expiresAt || now < (approval.answeredAt ?? approval.createdAt) - CLOCK_SLACK_MS
    return isOpen && isPast ? { ...approval, status: 'expired' } : approval
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

  #record(
    { id, hash, step, hook, reason, stepId }: Approval,
    status: 'approved' | 'denied',
    source: AnswerSource,
  ): void {
    const { by, channel = 'program', process, pageSession } = source
    this.#services.record?.({
      component: 'hooks',
      action: `approval:${status}`,
      level: status === 'approved' ? 'info' : 'warn',
      message: `${id} is ${status}${by === undefined ? '' : ` by ${by}`}, channel ${channel}`,
      data: {
        approval: { id, status, by },
        ...{
          channel,
          process,
          pageSession,
          hash,
          hook,
          step: stepId,
          session: step.session,
          point: step.point,
          reason,
        },
      },
    })
  }

  #purge(): void {
    const { state, clock } = this.#services
    const before = clock.wall() - RETENTION_MS
    for (const { key, value, version } of state.list(PREFIX)) {
      if (!isApproval(value) || value.expiresAt < before) state.remove(key, version)
    }
  }
}

// A small step back is a clock correction; a larger one is treated as tampering.
const CLOCK_SLACK_MS = 5_000

function notPending({ id, status }: Approval): ArcError {
  return new ArcError('ARC_APPROVAL_OVER', `The approval ${show(id)} cannot be answered any more: it is ${status}.`)
}

function isApproval(value: unknown): value is Approval {
  return isRecord(value) && typeof value.id === 'string' && typeof value.hash === 'string' && isRecord(value.step)
}

/** The part of a dispatched step that an approval is bound to. */
export function toHeldStep(step: {
  readonly point: string
  readonly data: object
  readonly workspace?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
}): HeldStep {
  const { point, data, workspace, session, agent, host } = step
  const { tool, args } = data as { readonly tool?: unknown; readonly args?: unknown }
  const by = { ...(agent !== undefined && { agent }), ...(host !== undefined && { host }) }
  if (typeof tool === 'string') return { point, tool, args: args ?? {}, workspace, session, ...by }
  return { point, args: data, workspace, session, ...by }
}
