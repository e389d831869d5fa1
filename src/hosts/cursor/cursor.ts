// Cursor.

import { join } from 'node:path'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { type HooksFormat, hooksFile } from '../install/hooks-file.ts'
import type { InstallOptions } from '../install/install-file.ts'
import { CURSOR_EVENTS } from './events.ts'
import { cursorFacts } from './facts.ts'
import { isCursorPayload, parseCursorPayload } from './payload.ts'
import { replyCursor } from './reply.ts'

const FORMAT: HooksFormat = {
  facts: cursorFacts,
  events: CURSOR_EVENTS,
  entry: (line, name, options) => ({ command: line, ...failure(name, options) }),
  empty: '{\n  "version": 1,\n  "hooks": {}\n}\n',
}

function failure(name: string, { failClosed }: InstallOptions): object {
  return failClosed === true && CURSOR_EVENTS[name]?.point === 'pre:tool' ? { failClosed: true } : {}
}

/** Cursor. */
export const cursor = defineHost({
  facts: cursorFacts,
  title: 'Cursor',
  events: CURSOR_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'permission' }),
  tell: parseCursorPayload,
  isSender: isCursorPayload,
  reply: replyCursor,
  canary: ({ session, dir, command }) => ({
    payload: {
      conversation_id: session,
      hook_event_name: 'preToolUse',
      workspace_roots: [dir],
      tool_name: 'Shell',
      tool_input: { command },
    },
  }),
  install: {
    files: ({ dir }) => [hooksFile(join(dir, '.cursor', 'hooks.json'), FORMAT)],
    next: ({ scope }) =>
      scope === 'user'
        ? 'Restart Cursor, then look under Settings, Hooks.'
        : 'Restart Cursor, then look under Settings, Hooks. Some releases ignore the hooks of a project: if nothing fires, install with --user.',
  },
})
