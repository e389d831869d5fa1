// A held step as a person sees it before the answer: exactly what would run, nothing left out, nothing that hides.

import type { Approval } from '../../approvals/approvals.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { ApprovalView } from '../../protocol/views.ts'
import { escapeHidden } from './display-text.ts'

// The figures go out every second: more of a command than this is asked for.
const MAX_SHORT = 4_000

/** An approval as it is shown: all of it. */
export function buildApprovalView(approval: Approval): ApprovalView {
  const { id, step, reason, hook, createdAt, expiresAt, status, answeredBy } = approval
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  const said = { reason: reason ?? null, hook: hook ?? null, status, answeredBy: answeredBy ?? null }
  const { preview, ...shown } = step
  return { id, step: shown, command: commandOf(step.args), isCut: false, preview: preview ?? null, ...said, ...times }
}

/** The same in short, where much of it goes over the wire again and again. */
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

// A command alone is shown as one; whatever comes with it must be seen too.
function commandOf(args: unknown): string {
  const isAlone = isRecord(args) && Object.keys(args).every((key) => key === 'command' || key === 'description')
  if (isAlone && typeof args.command === 'string') return escapeHidden(args.command)
  return escapeHidden(JSON.stringify(args, null, 2) ?? '')
}
