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
    ...readSender(fields),
    output: readTextField(fields, 'last_assistant_message', 'delta', 'displayed_text'),
    reason: readTextField(fields, 'source', 'reason', 'stop_reason', 'trigger', 'error'),
    isContinued: own(fields, 'stop_hook_active') === true,
    facts: readFacts(fields, mode),
    canPrompt: mode === undefined || !SELF_ANSWERING.has(mode),
  }
}

// Who wrote a prompt that no person typed.
const SOURCES: Readonly<Record<string, string>> = {
  system: 'system',
  loop_wakeup: 'cron',
  schedule_wakeup: 'cron',
  poll_event: 'system',
}
// `<teammate-message teammate_id="reviewer">…`: a message of another agent to this session.
const AGENT_MESSAGE = /^\s*<[\w-]*message\b([^>]{0,1000})>/
const SENDER = /\b(?:teammate_id|agent_id|teammate|agent|from|sender)\s*=\s*"([^"]{1,200})"/
const RECIPIENT = /\b(?:to|recipient)\s*=\s*"([^"]{1,200})"/

function readSender(fields: Fields): Pick<ParsedPayload, 'sender' | 'recipient' | 'source'> {
  const prompt = own(fields, 'prompt')
  if (typeof prompt !== 'string') return {}
  const by = readTextField(fields, 'source')
  const isTyped = by === 'user' || by === 'sdk'
  const head = isTyped ? undefined : AGENT_MESSAGE.exec(prompt)?.[1]
  const sender = head === undefined ? undefined : SENDER.exec(head)?.[1]
  // The host delivers it to the session that it is addressed to.
  if (sender !== undefined) return { sender, recipient: RECIPIENT.exec(head ?? '')?.[1] ?? 'session', source: 'agent' }
  return by !== undefined && Object.hasOwn(SOURCES, by) ? { source: SOURCES[by] } : {}
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
