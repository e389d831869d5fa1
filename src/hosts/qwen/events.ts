// The events of Qwen Code: Claude's names on Gemini's engine. It documents changed input before a tool, but ignores it.

import { CLAUDE_EVENTS } from '../claude/events.ts'
import { event, type HostEvent, type HostEvents } from '../host.ts'

const LIMIT_MS = 60_000

const SHARED = [
  ...['PostToolUseFailure', 'PostToolBatch', 'Notification', 'UserPromptSubmit', 'UserPromptExpansion'],
  ...['SessionStart', 'Stop', 'MessageDisplay', 'SubagentStart', 'SubagentStop', 'PreCompact', 'PostCompact'],
  ...['SessionEnd', 'PermissionRequest', 'PermissionDenied', 'StopFailure', 'InstructionsLoaded'],
]

const like = (name: string): HostEvent => {
  const { reviewer: _, ...row } = CLAUDE_EVENTS[name] as HostEvent
  return { ...row, limitMs: LIMIT_MS }
}
const PHASE = event('post:session:phase', { notice: true })

/** After a tool's result the prompt hook fires again, without a prompt. */
export const QWEN_TOOL_RESULTS = event('post:session:phase', { context: true, notice: true, limitMs: LIMIT_MS })

/** Qwen Code's events by its own names. */
export const QWEN_EVENTS: HostEvents = {
  ...Object.fromEntries(SHARED.map((name) => [name, like(name)])),
  // Fires after its own permissions, so that an answer here comes too late for them.
  PreToolUse: { ...like('PreToolUse'), edits: [], permission: undefined },
  // It reports a refusal of its reviewer and takes no answer.
  PermissionDenied: { ...like('PermissionDenied'), permission: 'refused' },
  PostToolUse: { ...like('PostToolUse'), edits: [] },
  SessionDelete: PHASE,
  TodoCreated: PHASE,
  TodoCompleted: PHASE,
}
