// The reply to Gemini CLI: one decision for everything, and changed arguments are merged over those of the call.

import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { type Intent, jsonReply, readIntent } from '../intent.ts'

/** The reply to Gemini CLI. */
export function replyGemini(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  const intent = readIntent(step, outcome, facts)
  const { kind, message, endsTurn, unsupported } = intent
  if (kind !== 'deny') return goAhead(step, intent)
  const ending = endsTurn ? { continue: false, stopReason: message } : {}
  const json = { decision: 'deny', reason: message, ...ending }
  return jsonReply(json, { stderr: `${message}\n`, exitCode: 2, unsupported })
}

function goAhead(step: HostStep, { kind, message, edit, context, notice, unsupported }: Intent): HostReply {
  const fields: Record<string, unknown> = {}
  if (edit?.field === 'args') fields.tool_input = edit.value
  if (context !== undefined) fields.additionalContext = context
  const json: Record<string, unknown> = {}
  if (kind === 'ask') Object.assign(json, { decision: 'ask', reason: message })
  // After a tool, a denial puts its reason in the place of the result.
  if (edit?.field === 'result') Object.assign(json, { decision: 'deny', reason: resultText(edit.value) })
  if (notice !== undefined) json.systemMessage = notice
  if (Object.keys(fields).length > 0) json.hookSpecificOutput = { hookEventName: step.event, ...fields }
  return jsonReply(json, { unsupported })
}

function resultText(value: unknown): string {
  if (typeof value === 'string') return value
  const text = isRecord(value) ? value.llmContent : undefined
  return typeof text === 'string' ? text : JSON.stringify(value)
}
