// The reply to Cline: only its JSON counts, and to stop a tool call is to cancel the task.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { jsonReply, readIntent } from '../intent.ts'

/** The reply to Cline. */
export function replyCline(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, edit, context, unsupported } = readIntent(step, outcome, facts)
  if (kind !== 'pass') {
    return jsonReply({ cancel: true, errorMessage: message }, { stderr: `${message}\n`, unsupported })
  }
  const json: Record<string, unknown> = {}
  if (edit !== undefined) json.overrideInput = edit.value
  if (context !== undefined) json.contextModification = context
  return jsonReply(json, { unsupported })
}
