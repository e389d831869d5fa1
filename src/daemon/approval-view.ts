// A held step as a person sees it before the answer: exactly what would run, nothing left out, nothing that hides.

import { isRecord } from '../core/plain-data.ts'
import type { ApprovalView } from '../protocol/views.ts'
import type { Approval } from '../supervision/approvals.ts'
import { wholeOf } from './shown-text.ts'

/** An approval as it is shown. */
export function approvalView(approval: Approval): ApprovalView {
  const { id, step, reason, hook, createdAt, expiresAt, status, answeredBy } = approval
  const times = { createdAt: new Date(createdAt).toISOString(), expiresAt: new Date(expiresAt).toISOString() }
  const said = { reason: reason ?? null, hook: hook ?? null, status, answeredBy: answeredBy ?? null }
  return { id, step, command: commandOf(step.args), ...said, ...times }
}

// A command alone is shown as one; whatever comes with it must be seen too.
function commandOf(args: unknown): string {
  const isAlone = isRecord(args) && Object.keys(args).every((key) => key === 'command' || key === 'description')
  if (isAlone && typeof args.command === 'string') return wholeOf(args.command)
  return wholeOf(JSON.stringify(args, null, 2) ?? '')
}
