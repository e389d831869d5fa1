// The events of OpenCode as ARC's plugin passes them on: hooks of the plugin by their names, events of its bus by type.

import { event, type HostEvents } from '../host.ts'

const PHASE = event('post:session:phase')

/** OpenCode's events by its own names. */
export const OPENCODE_EVENTS: HostEvents = {
  'session.created': event('session:start', { notice: true, isInstalled: true }),
  'chat.message': event('pre:message', {
    block: 'throw',
    edits: ['prompt'],
    context: true,
    notice: true,
    isInstalled: true,
  }),
  'tool.execute.before': event('pre:tool', { block: 'throw', edits: ['args'], notice: true, isInstalled: true }),
  'tool.execute.after': event('post:tool', { edits: ['result'], context: true, notice: true, isInstalled: true }),
  'permission.ask': event('pre:tool', { block: 'throw', ask: 'prompting', isInstalled: true, permission: 'asks' }),
  // Each text of the answer as it is complete; the turn's end has the last of them.
  'experimental.text.complete': event('post:message', {
    edits: ['output'],
    notice: true,
    partOf: 'pre:turn:end',
    isInstalled: true,
  }),
  'experimental.session.compacting': event('pre:compact'),
  'session.compacted': event('post:compact', { isInstalled: true }),
  // The bus only notifies: OpenCode cannot be made to continue.
  'session.idle': event('pre:turn:end', { notice: true, isInstalled: true }),
  'session.error': event('run:end', { isInstalled: true }),
  'session.deleted': event('session:end', { isInstalled: true }),
  'chat.params': PHASE,
  'chat.headers': PHASE,
  'command.execute.before': PHASE,
  'shell.env': PHASE,
  'tool.definition': PHASE,
  'experimental.chat.messages.transform': PHASE,
  'experimental.chat.system.transform': PHASE,
  'experimental.compaction.autocontinue': PHASE,
  'session.updated': PHASE,
  'session.status': PHASE,
  'session.diff': PHASE,
  'message.updated': PHASE,
  'message.part.updated': PHASE,
  'message.part.delta': PHASE,
  'plugin.added': PHASE,
  'catalog.updated': PHASE,
  'reference.updated': PHASE,
  'integration.updated': PHASE,
}
