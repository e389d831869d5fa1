// Kimi Code.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { hookLine } from '../install/command-line.ts'
import type { HostInstall, InstallTarget } from '../install/install-file.ts'
import { type TomlFormat, tomlBlockFile } from '../install/toml-block.ts'
import { KIMI_EVENTS } from './events.ts'
import { kimiFacts } from './facts.ts'
import { parseKimiPayload } from './payload.ts'
import { replyKimi } from './reply.ts'

const TOML: TomlFormat = {
  host: kimiFacts.name,
  tables: ({ command }) => {
    const line = JSON.stringify(hookLine(command, kimiFacts.name))
    return Object.entries(KIMI_EVENTS)
      .filter(([, { isInstalled }]) => isInstalled)
      .flatMap(([name, { limitMs }]) => [
        '[[hooks]]',
        `event = "${name}"`,
        `command = ${line}`,
        `timeout = ${limitMs / 1_000}`,
      ])
  },
  isInline: ({ kind, path }) => kind === 'key' && path[0] === 'hooks' && path.length === 1,
  inlineAdvice: 'Write each of them as a [[hooks]] table.',
  dropsComments: true,
}

function configPath({ dir, env }: InstallTarget): string {
  return join(env.KIMI_CODE_HOME || join(dir, '.kimi-code'), 'config.toml')
}

const install: HostInstall = {
  files: (place) => (place.scope === 'user' ? [tomlBlockFile(configPath(place), TOML)] : []),
  choose: (place) => (place.scope === 'user' ? install.files(place) : { path: place.dir, ...USER_ONLY }),
  next: () => 'Kimi Code takes it up at its next start, or with /reload.',
}

const USER_ONLY = {
  line: 1,
  column: 1,
  message: 'Kimi Code reads hooks from the settings of the user only, not of a project. Run arc install kimi --user.',
}

/** Kimi Code. */
export const kimi = defineHost({
  facts: kimiFacts,
  title: 'Kimi Code',
  verifiedWith: '2.1.0',
  events: KIMI_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'exit' }),
  tell: parseKimiPayload,
  reply: replyKimi,
  program: 'kimi',
  // No headless command, since it takes a prompt as an argument only, and no launch: its hooks are in the file with its
  // accounts and models.
  canary: ({ session, dir, command }) => ({
    payload: {
      hook_event_name: 'PreToolUse',
      session_id: session,
      cwd: dir,
      client_type: 'kimi_code_cli',
      tool_name: 'Bash',
      tool_input: { command },
      tool_call_id: session,
    },
  }),
  install,
})
