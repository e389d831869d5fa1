// The answer to ARC's plugin in OpenCode, in ARC's own format, which plugin.ts applies.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { jsonReply, readIntent } from '../intent.ts'

/** The reply to the plugin: `{ deny }`, `{ allow }`, `{ args }`, `{ result }`, `{ prompt }`, `{ context }`, `{ notice }`. */
export function replyOpencode(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, edit, context, notice, isAllowed, unsupported } = readIntent(step, outcome, facts)
  if (kind !== 'pass') return jsonReply({ deny: message }, { stderr: `${message}\n`, exitCode: 2, unsupported })
  const json: Record<string, unknown> = {}
  // Only with the answer of a person.
  if (isAllowed === true) json.allow = true
  if (edit !== undefined) json[edit.field] = edit.value
  if (context !== undefined) json.context = context
  if (notice !== undefined) json.notice = notice
  return jsonReply(json, { unsupported })
}
