// `arc approvals`: what is held for a person, and the person's answer.

import { userInfo } from 'node:os'
import { systemClock } from '../../runtime/engine-services.ts'
import { newId } from '../../runtime/ids.ts'
import { type Approval, Approvals } from '../../supervision/approvals.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { heldStepLines, heldStepSummary } from '../held-step.ts'
import { openState } from '../kept.ts'
import { print, printJson, tell } from '../output.ts'

interface JsonOption {
  readonly json?: boolean
}

/** Lists what waits for an answer. */
export async function listApprovals({ json }: JsonOption): Promise<number> {
  return withApprovals((approvals) => {
    const pending = approvals.list().filter(({ status }) => status === 'pending')
    printPending(pending, json === true)
    return 0
  })
}

/** Prints the steps that wait. */
export function printPending(pending: readonly Approval[], isJson: boolean): void {
  if (isJson) printJson(pending.map(jsonOf))
  else if (pending.length === 0) tell('Nothing is held for a person. What was: arc logs --decision ask')
  else for (const line of pending.flatMap((approval) => heldStepLines(approval))) print(line)
}

/** Answers for one step, by its id or the beginning of it. */
export async function answerApproval(id: string, word: 'approve' | 'deny', { json }: JsonOption): Promise<number> {
  return withApprovals((approvals) => {
    const approval = approvals.answer(findId(approvals, id), word, { by: userInfo().username })
    if (json === true) printJson({ ...jsonOf(approval), status: approval.status })
    else printAnswer(approval)
    return 0
  })
}

/** Prints what became of a step. */
export function printAnswer(approval: Approval): void {
  tell(`${approval.status}: ${heldStepSummary(approval)}`)
}

function withApprovals(work: (approvals: Approvals) => number): number {
  const { state, close } = openState()
  try {
    return work(new Approvals({ state, clock: systemClock, newId, canonicalize }))
  } finally {
    close()
  }
}

function findId(approvals: Approvals, given: string): string {
  const ids = approvals.list().flatMap(({ id }) => (id.startsWith(given) ? [id] : []))
  return ids.length === 1 && ids[0] !== undefined ? ids[0] : given
}

/** An approval as --json prints it. */
export function jsonOf({ id, step, reason, hook, createdAt, expiresAt }: Approval) {
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  return { id, step, reason: reason ?? null, hook: hook ?? null, ...times }
}
