// The answer to ARC's extension in Pi, in ARC's own format, which extension.ts applies.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { jsonReply, readIntent } from '../intent.ts'

/** The reply to the extension: `{ deny }`, `{ ask }`, or the edited field with `context` and `notice`. */
export function replyPi(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, edit, context, notice, unsupported } = readIntent(step, outcome, facts)
  if (kind === 'deny') return jsonReply({ deny: message }, { stderr: `${message}\n`, exitCode: 2, unsupported })
  if (kind === 'ask') return jsonReply({ ask: message }, { unsupported })
  const json: Record<string, unknown> = {}
  if (edit !== undefined) json[edit.field] = edit.value
  if (context !== undefined) json.context = context
  if (notice !== undefined) json.notice = notice
  return jsonReply(json, { unsupported })
}
