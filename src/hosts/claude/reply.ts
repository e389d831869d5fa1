// The reply in the dialect of Claude Code, which Codex, Qwen Code and Copilot (for Claude's files) read too, each with
// its own gaps.

import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HostReply, HostStep, ReplyFacts } from '../host.ts'
import { type Intent, jsonReply, readIntent } from '../intent.ts'

/** What a reader of this dialect does not do as Claude does. */
export interface ClaudeQuirks {
  /** The exit code of a denial. */
  readonly denyExit: 0 | 2
  /** Does `continue: false` end the turn? Codex takes it for an error and lets the call run. */
  readonly canEndTurn: boolean
  /** Is changed input only taken together with `allow`? */
  readonly editNeedsAllow: boolean
}

/** Claude Code itself. */
const CLAUDE: ClaudeQuirks = { denyExit: 2, canEndTurn: true, editNeedsAllow: false }

/** The reply to Claude Code or a reader of its dialect. */
export function replyClaude(
  step: HostStep,
  outcome: Outcome,
  facts: ReplyFacts,
  quirks: ClaudeQuirks = CLAUDE,
): HostReply {
  const intent = readIntent(step, outcome, facts)
  return intent.kind === 'deny' ? denial(step, intent, quirks) : goAhead(step, intent, quirks)
}

function denial(step: HostStep, { message, endsTurn, unsupported }: Intent, quirks: ClaudeQuirks): HostReply {
  const ending = endsTurn && quirks.canEndTurn ? { continue: false, stopReason: message } : {}
  const { block } = step.spec
  if (block === 'behavior') {
    const json = specific(step, { decision: { behavior: 'deny', message } })
    return jsonReply(json, { stderr: `${message}\n`, unsupported })
  }
  const json = { ...ending, ...denialJson(step, message) }
  return jsonReply(json, { stderr: `${message}\n`, exitCode: quirks.denyExit, unsupported })
}

function denialJson(step: HostStep, message: string): object {
  const { block, point } = step.spec
  // A new event in an unknown form: exit code and stderr say it all, and nothing in JSON can be wrong.
  if (block === 'exit') return {}
  if (block === 'permission' && (point === 'pre:tool' || !step.isUnknown)) {
    return specific(step, { permissionDecision: 'deny', permissionDecisionReason: message })
  }
  return { decision: 'block', reason: message }
}

function goAhead(step: HostStep, intent: Intent, quirks: ClaudeQuirks): HostReply {
  const { kind, message, context, notice, unsupported } = intent
  const fields: Record<string, unknown> = {}
  if (kind === 'ask') Object.assign(fields, { permissionDecision: 'ask', permissionDecisionReason: message })
  Object.assign(fields, editFields(step, intent, quirks), allowFields(step, intent))
  if (context !== undefined) fields.additionalContext = context
  if (intent.reviewed !== undefined) fields.classifierContext = intent.reviewed
  const json = { ...(notice === undefined ? {} : { systemMessage: notice }), ...specific(step, fields) }
  return jsonReply(json, { unsupported })
}

function editFields(step: HostStep, { edit }: Intent, { editNeedsAllow }: ClaudeQuirks): object {
  if (edit === undefined) return {}
  if (edit.field === 'result') return { updatedToolOutput: resultLike(step.data.result, edit.value) }
  return editNeedsAllow ? { permissionDecision: 'allow', updatedInput: edit.value } : { updatedInput: edit.value }
}

// Only with the answer of a person.
function allowFields({ spec, data }: HostStep, { kind, isAllowed, edit }: Intent): object {
  if (kind !== 'pass' || isAllowed !== true) return {}
  if (spec.permission === 'retries') return { retry: true }
  if (spec.permission === 'asks') return { decision: { behavior: 'allow' } }
  const why = `Approved in ARC${typeof data.tool === 'string' && edit !== undefined ? ', as changed by its hooks' : ''}`
  return { permissionDecision: 'allow', permissionDecisionReason: why }
}

// The shell's result is an object: a hook that gives a text means what the command printed.
function resultLike(original: unknown, value: unknown): unknown {
  const isPrinted = isRecord(original) && typeof original.stdout === 'string' && typeof value === 'string'
  return isPrinted ? { ...original, stdout: value } : value
}

function specific(step: HostStep, fields: object): object {
  if (Object.keys(fields).length === 0) return {}
  return { hookSpecificOutput: { hookEventName: step.event, ...fields } }
}
