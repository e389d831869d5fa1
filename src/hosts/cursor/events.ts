// The events of Cursor, from its documents: it has no command line that runs without an account.

import { event, type HostEvents } from '../host.ts'

const PERMISSION = { block: 'permission', ask: 'prompt' } as const
const PHASE = event('post:session:phase')

/** Cursor's events by its own names. */
export const CURSOR_EVENTS: HostEvents = {
  sessionStart: event('session:start', { context: true, isInstalled: true }),
  // It would take `ask` here and run the tool all the same.
  preToolUse: event('pre:tool', { block: 'permission', ask: 'deny', edits: ['args'], isInstalled: true }),
  postToolUse: event('post:tool', { context: true, isInstalled: true }),
  postToolUseFailure: event('post:tool:failure', { isInstalled: true }),
  // Each call has passed at preToolUse already, so these are not registered.
  beforeShellExecution: event('pre:tool', PERMISSION),
  afterShellExecution: event('post:tool'),
  beforeMCPExecution: event('pre:tool', PERMISSION),
  afterMCPExecution: event('post:tool'),
  beforeReadFile: event('pre:tool', { block: 'permission' }),
  beforeTabFileRead: event('pre:tool', { block: 'permission' }),
  afterFileEdit: event('post:tool'),
  afterTabFileEdit: event('post:tool'),
  beforeSubmitPrompt: event('pre:message', { block: 'decision', isInstalled: true }),
  subagentStart: event('pre:agent:spawn', { block: 'permission', isInstalled: true }),
  subagentStop: event('post:agent:complete', { isInstalled: true }),
  preCompact: event('pre:compact', { notice: true, isInstalled: true }),
  stop: event('pre:turn:end', { block: 'decision', isInstalled: true }),
  afterAgentResponse: event('post:message', { partOf: 'pre:turn:end', isInstalled: true }),
  afterAgentThought: PHASE,
  sessionEnd: event('session:end', { isInstalled: true }),
}
