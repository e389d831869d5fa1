// The events of Kiro CLI, from its documents. What a hook prints at the start and before a prompt becomes context.

import { event, type HostEvents } from '../host.ts'

const LIMIT_MS = 600_000

/** Kiro's events by its own names. */
export const KIRO_EVENTS: HostEvents = {
  agentSpawn: event('session:start', { context: true, isInstalled: true }),
  userPromptSubmit: event('pre:message', { context: true, isInstalled: true }),
  preToolUse: event('pre:tool', { block: 'exit', isInstalled: true, limitMs: LIMIT_MS }),
  postToolUse: event('post:tool', { isInstalled: true }),
  stop: event('pre:turn:end', { isInstalled: true }),
}
