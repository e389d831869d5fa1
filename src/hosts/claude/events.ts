// The events of Claude Code, and what it honours at each.

import { event, type HostEvents } from '../host.ts'

// What each installed line may take: Claude's own limits, in milliseconds.
const COMMAND_MS = 600_000
const PROMPT_MS = 30_000
const SESSION_END_MS = 10_000

const TOLD = { notice: true, limitMs: COMMAND_MS } as const
const PHASE = event('post:session:phase', { notice: true })

/** Claude Code's events by its own names. */
export const CLAUDE_EVENTS: HostEvents = {
  SessionStart: event('session:start', { ...TOLD, context: true, isInstalled: true }),
  Setup: event('post:session:phase', { notice: true, context: true }),
  InstructionsLoaded: PHASE,
  UserPromptSubmit: event('pre:message', {
    ...TOLD,
    block: 'decision',
    context: true,
    isInstalled: true,
    limitMs: PROMPT_MS,
  }),
  UserPromptExpansion: event('pre:message', { ...TOLD, block: 'decision', context: true }),
  PreToolUse: event('pre:tool', {
    ...TOLD,
    block: 'permission',
    ask: 'prompt',
    edits: ['args'],
    context: true,
    isInstalled: true,
    permission: 'takes',
  }),
  // The dialog is about to be shown, and the exit code is not honoured. The user got the notice before the call.
  PermissionRequest: event('pre:tool', {
    block: 'behavior',
    ask: 'prompting',
    isInstalled: true,
    limitMs: COMMAND_MS,
    permission: 'asks',
  }),
  // Its reviewer, a second model, refused the call.
  PermissionDenied: event('post:tool:failure', { ...TOLD, isInstalled: true, permission: 'retries' }),
  PostToolUse: event('post:tool', { ...TOLD, edits: ['result'], context: true, isInstalled: true, reviewer: true }),
  PostToolUseFailure: event('post:tool:failure', { ...TOLD, context: true, isInstalled: true }),
  PostToolBatch: event('post:tool:batch', { ...TOLD, context: true, isOnDemand: true }),
  Stop: event('pre:turn:end', { ...TOLD, block: 'decision', hasAnswer: true, context: true, isInstalled: true }),
  StopFailure: event('run:end', { ...TOLD, isInstalled: true }),
  SubagentStart: event('pre:agent:spawn', { ...TOLD, context: true, isInstalled: true }),
  SubagentStop: event('post:agent:complete', { ...TOLD, context: true, isInstalled: true }),
  PreModelSwitch: event('pre:session:phase', { ...TOLD, block: 'permission', ask: 'prompt' }),
  PostModelSwitch: event('post:session:phase', { ...TOLD, context: true }),
  PreCompact: event('pre:compact', { ...TOLD, block: 'decision', isInstalled: true }),
  PostCompact: event('post:compact', { ...TOLD, isInstalled: true }),
  Notification: event('post:session:phase', { ...TOLD, context: true }),
  MessageDisplay: event('post:message', { limitMs: 10_000 }),
  TeammateIdle: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  TaskCreated: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  TaskCompleted: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  Elicitation: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  ElicitationResult: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  ConfigChange: event('config:change', TOLD),
  // A hook here has to make the worktree itself: never registered.
  WorktreeCreate: event('pre:session:phase', { ...TOLD, block: 'exit' }),
  WorktreeRemove: PHASE,
  CwdChanged: PHASE,
  DirectoryAdded: PHASE,
  FileChanged: PHASE,
  SessionEnd: event('session:end', { isInstalled: true, limitMs: SESSION_END_MS }),
}
