// OpenCode: hooks are plugins in its own process, so ARC brings a small one that asks `arc hook`.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { ownFile } from '../install/own-file.ts'
import type { Place } from '../install/plan.ts'
import { OPENCODE_EVENTS } from './events.ts'
import { tellOpencode } from './payload.ts'
import { pluginText } from './plugin.ts'
import { replyOpencode } from './reply.ts'

const NAME = 'opencode'

function pluginPath({ scope, dir, env }: Place): string {
  if (scope === 'project') return join(dir, '.opencode', 'plugin', 'arc.js')
  const config = env.OPENCODE_CONFIG_DIR || join(env.XDG_CONFIG_HOME || join(dir, '.config'), 'opencode')
  return join(config, 'plugin', 'arc.js')
}

/** OpenCode. */
export const opencode = defineHost({
  name: NAME,
  title: 'OpenCode',
  verifiedWith: '1.18.33',
  events: OPENCODE_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'throw' }),
  tell: tellOpencode,
  reply: replyOpencode,
  install: {
    files: (place) => [ownFile(pluginPath(place), pluginText)],
    next: () => 'OpenCode loads the plugin at its next start.',
  },
})
