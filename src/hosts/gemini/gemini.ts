// Gemini CLI.

import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { GEMINI_EVENTS } from './events.ts'
import { settingsInstall } from './install.ts'
import { tellGemini } from './payload.ts'
import { replyGemini } from './reply.ts'

const NAME = 'gemini'

/** Gemini CLI. */
export const gemini = defineHost({
  name: NAME,
  title: 'Gemini CLI',
  verifiedWith: '0.61.0',
  events: GEMINI_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'decision', notice: true }),
  tell: tellGemini,
  reply: replyGemini,
  install: settingsInstall({
    host: NAME,
    events: GEMINI_EVENTS,
    folder: '.gemini',
    homeVariable: 'GEMINI_CLI_HOME',
    next: 'Gemini CLI takes it up at its next start; in a project it warns once that there is a new hook.',
  }),
})
