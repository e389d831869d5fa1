// The approval gate: a step that needs approval uses an earlier approval, or asks and waits for the answer. No answer in
// time counts as a denial, and the question stays open: a later approval applies to the next step that is the same.

import { describe } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { keepAliveWhile } from '../platform/keep-alive.ts'
import {
  type Approval,
  type ApprovalEvent,
  type ApprovalStatus,
  type HeldStep,
  toHeldStep,
  type UsedAt,
  WITHDRAWN,
} from './approval.ts'
import type { Approvals } from './approvals.ts'

/** The dispatched step that an approval is bound to. */
export interface DispatchedStep {
  readonly id: string
  readonly point: string
  readonly workspace?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
}

/** How long to wait for an answer, and who asks. */
export interface AskLimits {
  /** Milliseconds; 0 does not wait and leaves the outcome an `ask`. */
  readonly askMs: number
  /** Stops waiting: the step is then denied. */
  readonly signal?: AbortSignal | undefined
  /** The agent asks the user with its own prompt: the question ends with the tool's result, the turn or the session. */
  readonly isPrompt?: boolean | undefined
  /** The process that called the hook. */
  readonly callerPid?: number | undefined
  /** Which of the hook calls about one tool call this is. */
  readonly usedAt?: UsedAt | undefined
}

const ASK_MS = 60_000

/** The approval in `metadata.approval` of an outcome. `pending`: the step was refused, and can still be approved. */
export interface ApprovalNote {
  readonly id: string
  readonly status: ApprovalStatus
  readonly expiresAt: number
  readonly by?: string | undefined
  /** The agent that refused the step itself. */
  readonly refusedBy?: string | undefined
}

/** Asks for approval of steps, on behalf of a supervisor. */
export class ApprovalGate {
  readonly #approvals: Approvals
  readonly #askMs: number
  readonly #record: (event: ApprovalEvent) => void
  readonly #report: (message: string) => void

  constructor(from: {
    readonly approvals: Approvals
    /** How long to wait for an answer; one minute by default. */
    readonly askMs?: number | undefined
    readonly record: (event: ApprovalEvent) => void
    readonly report: (message: string) => void
  }) {
    this.#approvals = from.approvals
    this.#askMs = from.askMs ?? ASK_MS
    this.#record = from.record
    this.#report = from.report
  }

  /** The final outcome of a step that needs approval. If approval cannot be requested, the step is blocked. */
  async resolve(outcome: Outcome, dispatched: DispatchedStep, limits: Partial<AskLimits> = {}): Promise<Outcome> {
    try {
      const { note, event, outcome: resolved } = await this.#ask(outcome, dispatched, { askMs: this.#askMs, ...limits })
      if (event !== undefined) this.#recordEvent(note, event, resolved, dispatched)
      return { ...resolved, metadata: { ...resolved.metadata, approval: note } }
    } catch (error) {
      const reason = `This step needs approval, but approval cannot be requested: ${describe(error)}`
      this.#report(reason)
      return { ...outcome, decision: 'block', reason }
    }
  }

