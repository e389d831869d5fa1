// The events of Kimi Code: Claude's names, of which few take an answer. It waits for a hook before a prompt, a tool and the
// end of a turn; at all others it only tells.

import { event, type HostEvents } from '../host.ts'

// The most that Kimi Code allows; without a setting it waits 30 s.
const LONGEST_MS = 600_000
const USUAL_MS = 30_000

const TOLD = { isInstalled: true, limitMs: USUAL_MS } as const
const PHASE = event('post:session:phase')

/** Kimi Code's events by its own names. */
export const KIMI_EVENTS: HostEvents = {
  SessionStart: event('session:start', TOLD),
  UserPromptSubmit: event('pre:message', { ...TOLD, block: 'exit', context: true }),
  PreToolUse: event('pre:tool', { ...TOLD, block: 'exit', limitMs: LONGEST_MS }),
  PostToolUse: event('post:tool', TOLD),
  PostToolUseFailure: event('post:tool:failure', TOLD),
  SubagentStart: event('pre:agent:spawn', TOLD),
  SubagentStop: event('post:agent:complete', TOLD),
  PreCompact: event('pre:compact', TOLD),
  PostCompact: event('post:compact'),
  // Once a turn: Kimi Code does not ask a second time.
  Stop: event('pre:turn:end', { ...TOLD, block: 'exit' }),
  StopFailure: event('run:end'),
  Interrupt: event('run:end'),
  SessionEnd: event('session:end', TOLD),
  PermissionRequest: PHASE,
  PermissionResult: PHASE,
  UserPromptQueued: PHASE,
  TurnStarted: PHASE,
  TaskStarted: PHASE,
  SessionHeartbeat: PHASE,
  Notification: PHASE,
}
