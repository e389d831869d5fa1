// An approval as plain data: the held step, the answer, and the changes that an approval can go through. Pure: approvals.ts
// stores them.

import { ArcError, show } from '../engine/errors.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { StepPreview } from './stored-args.ts'

/** The step that needs approval. */
export interface HeldStep {
  readonly point: string
  readonly tool?: string | undefined
  /** The arguments of a tool call, or the whole data elsewhere. */
  readonly args: unknown
  /** The folder of the step. With point, tool and arguments it is what an approval is bound to. */
  readonly workspace?: string | undefined
  /** Shown to the user, like agent and host; not part of the hash. */
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
  /** Set where `args` holds only a part of the arguments. */
  readonly preview?: StepPreview | undefined
}

/**
 * What an answer applies to: the step that the agent's own prompt asks about, the call that waits, or, after a refusal,
 * the next step that is the same.
 */
export type AppliesTo = 'prompt' | 'call' | 'next'

/** Why a step needs approval. */
export interface HoldReason {
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  /** The id of the step that was dispatched. */
  readonly stepId?: string | undefined
  /** The texts that rules matched: shown even where the arguments are too long to show. */
  readonly matched?: readonly string[] | undefined
  /** Default: `next`. */
  readonly appliesTo?: AppliesTo | undefined
  /** The process that called the hook, to find its terminal. */
  readonly callerPid?: number | undefined
  /** The agent whose own reviewer or permissions refused the step; ARC did not. */
  readonly refusedBy?: string | undefined
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
  /** A text for the agent. */
  readonly message?: string | undefined
}

export type ApprovalStatus = 'pending' | 'approved' | 'denied' | 'expired' | 'used' | 'withdrawn'

/** The event that ended a question before its answer: the tool's result, the turn's end, a new message, the session's end. */
export type WithdrawnBy = 'result' | 'turn' | 'message' | 'session'

/** An approval: requested, answered, used, withdrawn or expired. Times are wall-clock milliseconds. */
export interface Approval {
  readonly id: string
  readonly step: HeldStep
  /** SHA-256 over the canonical JSON of point, tool, arguments and workspace. */
  readonly hash: string
  readonly reason?: string | undefined
  readonly hook?: string | undefined
  /** The newest dispatched step that waits for this answer. */
  readonly stepId?: string | undefined
  readonly callerPid?: number | undefined
  /** The agent whose own reviewer or permissions refused the step: an approval is passed on to it. */
  readonly refusedBy?: string | undefined
  readonly appliesTo: AppliesTo
  readonly createdAt: number
  readonly lifetimeMs: number
  readonly expiresAt: number
  readonly status: ApprovalStatus
  readonly answeredBy?: string | undefined
  readonly answeredAt?: number | undefined
  /** The text for the agent that came with the answer. */
  readonly message?: string | undefined
  readonly withdrawnBy?: WithdrawnBy | undefined
  /** A denial with a message was given to the agent. */
  readonly isDelivered?: boolean | undefined
  /** The messages about this approval that were sent. */
  readonly announced?: readonly ('waiting' | 'over')[] | undefined
}

/**
 * The hook call that an approval is used for. Some agents call twice for one tool call: before it runs, and when they ask
 * for permission themselves. An approval that one call used covers the other, until the tool call ends.
 */
export type UsedAt = 'call' | 'permission' | 'refusal'

/** A session, or the folder of steps without one. */
export interface SessionOwner {
  readonly session?: string | undefined
  readonly workspace?: string | undefined
}

/** The end of a tool call, a turn or a session. */
export interface StepEnd extends SessionOwner {
  readonly by: WithdrawnBy
  /** For the result of a tool call: the step before it, and its content. */
  readonly call?: { readonly stepId?: string | undefined; readonly step: HeldStep } | undefined
}

/** A log entry about an approval. */
export interface ApprovalEvent {
  readonly component: 'hooks'
  readonly action: `approval:${ApprovalStatus | 'refused'}` | 'permission:allowed' | 'permission:retry'
  readonly level: 'info' | 'warn'
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

// A small step back is a clock correction; a larger one is treated as tampering.
const CLOCK_SLACK_MS = 5_000

/** The approval at a time. Expiry is decided on read. A clock that was set back must not prolong an approval. */
export function readApproval(value: unknown, now: number): Approval | undefined {
  if (!isApproval(value)) return undefined
  const isOpen = value.status === 'pending' || value.status === 'approved'
  return isOpen && isPast(value, now) ? { ...value, status: 'expired' } : value
}

function isPast({ expiresAt, answeredAt, createdAt }: Approval, now: number): boolean {
  return now >= expiresAt || now < (answeredAt ?? createdAt) - CLOCK_SLACK_MS
}

function isApproval(value: unknown): value is Approval {
  return isRecord(value) && typeof value.id === 'string' && typeof value.hash === 'string' && isRecord(value.step)
}

/** Whether a step belongs to the session that an approval was requested for. */
function isSameSession({ step }: Approval, { session }: Pick<HeldStep, 'session'>): boolean {
  return step.session === session
}

/** Whether a request joins a pending approval of the same content, instead of asking a second time. */
export function canJoin(pending: Approval, step: HeldStep, appliesTo: AppliesTo): boolean {
  if (pending.status !== 'pending') return false
  // The agent's own prompt ends with its session; a refused step does not.
  if (pending.appliesTo === 'next') return appliesTo !== 'prompt'
  return pending.appliesTo === appliesTo && isSameSession(pending, step)
}

/** Whether an answer to this approval applies to a step of the same content. */
export function canUse(approval: Approval, step: HeldStep): boolean {
  return approval.appliesTo === 'next' || isSameSession(approval, step)
}

/** An approval that is usable again, because the agent refused the step itself; undefined where it was given back before. */
export function giveBack(approval: Approval, refusedBy: string, now: number): Approval | undefined {
  if (approval.status === 'approved') return { ...approval, appliesTo: 'next', refusedBy }
  if (approval.status !== 'used' || approval.refusedBy !== undefined) return undefined
  return { ...approval, status: 'approved', appliesTo: 'next', refusedBy, expiresAt: now + approval.lifetimeMs }
}

/** Whether a denial has a message that the agent did not get yet. */
export function hasMessageFor({ status, message, appliesTo, isDelivered, ...times }: Approval, now: number): boolean {
  if (status !== 'denied' || message === undefined || appliesTo !== 'next' || isDelivered === true) return false
  return !isPast({ status, appliesTo, ...times }, now)
}

/** The error for an answer to an approval that is over. */
export function notPending({ id, status, withdrawnBy }: Approval): ArcError {
  const why = withdrawnBy === undefined ? `it is ${status}` : `it is ${status}, because ${WITHDRAWN[withdrawnBy]}`
  return new ArcError('ARC_APPROVAL_OVER', `The approval ${show(id)} cannot be answered any more: ${why}.`)
}

/** Why an approval was withdrawn, as a clause. */
export const WITHDRAWN: Readonly<Record<WithdrawnBy, string>> = {
  result: 'the tool has run',
  turn: 'the turn has ended',
  message: 'the user has sent a new message',
  session: 'the session has ended',
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
