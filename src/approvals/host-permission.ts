// The answers of people for the own permissions of an agent. An agent asks its user or lets a second model review a call;
// a person can answer for exactly this step in ARC, before or after. Without such an answer the agent decides as usual: that
// ARC lets a step pass is never an answer.

import { describe } from '../engine/errors.ts'
import type { Evaluation, Outcome } from '../engine/outcome.ts'
import type { PermissionEvent, PersonsYes } from '../engine/permission.ts'
import { isRecord } from '../engine/plain-data.ts'
import { keepAliveWhile } from '../platform/keep-alive.ts'
import { type Approval, type ApprovalEvent, toHeldStep } from './approval.ts'
import type { ApprovalNote, AskLimits, DispatchedStep } from './approval-gate.ts'
import type { Approvals } from './approvals.ts'

/** A decided step at an event about permissions. */
interface PermissionStep {
  readonly outcome: Outcome
  readonly evaluations?: readonly Evaluation[] | undefined
  readonly dispatched: DispatchedStep
  /** The approval that the gate used or requested; undefined where the step did not need one. */
  readonly note?: ApprovalNote | undefined
}

/** What follows: the answer of a person, and the approval to name. */
interface PermissionAnswer {
  readonly yes?: PersonsYes | undefined
  readonly note?: ApprovalNote | undefined
}

interface HostPermissionParts {
  readonly approvals: Approvals
  readonly record: (event: ApprovalEvent) => void
  readonly report: (message: string) => void
  /** Makes what was written visible to other processes. */
  readonly flush: () => unknown
}

/** Finds the answers of people, on behalf of a supervisor. */
export class HostPermission {
  readonly #parts: HostPermissionParts

  constructor(parts: HostPermissionParts) {
    this.#parts = parts
  }

  /** The step with the answer of a person, if there is one. At once for the usual call. */
  permit<T extends PermissionStep>(
    event: PermissionEvent,
    step: T,
    limits: () => Partial<AskLimits>,
  ): (T & PermissionAnswer) | Promise<T & PermissionAnswer> {
    const { approvals, flush } = this.#parts
    if (event.role === 'takes' && step.note === undefined && !approvals.hasOverruled()) return step
    return this.#answer(event, step, limits).then(({ yes, note = step.note }) => {
      flush()
      const { outcome } = step
      if (note === undefined) return { ...step, yes }
      return { ...step, yes, outcome: { ...outcome, metadata: { ...outcome.metadata, approval: note } } }
    })
  }

  // If an answer cannot be looked for, there is none.
  async #answer(
    event: PermissionEvent,
    step: PermissionStep,
    limits: () => Partial<AskLimits>,
  ): Promise<PermissionAnswer> {
    try {
      const answer = await this.#find(event, step, limits)
      if (answer.yes !== undefined) this.#parts.record(answerEvent(event, step, answer.yes))
      return answer
    } catch (error) {
      this.#parts.report(`The answer of a person for ${event.agent} could not be looked for: ${describe(error)}`)
      return {}
    }
  }

  #find(event: PermissionEvent, step: PermissionStep, limits: () => Partial<AskLimits>) {
    if (event.role === 'takes') return this.#take(step)
    if (event.role === 'asks') return this.#ask(event, step, limits)
    return this.#overrule(event, step, limits)
  }

  // Before a call: only an answer to a refusal of the agent is passed on. Its usual prompt stays.
  #take({ outcome, evaluations = [], dispatched, note }: PermissionStep): PermissionAnswer {
    if (outcome.blocked) return {}
    if (note !== undefined) return note.status === 'approved' && note.refusedBy !== undefined ? toAnswer(note) : {}
    if (isNeverAllowed(evaluations)) return {}
    const used = this.#parts.approvals.consume(
      toHeldStep({ ...dispatched, data: outcome.data }),
      'call',
      ({ refusedBy }) => refusedBy !== undefined,
    )
    return used === undefined ? {} : toAnswer(toNote(used))
  }

  #ask(event: PermissionEvent, step: PermissionStep, limits: () => Partial<AskLimits>): PermissionAnswer {
    const { outcome, evaluations = [], dispatched, note } = step
    if (outcome.blocked) return {}
    if (note !== undefined) return note.status === 'approved' ? toAnswer(note) : {}
    if (isNeverAllowed(evaluations)) return {}
    const held = toHeldStep({ ...dispatched, data: outcome.data })
    const used = this.#parts.approvals.consume(held, 'permission')
    if (used !== undefined) return toAnswer(toNote(used))
    const exceptions = findExactExceptions(evaluations)
    if (exceptions.length > 0) return { yes: { exceptions } }
    // No person would see the question of a headless agent.
    const { isPrompt, callerPid } = limits()
    if (isPrompt !== false) return {}
    const reason = `${event.agent} needs permission for this, and no person is there to give it`
    const why = { reason, stepId: dispatched.id, refusedBy: event.agent, callerPid, appliesTo: 'next' } as const
    return { note: toNote(this.#parts.approvals.request(held, why)) }
  }

  // The person may answer now, while the agent waits, or later: then the next call that is the same is answered.
  async #overrule(
    { role, agent, reason: why }: PermissionEvent,
    { outcome, dispatched }: PermissionStep,
    limits: () => Partial<AskLimits>,
  ): Promise<PermissionAnswer> {
    const { approvals } = this.#parts
    const { tool, args } = outcome.data as { readonly tool?: unknown; readonly args?: unknown }
    const held = toHeldStep({ ...dispatched, point: 'pre:tool', data: { tool, args } })
    const given = approvals.giveBack(held, agent)
    if (given !== undefined) return role === 'retries' ? toAnswer(toNote(given)) : { note: toNote(given) }
    const { askMs = 0, signal, callerPid } = limits()
    const reason = describeRefusal(agent, why)
    const { id } = approvals.requestOverruling(held, { reason, stepId: dispatched.id, refusedBy: agent, callerPid })
    if (role === 'retries' && askMs > 0) {
      const status = await keepAliveWhile(
        approvals.wait(id, { waitMs: askMs, isKept: true, ...(signal && { signal }) }),
      )
      const answered = approvals.get(id)
      if (status === 'approved' && answered !== undefined) return toAnswer(toNote(answered))
    }
    const open = approvals.get(id)
    return open === undefined ? {} : { note: toNote(open) }
  }
}

