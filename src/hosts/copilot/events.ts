// The events of GitHub Copilot CLI, and what it honours at each. In the files of Claude it looks for the same events
// under Claude's names, and sends and reads Claude's dialect there.

import { event, type HostEvents } from '../host.ts'

const LIMIT_MS = 30_000

const PRE_TOOL = event('pre:tool', {
  block: 'permission',
  ask: 'prompt',
  edits: ['args'],
  isInstalled: true,
  limitMs: LIMIT_MS,
})
const STOP = event('pre:turn:end', {
  block: 'decision',
  edits: ['output'],
  // Measured: neither the payload nor, at this moment, the transcript has the answer.
  hasAnswer: 'maybe',
  isInstalled: true,
  limitMs: LIMIT_MS,
})
// The prompt cannot be stopped: measured, whatever the hook answers.
const PROMPT = event('pre:message', { isInstalled: true, limitMs: LIMIT_MS })
const POST_TOOL = event('post:tool', { edits: ['result'], context: true, isInstalled: true, limitMs: LIMIT_MS })
const POST_FAILURE = event('post:tool:failure', { isInstalled: true, limitMs: LIMIT_MS })
const START = event('session:start', { isInstalled: true, limitMs: LIMIT_MS })
const END = event('session:end', { isInstalled: true, limitMs: LIMIT_MS })
const SPAWN = event('pre:agent:spawn', { isInstalled: true, limitMs: LIMIT_MS })
const COMPLETE = event('post:agent:complete', { isInstalled: true, limitMs: LIMIT_MS })
const COMPACT = event('pre:compact', { isInstalled: true, limitMs: LIMIT_MS })
const PHASE = event('post:session:phase', { limitMs: LIMIT_MS })

/** Copilot's events by its own names. */
export const COPILOT_EVENTS: HostEvents = {
  sessionStart: START,
  userPromptSubmitted: PROMPT,
  userPromptTransformed: PHASE,
  preToolUse: PRE_TOOL,
  permissionRequest: event('pre:tool', {
    block: 'behavior',
    ask: 'prompting',
    isInstalled: true,
    limitMs: LIMIT_MS,
    permission: 'asks',
  }),
  postToolUse: POST_TOOL,
  postToolUseFailure: POST_FAILURE,
  agentStop: STOP,
  subagentStart: SPAWN,
  subagentStop: COMPLETE,
  preCompact: COMPACT,
  errorOccurred: event('run:end', { limitMs: LIMIT_MS }),
  notification: PHASE,
  sessionEnd: END,
}

const borrowed = { isInstalled: false } as const

/** The same by the names that Copilot knows from Claude's files; Copilot registers nothing there itself. */
export const BORROWED_EVENTS: HostEvents = {
  SessionStart: { ...START, ...borrowed },
  UserPromptSubmit: { ...PROMPT, ...borrowed },
  PreToolUse: { ...PRE_TOOL, ...borrowed },
  PostToolUse: { ...POST_TOOL, ...borrowed, edits: [] },
  PostToolUseFailure: { ...POST_FAILURE, ...borrowed },
  Stop: { ...STOP, ...borrowed, edits: [] },
  SubagentStart: { ...SPAWN, ...borrowed },
  SubagentStop: { ...COMPLETE, ...borrowed },
  PreCompact: { ...COMPACT, ...borrowed },
  Notification: PHASE,
  SessionEnd: { ...END, ...borrowed },
}
