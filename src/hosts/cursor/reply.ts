// The reply to Cursor, which takes an empty answer for a broken hook and stops the call: it alone gets an explicit allow.

import type { Outcome } from '../../engine/outcome.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { type Intent, readIntent, SILENCE } from '../intent.ts'

/** The reply to Cursor. */
export function replyCursor(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const intent = readIntent(step, outcome, facts)
  const { kind, message, unsupported } = intent
  if (kind !== 'deny') return { ...SILENCE, stdout: line(goAhead(step, intent)), unsupported }
  // At a turn's end exit code 2 has no meaning: the message to continue with counts.
  const exitCode = step.point === 'pre:turn:end' ? 0 : 2
  return { stdout: line(denialJson(step, message)), stderr: `${message}\n`, exitCode, unsupported }
}

function denialJson(step: HostStep, message: string): object {
  if (step.point === 'pre:turn:end') return { followup_message: message }
  if (step.point === 'pre:message') return { continue: false, user_message: message }
  return { permission: 'deny', user_message: message, agent_message: message }
}

function goAhead(step: HostStep, { kind, message, edit, context, notice }: Intent): object {
  if (kind === 'ask') return { permission: 'ask', user_message: message, agent_message: message }
  const json: Record<string, unknown> = {}
  if (step.spec.block === 'permission') json.permission = 'allow'
  if (edit !== undefined) json.updated_input = edit.value
  if (context !== undefined) json.additional_context = context
  if (notice !== undefined) json.user_message = notice
  return json
}

function line(json: object): string {
  return `${JSON.stringify(json)}\n`
}
