// The events of Antigravity, from its documents. It reads a decision before a tool, and ignores Claude's form of it.

import { event, type HostEvents } from '../host.ts'

const PHASE = event('post:session:phase')

/** Antigravity's events by its own names. */
export const ANTIGRAVITY_EVENTS: HostEvents = {
  PreToolUse: event('pre:tool', { block: 'decision', ask: 'prompt', isInstalled: true }),
  PostToolUse: event('post:tool', { isInstalled: true }),
  Stop: event('pre:turn:end', { isInstalled: true }),
  SessionStart: event('session:start'),
  PreInvocation: PHASE,
  PostInvocation: PHASE,
}
