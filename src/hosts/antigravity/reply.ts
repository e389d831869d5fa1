// The reply in the dialect of Antigravity: one decision. Without a reply its own permissions apply.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { jsonReply, readIntent } from '../intent.ts'

/** The reply to Antigravity. */
export function replyAntigravity(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, unsupported } = readIntent(step, outcome, facts)
  if (kind === 'pass') return jsonReply({}, { unsupported })
  // Its plain ask is answered by what the user has allowed before.
  const decision = kind === 'ask' ? 'force_ask' : 'deny'
  return jsonReply({ decision, reason: message }, { stderr: kind === 'deny' ? `${message}\n` : '', unsupported })
}
