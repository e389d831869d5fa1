// Kiro CLI. Hooks belong to an agent that the user defines, so ARC defines one.

import { join } from 'node:path'
import { parseClaudePayload } from '../claude/payload.ts'
import { defineHost } from '../define-host.ts'
import { event } from '../host.ts'
import { commandInLine, hookLine } from '../install/command-line.ts'
import type { InstallOptions, InstallTarget } from '../install/install-file.ts'
import { OWN_MARK, ownFile } from '../install/own-file.ts'
import { KIRO_EVENTS } from './events.ts'
import { kiroFacts } from './facts.ts'
import { replyKiro } from './reply.ts'

function agentText({ command }: InstallOptions): string {
  const line = hookLine(command, kiroFacts.name)
  const installed = Object.entries(KIRO_EVENTS).filter(([, { isInstalled }]) => isInstalled)
  const hooks = installed.map(([name, { limitMs }]) => [name, [{ command: line, timeout_ms: limitMs }]])
  const description = `The usual agent, supervised by ARC. ${OWN_MARK}`
  const agent = { name: 'arc', description, tools: ['*'], hooks: Object.fromEntries(hooks) }
  return `${JSON.stringify(agent, null, 2)}\n`
}

function agentPath({ dir }: InstallTarget): string {
  return join(dir, '.kiro', 'agents', 'arc.json')
}

// The path of ARC in the first hook of the agent.
function findCommand(text: string): string | undefined {
  const [, written] = /"command": ("(?:[^"\\]|\\.)*")/.exec(text) ?? []
  return written === undefined ? undefined : commandInLine(JSON.parse(written) as string, kiroFacts.name)
}

/** Kiro CLI. */
export const kiro = defineHost({
  facts: kiroFacts,
  title: 'Kiro CLI',
  events: KIRO_EVENTS,
  unknownEvent: event('pre:session:phase', { block: 'exit' }),
  tell: parseClaudePayload,
  reply: replyKiro,
  canary: ({ session, dir, command }) => ({
    payload: {
      hook_event_name: 'preToolUse',
      session_id: session,
      cwd: dir,
      tool_name: 'execute_bash',
      tool_input: { command },
    },
  }),
  install: {
    files: (place) => [{ ...ownFile(agentPath(place), agentText), commandIn: findCommand }],
    next: () =>
      'In Kiro, hooks belong to an agent: start kiro-cli chat --agent arc, or make it the default with kiro-cli agent set-default arc. Your other agents are not supervised: copy the hooks of arc.json into their files.',
  },
})
