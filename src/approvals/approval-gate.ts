// What becomes of a step that is held for a person: an approval given earlier, or a question and the wait for its
// answer. Nobody answering is a no.

import { describe } from '../engine/errors.ts'
import type { Outcome } from '../engine/outcome.ts'
import { keepAliveWhile } from '../platform/keep-alive.ts'
import { type ApprovalEvent, type ApprovalStatus, type Approvals, type HeldStep, toHeldStep } from './approvals.ts'

/** A step as it was dispatched, for the approval that is bound to it. */
interface DispatchedStep {
  readonly id: string
  readonly point: string
  readonly workspace?: string | undefined
  readonly session?: string | undefined
  readonly agent?: string | undefined
  readonly host?: string | undefined
}

/** How long to wait for a person. */
export interface AskLimits {
  /** Milliseconds; 0 waits not at all and leaves the outcome an `ask`. */
  readonly askMs: number
  /** Gives up early: the answer is then a no. */
  readonly signal?: AbortSignal | undefined
}

const ASK_MS = 60_000

// What is told of the approval, in the outcome's metadata.
interface ApprovalNote {
  readonly id: string
  readonly status: ApprovalStatus
  readonly expiresAt: number
  readonly by?: string | undefined
}

/** Holds steps for a person, on behalf of a supervisor. */
export class ApprovalGate {
  readonly #approvals: Approvals
  readonly #askMs: number
  readonly #record: (event: ApprovalEvent) => void
  readonly #report: (message: string) => void

  constructor(from: {
    readonly approvals: Approvals
    /** How long a person is waited for; a minute unless set. */
    readonly askMs?: number | undefined
    readonly record: (event: ApprovalEvent) => void
    readonly report: (message: string) => void
  }) {
    this.#approvals = from.approvals
    this.#askMs = from.askMs ?? ASK_MS
    this.#record = from.record
    this.#report = from.report
  }

  /** Takes a held outcome to its end. What cannot be asked for is a no. */
  async resolve(outcome: Outcome, dispatched: DispatchedStep, limits: Partial<AskLimits> = {}): Promise<Outcome> {
    try {
      const { note, event, outcome: resolved } = await this.#ask(outcome, dispatched, { askMs: this.#askMs, ...limits })
      if (event !== undefined) this.#recordEvent(note, event, resolved, dispatched)
      return { ...resolved, metadata: { ...resolved.metadata, approval: note } }
    } catch (error) {
      const reason = `This has to be held for a person, but cannot be: ${describe(error)}`
      this.#report(reason)
      return { ...outcome, decision: 'block', reason }
    }
  }

  async #ask(outcome: Outcome, dispatched: DispatchedStep, { askMs, signal }: AskLimits): Promise<Resolution> {
    // As it would run: with the edits of the hooks.
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
    // An answer was recorded by the one who gave it.
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
  /** What is recorded here. */
  readonly event: ApprovalStatus | undefined
  readonly outcome: Outcome
}

// What rules found in it: shown to the person also where all of it is too long.
function readMatches({ metadata }: Outcome): readonly string[] {
  const { risk } = metadata as { readonly risk?: { readonly evidence?: unknown } }
  const evidence = Array.isArray(risk?.evidence) ? (risk.evidence as readonly { readonly matched?: unknown }[]) : []
  return evidence.flatMap(({ matched }) => (typeof matched === 'string' ? [matched] : []))
}

function release(outcome: Outcome): Outcome {
  const { suggestions, ...metadata } = outcome.metadata
  // What was asked is answered.
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
    const by = note.by === undefined ? 'A person' : note.by
    return { ...outcome, decision: 'block', reason: `${by} said no.${why}` }
  }
  const reason = `Nobody answered within ${Math.round(askMs / 1_000)} s.${why}`
  const what = step.tool === undefined ? 'the step' : `this call of ${step.tool}`
  const suggestion = `Let a person run "arc approvals approve ${note.id}", then repeat ${what} unchanged.`
  return { ...outcome, decision: 'block', reason, suggestion: outcome.suggestion ?? suggestion }
}
