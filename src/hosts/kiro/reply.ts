// The reply to Kiro CLI: exit code 2 with the reason on stderr stops a tool. What is printed with code 0 is context, as it is.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { readIntent, SILENCE } from '../intent.ts'

/** The reply to Kiro CLI. */
export function replyKiro(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const { kind, message, context, unsupported } = readIntent(step, outcome, facts)
  if (kind !== 'pass') return { ...SILENCE, stderr: `${message}\n`, exitCode: 2, unsupported }
  return { ...SILENCE, stdout: context === undefined ? '' : `${context}\n`, unsupported }
}
