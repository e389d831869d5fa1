// The test call of Claude Code and of hosts with the same payload.

import type { Canary, CanaryCall } from '../host.ts'

/** A tool call in Claude's format. */
export function claudeCanary({ session, dir, command }: CanaryCall, event = 'PreToolUse', tool = 'Bash'): Canary {
  return {
    payload: {
      session_id: session,
      cwd: dir,
      hook_event_name: event,
      tool_name: tool,
      tool_input: { command },
      tool_use_id: session,
    },
  }
}
