// The events of Gemini CLI, and what it honours at each.

import { event, type HostEvents } from '../host.ts'

const TOLD = { notice: true, limitMs: 60_000 } as const

/** Gemini CLI's events by its own names. */
export const GEMINI_EVENTS: HostEvents = {
  SessionStart: event('session:start', { ...TOLD, context: true, isInstalled: true }),
  BeforeAgent: event('pre:message', { ...TOLD, block: 'decision', context: true, isInstalled: true }),
  // The message itself has passed at BeforeAgent; this is each request that it leads to.
  BeforeModel: event('pre:model', { ...TOLD, block: 'decision', isOnDemand: true }),
  // A part of the same request, and no change of phase: never registered.
  BeforeToolSelection: event('post:session:phase', TOLD),
  AfterModel: event('post:model', { ...TOLD, isOnDemand: true }),
  BeforeTool: event('pre:tool', {
    ...TOLD,
    block: 'decision',
    ask: 'prompt',
    edits: ['args'],
    isMerged: true,
    isInstalled: true,
  }),
  AfterTool: event('post:tool', { ...TOLD, edits: ['result'], context: true, isInstalled: true }),
  AfterAgent: event('pre:turn:end', { ...TOLD, block: 'decision', hasAnswer: true, isInstalled: true }),
  // Fires before every request, even when nothing is compressed, and cannot keep it from happening.
  PreCompress: event('pre:compact', TOLD),
  Notification: event('post:session:phase', TOLD),
  SessionEnd: event('session:end', { isInstalled: true }),
}
