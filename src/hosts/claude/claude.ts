// Claude Code.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { type HooksFormat, hookGroup, hooksFile } from '../install/hooks-file.ts'
import type { InstallOptions, InstallTarget } from '../install/install-file.ts'
import { createLaunchFile } from '../install/launch-file.ts'
import { claudeCanary } from './canary.ts'
import { checkHooksEnabled } from './checks.ts'
import { CLAUDE_EVENTS } from './events.ts'
import { claudeFacts } from './facts.ts'
import { parseClaudePayload } from './payload.ts'
import { replyClaude } from './reply.ts'

const FORMAT: HooksFormat = {
  facts: claudeFacts,
  events: CLAUDE_EVENTS,
  entry: (line, name, options) => hookGroup(line, handlerFields(name, options)),
  empty: '{\n  "hooks": {}\n}\n',
}

// At the end of a session Claude waits 1.5 s in all, unless a line asks for more.
function handlerFields(name: string, { failClosed }: InstallOptions): object {
  const row = CLAUDE_EVENTS[name]
  const isGate = row?.point === 'pre:tool' || row?.point === 'pre:message'
  return {
    ...(name === 'SessionEnd' ? { timeout: (row?.limitMs ?? 0) / 1_000 } : {}),
    ...(failClosed === true && isGate ? { onFailure: 'block' } : {}),
  }
}

/** The settings file of the user or the project. */
export function claudeSettings({ scope, dir, env }: InstallTarget): string {
  if (scope === 'project') return join(dir, '.claude', 'settings.json')
  return join(env.CLAUDE_CONFIG_DIR || join(dir, '.claude'), 'settings.json')
}

/** Claude Code. */
export const claude = defineHost({
  facts: claudeFacts,
  title: 'Claude Code',
  verifiedWith: '2.1.325',
  events: CLAUDE_EVENTS,
  tellsMode: true,
  unknownEvent: event('pre:session:phase', { block: 'permission', notice: true }),
  tell: parseClaudePayload,
  reply: (step, outcome, facts) => replyClaude(step, outcome, facts),
  program: 'claude',
  checks: { run: checkHooksEnabled },
  headless: ['-p'],
  canary: (call) => claudeCanary(call),
  systemFile: (path) => hooksFile(path, FORMAT),
  launch: (input) => {
    const file = createLaunchFile(input)
    return { args: ['--settings', file.path], files: [file] }
  },
  install: {
    files: (place) => [hooksFile(claudeSettings(place), FORMAT)],
    next: ({ scope }) =>
      scope === 'user'
        ? 'Claude Code takes it up at once, in every project. Look with /hooks, and with: arc logs --follow'
        : 'Claude Code asks once whether you trust the folder, then takes it up. The path of arc is that of this machine: do not commit it. GitHub Copilot CLI reads the same file, and ARC knows it by its payload.',
  },
})
