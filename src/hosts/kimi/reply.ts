// The reply to Kimi Code. A denial is the exit code with the reason on stderr; it reads no JSON then. Before a prompt it puts
// all of stdout into the conversation unless that is JSON with a message.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { jsonReply, readIntent } from '../intent.ts'

/** The reply to Kimi Code. */
export function replyKimi(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, context, unsupported } = readIntent(step, outcome, facts)
  if (kind !== 'pass') return jsonReply({}, { stderr: `${message}\n`, exitCode: 2, unsupported })
  return jsonReply(context === undefined ? {} : { message: context }, { unsupported })
}
