// The payload of GitHub Copilot CLI: camel case without the event's name, or Claude's field names in Claude's files.

import { parseClaudePayload } from '../claude/payload.ts'
import { argsIn, defined, type Fields, isTimedEvent, own, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads a payload of Copilot, in either form. */
export function parseCopilotPayload(fields: Fields, event: string | undefined): ParsedPayload {
  // A permission request always uses camel case, and so does its reply.
  const ownName = readTextField(fields, 'hookName')
  if (ownName === undefined && readTextField(fields, 'hook_event_name') !== undefined) {
    return { ...parseClaudePayload(fields, event), isBorrowed: true }
  }
  return {
    event: ownName ?? event ?? '',
    session: readTextField(fields, 'sessionId'),
    workspace: readTextField(fields, 'cwd'),
    agent: readTextField(fields, 'agentId', 'agentName'),
    tool: readTextField(fields, 'toolName'),
    args: argsIn(fields, 'toolArgs', 'toolInput'),
    callId: readTextField(fields, 'toolCallId', 'toolUseId'),
    result: own(fields, 'toolResult'),
    error: own(fields, 'error'),
    prompt: own(fields, 'prompt'),
    output: readTextField(fields, 'lastAssistantMessage', 'response'),
    reason: readTextField(fields, 'source', 'reason', 'stopReason', 'trigger'),
    isContinued: own(fields, 'stop_hook_active') === true,
    facts: defined({
      transcript: readTextField(fields, 'transcriptPath'),
      agentType: readTextField(fields, 'agentName'),
      initialPrompt: readTextField(fields, 'initialPrompt'),
    }),
  }
}

/** Whether a payload in a line of Claude is from Copilot: it leaves the transcript out, or names a reason to stop beside it. */
export function isCopilotPayload(fields: Fields): boolean {
  if (readTextField(fields, 'hookName') === 'permissionRequest') return true
  const hasTranscript = readTextField(fields, 'transcript_path') !== undefined
  return isTimedEvent(fields) && (!hasTranscript || readTextField(fields, 'stop_reason') !== undefined)
}