  async #ask(outcome: Outcome, dispatched: DispatchedStep, limits: AskLimits): Promise<Resolution> {
    // With the edits of the hooks: the data that would be used.
    const step = toHeldStep({ ...dispatched, data: outcome.data })
    const used = this.#approvals.consume(step, limits.usedAt)
    if (used !== undefined) return { note: toNote(used, 'approved'), event: 'used', outcome: release(outcome) }
    const denied = this.#approvals.takeDenial(step)
    if (denied !== undefined) return { note: toNote(denied), event: 'denied', outcome: refuse(outcome, denied, 0) }
    const { askMs, isPrompt, callerPid } = limits
    const { reason, hook } = outcome
    const appliesTo = isPrompt === true ? 'prompt' : askMs > 0 ? 'call' : 'next'
    const why = { reason, hook, stepId: dispatched.id, matched: readMatches(outcome), appliesTo, callerPid } as const
    const requested = this.#approvals.request(step, why)
    if (askMs <= 0) return { note: toNote(requested), event: 'pending', outcome }
    return this.#wait(requested, outcome, { ...limits, by: step })
  }

  async #wait(
    { id, step }: Approval,
    outcome: Outcome,
    { askMs, signal, usedAt: at, by }: AskLimits & { readonly by: HeldStep },
  ): Promise<Resolution> {
    const use = at === undefined ? undefined : { by, at }
    const limits = { waitMs: askMs, use, ...(signal !== undefined && { signal }) }
    const status = await keepAliveWhile(this.#approvals.wait(id, limits))
    // A caller that gave up may ask again: the question then ends with its turn.
    const isRefused = status === 'pending' && signal?.aborted !== true
    const approval = isRefused ? this.#approvals.leaveOpen(id) : this.#approvals.get(id)
    const note = approval === undefined ? { id, status, expiresAt: 0 } : toNote(approval, status)
    // `Approvals` has recorded answers and withdrawals already.
    const event = isRefused ? 'refused' : status === 'expired' || status === 'used' ? status : undefined
    if (status === 'approved') return { note, event, outcome: release(outcome) }
    const refused = refuse(outcome, approval ?? note, askMs)
    // The text for an agent names the id; a program gets it as a suggestion.
    const suggestion = isRefused && step.host === undefined ? suggestApproval(id, step) : undefined
    return { note, event, outcome: { ...refused, suggestion: outcome.suggestion ?? suggestion } }
  }

  #recordEvent(
    note: ApprovalNote,
    status: ApprovalStatus | 'refused',
    outcome: Outcome,
    { id, session, point }: DispatchedStep,
  ): void {
    const { by } = note
    const { reason, hook } = outcome
    const who = by === undefined ? '' : `, ${note.status} by ${by}`
    const how = EVENT_TEXTS[status] ?? status
    this.#record({
      component: 'hooks',
      action: `approval:${status}`,
      level: status === 'used' || status === 'pending' ? 'info' : 'warn',
      message: `${note.id} is ${how}${who}`,
      data: { approval: note, hook, step: id, session, point, reason },
    })
  }
}

const EVENT_TEXTS: Partial<Readonly<Record<ApprovalStatus | 'refused', string>>> = {
  refused: 'refused without an answer, and can still be approved',
  denied: 'refused again, with the message of the answer',
}

interface Resolution {
  readonly note: ApprovalNote
  /** The event to record; undefined where it is recorded already. */
  readonly event: ApprovalStatus | 'refused' | undefined
  readonly outcome: Outcome
}

function toNote(
  { id, status, expiresAt, answeredBy: by, refusedBy }: Approval,
  known: ApprovalStatus = status,
): ApprovalNote {
  return { id, status: known, expiresAt, by, ...(refusedBy !== undefined && { refusedBy }) }
}

// The texts that rules matched: shown even where the arguments are too long to show.
function readMatches({ metadata }: Outcome): readonly string[] {
  const { risk } = metadata as { readonly risk?: { readonly evidence?: unknown } }
  const evidence = Array.isArray(risk?.evidence) ? (risk.evidence as readonly { readonly matched?: unknown }[]) : []
  return evidence.flatMap(({ matched }) => (typeof matched === 'string' ? [matched] : []))
}

function release(outcome: Outcome): Outcome {
  const { suggestions, ...metadata } = outcome.metadata
  // The question is answered, so its suggestion is dropped.
  const open = (Array.isArray(suggestions) ? suggestions : []).filter(({ decision }) => decision !== 'ask')
  return {
    ...outcome,
    decision: 'pass',
    blocked: false,
    control: 'proceed',
    metadata: open.length === 0 ? metadata : { ...metadata, suggestions: open },
  }
}

function suggestApproval(id: string, { tool }: HeldStep): string {
  const what = tool === undefined ? 'the step' : `this call of ${tool}`
  return `Ask the user to run "arc approve ${id}", then repeat ${what} unchanged.`
}

function refuse(outcome: Outcome, approval: Partial<Approval>, askMs: number): Outcome {
  const why = outcome.reason === undefined ? '' : ` ${outcome.reason}`
  return { ...outcome, decision: 'block', reason: `${refusal(approval, askMs)}.${why}` }
}

function refusal({ status, answeredBy, message, withdrawnBy }: Partial<Approval>, askMs: number): string {
  if (status === 'denied') {
    const by = answeredBy === undefined ? 'Denied' : `Denied by ${answeredBy}`
    return message === undefined ? by : `${by}: ${message.replace(/[\s.]+$/, '')}`
  }
  if (withdrawnBy !== undefined) return `Not approved: ${WITHDRAWN[withdrawnBy]}`
  return `No answer within ${Math.ceil(askMs / 1_000)} s`
}
