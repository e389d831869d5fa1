// Gemini CLI.

import { claudeCanary } from '../claude/canary.ts'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { GEMINI_EVENTS } from './events.ts'
import { geminiFacts } from './facts.ts'
import { settingsInstall } from './install.ts'
import { launchWithSystemSettings } from './launch.ts'
import { isGeminiPayload, parseGeminiPayload } from './payload.ts'
import { replyGemini } from './reply.ts'

/** Gemini CLI. */
export const gemini = defineHost({
  facts: geminiFacts,
  title: 'Gemini CLI',
  verifiedWith: '0.61.0',
  events: GEMINI_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'decision', notice: true }),
  tell: parseGeminiPayload,
  isSender: isGeminiPayload,
  reply: replyGemini,
  program: 'gemini',
  headless: ['-p', ''],
  canary: (call) => claudeCanary(call, 'BeforeTool', 'run_shell_command'),
  launch: (input) => {
    const variable = 'GEMINI_CLI_SYSTEM_SETTINGS_PATH'
    const plan = launchWithSystemSettings(input, variable, '/etc/gemini-cli/settings.json')
    return { ...plan, rootOwnedFile: plan.env?.[variable] ?? '' }
  },
  install: settingsInstall({
    facts: geminiFacts,
    events: GEMINI_EVENTS,
    folder: '.gemini',
    homeVariable: 'GEMINI_CLI_HOME',
    next: 'Gemini CLI takes it up at its next start; in a project it warns once that there is a new hook.',
  }),
})
