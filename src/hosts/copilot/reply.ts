// The reply to GitHub Copilot CLI: flat JSON, or Claude's dialect where it runs a hook of Claude's files.

import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { type ClaudeQuirks, replyClaude } from '../claude/reply.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { type Intent, jsonReply, readIntent } from '../intent.ts'

// With exit code 2 it would report the code instead of the reason.
const BORROWED: ClaudeQuirks = { denyExit: 0, canEndTurn: false, editNeedsAllow: false }

/** The reply to Copilot. */
export function replyCopilot(step: HostStep, outcome: Outcome, facts: ReplyFacts): HostReply {
  if (step.isBorrowed === true) return replyClaude(step, outcome, facts, BORROWED)
  const intent = readIntent(step, outcome, facts)
  const { kind, message, unsupported } = intent
  if (kind !== 'deny') return goAhead(step, intent)
  const exitCode = step.spec.block === 'behavior' ? 0 : 2
  return jsonReply(denialJson(step, message), { stderr: `${message}\n`, exitCode, unsupported })
}

function denialJson(step: HostStep, message: string): object {
  const { block } = step.spec
  if (block === 'behavior') return { behavior: 'deny', message }
  if (block === 'decision') return { decision: 'block', reason: message }
  return { permissionDecision: 'deny', permissionDecisionReason: message }
}

function goAhead(step: HostStep, { kind, message, edit, context, isAllowed, unsupported }: Intent): HostReply {
  const json: Record<string, unknown> = {}
  // Only with the answer of a person.
  if (isAllowed === true && step.spec.permission === 'asks') json.behavior = 'allow'
  if (kind === 'ask') Object.assign(json, { permissionDecision: 'ask', permissionDecisionReason: message })
  if (edit?.field === 'args') json.modifiedArgs = edit.value
  if (edit?.field === 'result') json.modifiedResult = resultLike(step.data.result, edit.value)
  if (edit?.field === 'output') json.modifiedResponse = edit.value
  if (context !== undefined) json.additionalContext = context
  return jsonReply(json, { unsupported })
}

function resultLike(original: unknown, value: unknown): unknown {
  if (typeof value !== 'string') return value
  return { resultType: 'success', ...(isRecord(original) ? original : {}), textResultForLlm: value }
}
