// Antigravity.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { type HooksFormat, hookGroup, hooksFile } from '../install/hooks-file.ts'
import type { InstallTarget } from '../install/install-file.ts'
import { ANTIGRAVITY_EVENTS } from './events.ts'
import { antigravityFacts } from './facts.ts'
import { parseAntigravityPayload } from './payload.ts'
import { replyAntigravity } from './reply.ts'

// Events of tools have groups with a matcher, others do not.
const FORMAT: HooksFormat = {
  facts: antigravityFacts,
  events: ANTIGRAVITY_EVENTS,
  entry: (line, name) => (/ToolUse$/.test(name) ? hookGroup(line) : { type: 'command', command: line }),
  empty: '{\n  "arc": {}\n}\n',
  root: 'arc',
}

function hooksPath({ scope, dir }: InstallTarget): string {
  return scope === 'project' ? join(dir, '.agents', 'hooks.json') : join(dir, '.gemini', 'config', 'hooks.json')
}

/** Antigravity. */
export const antigravity = defineHost({
  facts: antigravityFacts,
  title: 'Antigravity',
  events: ANTIGRAVITY_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'decision' }),
  tell: parseAntigravityPayload,
  reply: replyAntigravity,
  canary: ({ session, dir, command }) => ({
    event: 'PreToolUse',
    payload: {
      conversationId: session,
      stepIdx: 1,
      workspacePaths: [dir],
      toolCall: { name: 'run_command', args: { CommandLine: command } },
    },
  }),
  install: {
    files: (place) => [hooksFile(hooksPath(place), FORMAT)],
    next: ({ scope }) =>
      scope === 'user'
        ? 'Antigravity takes it up at its next start. Check with: arc logs --follow'
        : 'Antigravity takes it up at its next start. Some releases ignore the hooks of a project: if nothing fires, install with --user.',
  },
})
