// The approval gate: a step that needs approval uses an earlier approval, or asks and waits for the answer. No answer in
// time counts as a denial.

import { describe } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { keepAliveWhile } from '../platform/keep-alive.ts'
import { type ApprovalEvent, type ApprovalStatus, type Approvals, type HeldStep, toHeldStep } from './approvals.ts'

/** The dispatched step that an approval is bound to. */
interface DispatchedStep {
  readonly id: string
  readonly point: string
  readonly workspace?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
}

/** How long to wait for an answer. */
export interface AskLimits {
  /** Milliseconds; 0 does not wait and leaves the outcome an `ask`. */
  readonly askMs: number
  /** Stops waiting: the step is then denied. */
  readonly signal?: AbortSignal | undefined
}

const ASK_MS = 60_000

// The approval in the metadata of the outcome.
interface ApprovalNote {
  readonly id: string
  readonly status: ApprovalStatus
  readonly expiresAt: number
  readonly by?: string | undefined
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

  async #ask(outcome: Outcome, dispatched: DispatchedStep, { askMs, signal }: AskLimits): Promise<Resolution> {
    // With the edits of the hooks: the data that would be used.
    const step = toHeldStep({ ...dispatched, data: outcome.data })
    const used = this.#approvals.consume(step)
    if (used !== undefined) {
      return { note: this.#readNote(used.id, 'approved'), event: 'used', outcome: release(outcome) }
    }
    const { reason, hook } = outcome
    const why = { reason, hook, stepId: dispatched.id, matched: readMatches(outcome) }
    const { id } = this.#approvals.request(step, why)
    if (askMs <= 0) return { note: this.#readNote(id, 'pending'), event: 'pending', outcome: outcome }
    const limits = { waitMs: askMs, ...(signal !== undefined && { signal }) }
    const note = this.#readNote(id, await keepAliveWhile(this.#approvals.wait(id, limits)))
    // `Approvals.answer` has recorded an answer already.
    const event = note.status === 'approved' || note.status === 'denied' ? undefined : note.status
    return {
      note,
      event,
      outcome: note.status === 'approved' ? release(outcome) : refuse(outcome, step, note, askMs),
    }
  }

  #readNote(id: string, status: ApprovalStatus): ApprovalNote {
    const approval = this.#approvals.get(id)
    return { id, status, expiresAt: approval?.expiresAt ?? 0, by: approval?.answeredBy }
  }

  #recordEvent(
    note: ApprovalNote,
    status: ApprovalStatus,
    outcome: Outcome,
    { id, session, point }: DispatchedStep,
  ): void {
    const { by } = note
    const { reason, hook } = outcome
    this.#record({
      component: 'hooks',
      action: `approval:${status}`,
      level: status === 'used' || status === 'pending' ? 'info' : 'warn',
      message: `${note.id} is ${status}${by === undefined ? '' : `, approved by ${by}`}`,
      data: { approval: note, hook, step: id, session, point, reason },
    })
  }
}

interface Resolution {
  readonly note: ApprovalNote
  /** The event to record; undefined where it is recorded already. */
  readonly event: ApprovalStatus | undefined
  readonly outcome: Outcome
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

function refuse(outcome: Outcome, step: HeldStep, note: ApprovalNote, askMs: number): Outcome {
  const why = outcome.reason === undefined ? '' : ` ${outcome.reason}`
  if (note.status === 'denied') {
    const by = note.by === undefined ? '' : ` by ${note.by}`
    return { ...outcome, decision: 'block', reason: `Denied${by}.${why}` }
  }
  const reason = `No answer within ${Math.round(askMs / 1_000)} s.${why}`
  const what = step.tool === undefined ? 'the step' : `this call of ${step.tool}`
  const suggestion = `Ask the user to run "arc approvals approve ${note.id}", then repeat ${what} unchanged.`
  return { ...outcome, decision: 'block', reason, suggestion: outcome.suggestion ?? suggestion }
}
