// GitHub Copilot CLI.

import { join } from 'node:path'
import type { Check, HostFacts } from '../check.ts'
import { claudeSettings } from '../claude/claude.ts'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { isWindowsPath } from '../install/command-line.ts'
import { type HooksFormat, hooksFile } from '../install/hooks-file.ts'
import type { InstallTarget } from '../install/install-file.ts'
import { BORROWED_EVENTS, COPILOT_EVENTS } from './events.ts'
import { copilotFacts } from './facts.ts'
import { launchCopilot } from './launch.ts'
import { isCopilotPayload, parseCopilotPayload } from './payload.ts'
import { replyCopilot } from './reply.ts'

const READ_EVENTS = { ...COPILOT_EVENTS, ...BORROWED_EVENTS }

// Its payload does not name the event, so the line does. Copilot reads each file in the folder, so ARC has its own file.
const FORMAT: HooksFormat = {
  facts: copilotFacts,
  events: COPILOT_EVENTS,
  entry: (line, _name, { command }) => {
    const shell = isWindowsPath(command) ? { powershell: `& ${line}` } : { bash: line }
    return { type: 'command', ...shell }
  },
  empty: '{\n  "version": 1,\n  "hooks": {}\n}\n',
}

function hooksPath({ scope, dir, env }: InstallTarget): string {
  if (scope === 'project') return join(dir, '.github', 'hooks', 'arc.json')
  return join(env.COPILOT_HOME || join(dir, '.copilot'), 'hooks', 'arc.json')
}

/** GitHub Copilot CLI. */
export const copilot = defineHost({
  facts: copilotFacts,
  title: 'GitHub Copilot CLI',
  verifiedWith: '1.0.102',
  events: COPILOT_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'permission' }),
  readEvents: READ_EVENTS,
  tell: parseCopilotPayload,
  isSender: isCopilotPayload,
  reply: replyCopilot,
  program: 'copilot',
  checks: {
    paths: (target) => (target.scope === 'project' ? [claudeSettings(target)] : []),
    run: (_host, facts) => checkClaudeFile(facts),
  },
  headless: ['--silent', '--no-color'],
  canary: ({ session, dir, command }) => ({
    event: 'preToolUse',
    payload: { sessionId: session, cwd: dir, toolName: 'bash', toolArgs: { command } },
  }),
  launch: launchCopilot,
  install: {
    files: (place) => [hooksFile(hooksPath(place), FORMAT)],
    next: ({ scope }) =>
      scope === 'user'
        ? 'Copilot CLI takes it up at its next start.'
        : 'Copilot CLI loads project hooks once you trust the folder. It also reads .claude/settings.json: with both installed, ARC sees each call twice and counts it once. The path of arc is that of this machine: do not commit it.',
  },
})

// Copilot also runs the hooks of Claude's file.
function checkClaudeFile({ place, texts }: HostFacts): Check[] {
  const isDouble = place.scope === 'project' && (texts.get(claudeSettings(place)) ?? '').includes(' hook claude')
  if (!isDouble) return []
  const detail = 'Copilot also runs the hook in .claude/settings.json: each call is received twice and counted once'
  return [{ name: "copilot: Claude's file", ok: true, detail }]
}
