// The events of Cline, and what it honours at each. Exit codes count for nothing, and a block ends the task.

import { event, type HostEvents } from '../host.ts'

/** Cline's events by the names of its hook files. */
export const CLINE_EVENTS: HostEvents = {
  TaskStart: event('session:start', { context: true, isInstalled: true }),
  TaskResume: event('session:start', { context: true, isInstalled: true }),
  UserPromptSubmit: event('pre:message', { block: 'cancel', context: true, isInstalled: true }),
  PreToolUse: event('pre:tool', { block: 'cancel', edits: ['args'], context: true, isInstalled: true }),
  PostToolUse: event('post:tool', { context: true, isInstalled: true }),
  PreCompact: event('pre:compact', { isInstalled: true }),
  // Cline cannot be made to continue.
  TaskComplete: event('pre:turn:end', { hasAnswer: true, isInstalled: true }),
  TaskCancel: event('run:end', { isInstalled: true }),
  TaskError: event('run:end', { isInstalled: true }),
  SessionShutdown: event('session:end', { isInstalled: true }),
}

/** The names in the payload, which differ from those of the files. */
export const CLINE_HOOK_NAMES: Readonly<Record<string, string>> = {
  agent_start: 'TaskStart',
  agent_resume: 'TaskResume',
  agent_end: 'TaskComplete',
  agent_abort: 'TaskCancel',
  agent_error: 'TaskError',
  prompt_submit: 'UserPromptSubmit',
  tool_call: 'PreToolUse',
  tool_result: 'PostToolUse',
  pre_compact: 'PreCompact',
  session_shutdown: 'SessionShutdown',
}
