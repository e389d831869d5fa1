// The payload of GitHub Copilot CLI: camel case without the event's name, or Claude's field names in Claude's files.

import { tellClaude } from '../claude/payload.ts'
import { argsIn, defined, type Fields, own, textOf } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

/** Reads a payload of Copilot, in either form. */
export function tellCopilot(fields: Fields, event: string | undefined): ParsedPayload {
  // A permission request comes in camel case everywhere, and is answered so.
  const ownName = textOf(fields, 'hookName')
  if (ownName === undefined && textOf(fields, 'hook_event_name') !== undefined) {
    return { ...tellClaude(fields, event), isBorrowed: true }
  }
  return {
    event: ownName ?? event ?? '',
    session: textOf(fields, 'sessionId'),
    workspace: textOf(fields, 'cwd'),
    agent: textOf(fields, 'agentId', 'agentName'),
    tool: textOf(fields, 'toolName'),
    args: argsIn(fields, 'toolArgs', 'toolInput'),
    callId: textOf(fields, 'toolCallId', 'toolUseId'),
    result: own(fields, 'toolResult'),
    error: own(fields, 'error'),
    prompt: own(fields, 'prompt'),
    output: textOf(fields, 'lastAssistantMessage', 'response'),
    reason: textOf(fields, 'source', 'reason', 'stopReason', 'trigger'),
    isContinued: own(fields, 'stop_hook_active') === true,
    facts: defined({
      transcript: textOf(fields, 'transcriptPath'),
      agentType: textOf(fields, 'agentName'),
      initialPrompt: textOf(fields, 'initialPrompt'),
    }),
  }
}
