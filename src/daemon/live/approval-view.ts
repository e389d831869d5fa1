// An approval as a person sees it: exactly what would run, complete, with hidden characters escaped.

import type { Approval } from '../../approvals/approvals.ts'
import { escapeHidden } from '../../display/display-text.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { ApprovalView } from '../../protocol/views.ts'

// The overview is sent every second: longer commands are requested separately.
const MAX_SHORT = 4_000

/** The complete view of an approval. */
export function buildApprovalView(approval: Approval): ApprovalView {
  const { id, step, reason, hook, createdAt, expiresAt, status, answeredBy, message, appliesTo, withdrawnBy } = approval
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  const answer = { status, answeredBy: answeredBy ?? null, message: message ?? null, withdrawnBy: withdrawnBy ?? null }
  const { preview, ...shown } = step
  return {
    id,
    step: shown,
    command: formatCommand(step.args),
    isCut: false,
    preview: preview ?? null,
    ...{ reason: reason ?? null, hook: hook ?? null, appliesTo },
    ...answer,
    ...times,
  }
}

/** A short view for messages that are sent often. */
export function buildShortApprovalView(approval: Approval): ApprovalView {
  const { step, ...view } = buildApprovalView(approval)
  if (view.command.length <= MAX_SHORT) return { ...view, step }
  const { point, tool, workspace, session } = step
  const named = { point, tool: cut(tool), workspace: cut(workspace), session: cut(session), args: null }
  return { ...view, step: named, command: view.command.slice(0, MAX_SHORT), isCut: true }
}

function cut(name: string | undefined): string | undefined {
  return name?.slice(0, MAX_SHORT)
}

// A single command is shown as it is; with other arguments everything is shown as JSON.
function formatCommand(args: unknown): string {
  const isAlone = isRecord(args) && Object.keys(args).every((key) => key === 'command' || key === 'description')
  if (isAlone && typeof args.command === 'string') return escapeHidden(args.command)
  return escapeHidden(JSON.stringify(args, null, 2) ?? '')
}
