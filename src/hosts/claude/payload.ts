// The payload of Claude Code, and of those that took its field names over: Codex, Qwen Code, and Copilot in part.

import { argsIn, defined, type Fields, own, readTextField } from '../fields.ts'
import type { ParsedPayload } from '../step.ts'

// In these modes Claude answers its own prompts, and so do those who borrowed the words: no person is asked.
const SELF_ANSWERING = new Set(['bypassPermissions', 'yolo', 'dontAsk'])

/** Reads the common fields. The event name of the payload counts; without one, the name on the command line. */
export function parseClaudePayload(fields: Fields, event: string | undefined): ParsedPayload {
  const mode = readTextField(fields, 'permission_mode', 'permissionMode')
  return {
    event: readTextField(fields, 'hook_event_name', 'hookEventName') ?? event ?? '',
    session: readTextField(fields, 'session_id', 'sessionId'),
    turn: readTextField(fields, 'prompt_id', 'turn_id'),
    agent: readTextField(fields, 'agent_id'),
    workspace: readTextField(fields, 'cwd'),
    tool: readTextField(fields, 'tool_name'),
    args: argsIn(fields, 'tool_input'),
    callId: readTextField(fields, 'tool_call_id', 'tool_use_id'),
    result: own(fields, 'tool_response') ?? own(fields, 'tool_result'),
    error: own(fields, 'error') ?? own(fields, 'reason'),
    calls: own(fields, 'tool_calls'),
    prompt: own(fields, 'prompt'),
    output: readTextField(fields, 'last_assistant_message', 'delta', 'displayed_text'),
    reason: readTextField(fields, 'source', 'reason', 'stop_reason', 'trigger', 'error'),
    isContinued: own(fields, 'stop_hook_active') === true,
    facts: readFacts(fields, mode),
    canPrompt: mode === undefined || !SELF_ANSWERING.has(mode),
  }
}

function readFacts(fields: Fields, permissionMode: string | undefined): Fields {
  return defined({
    permissionMode,
    model: readTextField(fields, 'model'),
    agentType: readTextField(fields, 'agent_type'),
    transcript: readTextField(fields, 'transcript_path', 'agent_transcript_path'),
    durationMs: typeof own(fields, 'duration_ms') === 'number' ? own(fields, 'duration_ms') : undefined,
    trigger: readTextField(fields, 'trigger'),
    promptSource: typeof own(fields, 'prompt') === 'string' ? readTextField(fields, 'source') : undefined,
  })
}
