// Qwen Code.

import { type ClaudeQuirks, replyClaude } from '../claude/reply.ts'
import { defineHost } from '../define-host.ts'
import { settingsInstall } from '../gemini/install.ts'
import { event } from '../host.ts'
import { QWEN_EVENTS } from './events.ts'
import { tellQwen } from './payload.ts'

const NAME = 'qwen'
const QUIRKS: ClaudeQuirks = { denyExit: 2, canEndTurn: true, editNeedsAllow: false }

/** Qwen Code. */
export const qwen = defineHost({
  name: NAME,
  title: 'Qwen Code',
  verifiedWith: '0.24.4',
  events: QWEN_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'permission', notice: true }),
  tell: tellQwen,
  reply: (step, outcome, facts) => replyClaude(step, outcome, facts, QUIRKS),
  install: settingsInstall({
    host: NAME,
    events: QWEN_EVENTS,
    folder: '.qwen',
    next: 'Qwen Code takes it up at its next start.',
  }),
})
