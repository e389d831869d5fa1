// The events of Pi as ARC's extension passes them on, by Pi's own names.

import { event, type HostEvents } from '../host.ts'

const PHASE = event('post:session:phase')
const TOLD = { notice: true, isInstalled: true } as const

/** After a tool that failed: Pi marks the result as an error. */
export const PI_TOOL_FAILED = event('post:tool:failure', { ...TOLD, context: true })

/** Pi's events by its own names. */
export const PI_EVENTS: HostEvents = {
  session_start: event('session:start', TOLD),
  input: event('pre:message', { ...TOLD, block: 'decision', edits: ['prompt'], context: true }),
  // A command that the user types after "!": told, like everything that a person types.
  user_bash: event('pre:message', TOLD),
  tool_call: event('pre:tool', { ...TOLD, block: 'decision', ask: 'prompt', edits: ['args'] }),
  tool_result: event('post:tool', { ...TOLD, edits: ['result'], context: true }),
  // Each answer of the agent; the turn's end has the last of them.
  message_end: event('post:message', { ...TOLD, edits: ['output'], partOf: 'pre:turn:end' }),
  agent_end: event('pre:turn:end', TOLD),
  session_before_compact: event('pre:compact', { ...TOLD, block: 'decision' }),
  session_compact: event('post:compact', { isInstalled: true }),
  session_shutdown: event('session:end', { isInstalled: true }),
  resources_discover: PHASE,
  session_before_switch: PHASE,
  session_before_fork: PHASE,
  session_before_tree: PHASE,
  session_tree: PHASE,
  context: PHASE,
  before_provider_request: PHASE,
  after_provider_response: PHASE,
  before_agent_start: PHASE,
  agent_start: PHASE,
  turn_start: PHASE,
  turn_end: PHASE,
  message_start: PHASE,
  message_update: PHASE,
  tool_execution_start: PHASE,
  tool_execution_update: PHASE,
  tool_execution_end: PHASE,
  model_select: PHASE,
  thinking_level_select: PHASE,
}
