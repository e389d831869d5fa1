// Pi.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event, type LaunchInput, type LaunchPlan } from '../host.ts'
import type { InstallTarget } from '../install/install-file.ts'
import { createLaunchFile } from '../install/launch-file.ts'
import { ownFile } from '../install/own-file.ts'
import { PI_EVENTS } from './events.ts'
import { extensionText } from './extension.ts'
import { piFacts } from './facts.ts'
import { parsePiPayload } from './payload.ts'
import { replyPi } from './reply.ts'

function extensionPath({ scope, dir, env }: InstallTarget): string {
  const folder = scope === 'project' ? join(dir, '.pi') : env.PI_CODING_AGENT_DIR || join(dir, '.pi', 'agent')
  return join(folder, 'extensions', 'arc.js')
}

/** Pi. */
export const pi = defineHost({
  facts: piFacts,
  title: 'Pi',
  verifiedWith: '0.73.1',
  events: PI_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'decision' }),
  tell: parsePiPayload,
  reply: replyPi,
  program: 'pi',
  headless: ['-p'],
  canary: ({ session, dir, command }) => ({
    event: 'tool_call',
    payload: {
      type: 'tool_call',
      toolName: 'bash',
      toolCallId: session,
      input: { command },
      cwd: dir,
      sessionId: session,
      hasUI: false,
    },
  }),
  launch: launchPi,
  install: {
    files: (place) => [ownFile(extensionPath(place), extensionText)],
    next: () => 'Pi loads the extension at its next start, or with /reload.',
  },
})

function launchPi(input: LaunchInput): LaunchPlan {
  const file = createLaunchFile(input)
  return { args: ['--extension', file.path], files: [file] }
}
