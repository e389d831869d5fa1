// OpenCode: hooks are plugins in its own process, so ARC brings a small one that asks `arc hook`.

import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { defineHost } from '../define-host.ts'
import { event, type LaunchInput, type LaunchPlan } from '../host.ts'
import type { InstallTarget } from '../install/install-file.ts'
import { createLaunchFile } from '../install/launch-file.ts'
import { ownFile } from '../install/own-file.ts'
import { OPENCODE_EVENTS } from './events.ts'
import { opencodeFacts } from './facts.ts'
import { parseOpencodePayload } from './payload.ts'
import { pluginText } from './plugin.ts'
import { replyOpencode } from './reply.ts'

function pluginPath({ scope, dir, env }: InstallTarget): string {
  if (scope === 'project') return join(dir, '.opencode', 'plugin', 'arc.js')
  const config = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(dir, '.config'), 'opencode')
  return join(config, 'plugin', 'arc.js')
}

/** OpenCode. */
export const opencode = defineHost({
  facts: opencodeFacts,
  title: 'OpenCode',
  verifiedWith: '1.18.33',
  events: OPENCODE_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'throw' }),
  tell: parseOpencodePayload,
  reply: replyOpencode,
  program: 'opencode',
  headless: ['run'],
  canary: ({ session, dir, command }) => ({
    event: 'tool.execute.before',
    payload: {
      input: { tool: 'bash', sessionID: session, callID: session },
      output: { args: { command } },
      directory: dir,
    },
  }),
  launch: launchOpencode,
  install: {
    files: (place) => [ownFile(pluginPath(place), pluginText)],
    next: () => 'OpenCode loads the plugin at its next start.',
  },
})

// A configuration that the user passes in this variable is kept.
function launchOpencode(input: LaunchInput): LaunchPlan {
  const file = createLaunchFile(input)
  const given = JSON.parse(input.env.OPENCODE_CONFIG_CONTENT || '{}') as { readonly plugin?: readonly unknown[] }
  const config = { ...given, plugin: [...(given.plugin ?? []), pathToFileURL(file.path).href] }
  return { env: { OPENCODE_CONFIG_CONTENT: JSON.stringify(config) }, files: [file] }
}
