// Qwen Code.

import { claudeCanary } from '../claude/canary.ts'
import { checkHooksEnabled } from '../claude/checks.ts'
import { type ClaudeQuirks, replyClaude } from '../claude/reply.ts'
import { defineHost } from '../define-host.ts'
import { settingsInstall } from '../gemini/install.ts'
import { launchWithSystemSettings } from '../gemini/launch.ts'
import { event } from '../host.ts'
import { QWEN_EVENTS } from './events.ts'
import { qwenFacts } from './facts.ts'
import { isQwenPayload, parseQwenPayload } from './payload.ts'

const QUIRKS: ClaudeQuirks = { denyExit: 2, canEndTurn: true, editNeedsAllow: false }

/** Qwen Code. */
export const qwen = defineHost({
  facts: qwenFacts,
  title: 'Qwen Code',
  verifiedWith: '0.24.4',
  events: QWEN_EVENTS,
  tellsMode: true,
  unknownEvent: event('pre:session:phase', { block: 'permission', notice: true }),
  tell: parseQwenPayload,
  isSender: isQwenPayload,
  reply: (step, outcome, facts) => replyClaude(step, outcome, facts, QUIRKS),
  program: 'qwen',
  checks: { run: checkHooksEnabled },
  // Its -p is deprecated: without a terminal it answers one prompt and exits.
  headless: [],
  canary: (call) => claudeCanary(call, 'PreToolUse', 'run_shell_command'),
  launch: (input) => launchWithSystemSettings(input, 'QWEN_CODE_SYSTEM_SETTINGS_PATH', '/etc/qwen-code/settings.json'),
  install: settingsInstall({
    facts: qwenFacts,
    events: QWEN_EVENTS,
    folder: '.qwen',
    next: 'Qwen Code takes it up at its next start.',
  }),
})
