// The payload of Claude Code, and of those that took its field names over: Codex, Qwen Code, and Copilot in part.

import { argsIn, defined, type Fields, own, textOf } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

// In this mode Claude answers its own prompts with yes, and so do those who borrowed the word.
const SELF_ANSWERING = new Set(['bypassPermissions', 'yolo'])

/** Reads the common fields. The name in the payload counts; the one on the command line stands in for it. */
export function tellClaude(fields: Fields, event: string | undefined): ParsedPayload {
  const mode = textOf(fields, 'permission_mode', 'permissionMode')
  return {
    event: textOf(fields, 'hook_event_name', 'hookEventName') ?? event ?? '',
    session: textOf(fields, 'session_id', 'sessionId'),
    turn: textOf(fields, 'prompt_id', 'turn_id'),
    agent: textOf(fields, 'agent_id'),
    workspace: textOf(fields, 'cwd'),
    tool: textOf(fields, 'tool_name'),
    args: argsIn(fields, 'tool_input'),
    callId: textOf(fields, 'tool_call_id', 'tool_use_id'),
    result: own(fields, 'tool_response') ?? own(fields, 'tool_result'),
    error: own(fields, 'error') ?? own(fields, 'reason'),
    prompt: own(fields, 'prompt'),
    output: textOf(fields, 'last_assistant_message', 'delta', 'displayed_text'),
    reason: textOf(fields, 'source', 'reason', 'stop_reason', 'trigger', 'error'),
    isContinued: own(fields, 'stop_hook_active') === true,
    facts: factsOf(fields, mode),
    canPrompt: mode === undefined || !SELF_ANSWERING.has(mode),
  }
}

function factsOf(fields: Fields, permissionMode: string | undefined): Fields {
  return defined({
    permissionMode,
    model: textOf(fields, 'model'),
    agentType: textOf(fields, 'agent_type'),
    transcript: textOf(fields, 'transcript_path', 'agent_transcript_path'),
    durationMs: typeof own(fields, 'duration_ms') === 'number' ? own(fields, 'duration_ms') : undefined,
    trigger: textOf(fields, 'trigger'),
    promptSource: typeof own(fields, 'prompt') === 'string' ? textOf(fields, 'source') : undefined,
  })
}