/** A refusal of an agent's reviewer, for people. */
export function describeRefusal(agent: string, why: string | undefined): string {
  const reason = why?.trim() ?? ''
  return `refused by the reviewer of ${agent}${reason === '' ? '' : `: ${reason}`}`
}

function toAnswer(note: ApprovalNote): PermissionAnswer {
  return { yes: { approval: note.id, by: note.by }, note }
}

function toNote({ id, status, expiresAt, answeredBy: by, refusedBy }: Approval): ApprovalNote {
  return { id, status: status === 'used' ? 'approved' : status, expiresAt, by, refusedBy }
}

// In the lower modes such a step is only flagged: no answer of ARC may let it run.
function isNeverAllowed(evaluations: readonly Evaluation[]): boolean {
  return evaluations.some(({ metadata }) => metadata?.neverAllowed !== undefined)
}

// The hooks that look for exceptions. The metadata of other hooks says nothing here.
const WITH_EXCEPTIONS: readonly string[] = ['risk-detection', 'supervision-gate']

// Exceptions for a rule are no answer for this command, nor is one where another hook objects.
function findExactExceptions(evaluations: readonly Evaluation[]): readonly number[] {
  if (evaluations.some(({ decision }) => decision === 'ask' || decision === 'block')) return []
  const notes = evaluations.flatMap(({ hook, metadata, skipped }) =>
    WITH_EXCEPTIONS.includes(hook) && skipped === undefined && Array.isArray(metadata?.exceptions) ? [metadata] : [],
  )
  if (!notes.every((metadata) => isRecord(metadata) && metadata.isExact === true)) return []
  return [...new Set(notes.flatMap(({ exceptions }) => exceptions as readonly number[]))]
}

function answerEvent(
  { role, agent }: PermissionEvent,
  { dispatched, outcome }: PermissionStep,
  yes: PersonsYes,
): ApprovalEvent {
  const { approval, exceptions, by } = yes
  const answer = role === 'retries' ? 'try again' : 'allow'
  const rests = approval === undefined ? `exception ${exceptions?.join(', ')}` : `approval ${approval}`
  const { id: step, session, point } = dispatched
  return {
    component: 'hooks',
    action: role === 'retries' ? 'permission:retry' : 'permission:allowed',
    level: 'info',
    message: `${agent} gets the answer "${answer}"${by === undefined ? '' : ` of ${by}`} (${rests})`,
    data: { answer, approval: { id: approval, by }, exceptions, step, session, point, hook: outcome.hook },
  }
}
