// The log entries about approvals.

import {
  type AnswerSource,
  type Approval,
  type ApprovalEvent,
  type ApprovalStatus,
  WITHDRAWN,
  type WithdrawnBy,
} from './approval.ts'

/** An answer, with its channel and process. */
export function answerEvent(approval: Approval, status: 'approved' | 'denied', source: AnswerSource): ApprovalEvent {
  const { by, channel = 'program', process, pageSession, message } = source
  const who = `${by === undefined ? '' : ` by ${by}`}, channel ${channel}`
  return buildEvent(approval, status, who, { channel, process, pageSession, message })
}

/** The end of a question without an answer. */
export function withdrawnEvent(approval: Approval, by: WithdrawnBy): ApprovalEvent {
  return buildEvent(approval, 'withdrawn', `: ${WITHDRAWN[by]}`, { withdrawnBy: by })
}

function buildEvent(approval: Approval, status: ApprovalStatus, how: string, more: object): ApprovalEvent {
  const { id, hash, step, hook, reason, stepId, answeredBy: by } = approval
  const { session, point } = step
  return {
    component: 'hooks',
    action: `approval:${status}`,
    level: status === 'denied' ? 'warn' : 'info',
    message: `${id} is ${status}${how}`,
    data: { approval: { id, status, by }, ...more, hash, hook, step: stepId, session, point, reason },
  }
}
