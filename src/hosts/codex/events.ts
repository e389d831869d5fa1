// The events of Codex, and what it honours at each. One key too many in a reply makes it void, and the call runs.

import { event, type HostEvents } from '../host.ts'

const COMMAND_MS = 600_000
// The most that Codex allows at the end of a session.
const SESSION_END_MS = 3_000

const TOLD = { notice: true, limitMs: COMMAND_MS } as const

/** Codex's events by its own names. */
export const CODEX_EVENTS: HostEvents = {
  SessionStart: event('session:start', { ...TOLD, context: true, isInstalled: true }),
  UserPromptSubmit: event('pre:message', { ...TOLD, block: 'decision', context: true, isInstalled: true }),
  // Fires before every request to the model and takes no answer.
  PreModelRequest: event('pre:model', { isOnDemand: true }),
  PreToolUse: event('pre:tool', {
    ...TOLD,
    block: 'permission',
    edits: ['args'],
    context: true,
    isInstalled: true,
  }),
  // The answer takes precedence over its reviewer; without one the reviewer or the user decides.
  PermissionRequest: event('pre:tool', {
    block: 'behavior',
    ask: 'prompting',
    isInstalled: true,
    limitMs: COMMAND_MS,
    permission: 'asks',
  }),
  PostToolUse: event('post:tool', { ...TOLD, context: true, isInstalled: true }),
  PreCompact: event('pre:compact', { ...TOLD, isInstalled: true }),
  PostCompact: event('post:compact', TOLD),
  SubagentStart: event('pre:agent:spawn', { ...TOLD, context: true, isInstalled: true }),
  SubagentStop: event('post:agent:complete', { ...TOLD, isInstalled: true }),
  Stop: event('pre:turn:end', { ...TOLD, block: 'decision', hasAnswer: true, isInstalled: true }),
  Interrupt: event('run:end'),
  SessionEnd: event('session:end', { isInstalled: true, limitMs: SESSION_END_MS }),
}
