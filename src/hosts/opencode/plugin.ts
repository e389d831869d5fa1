// The plugin that `arc install opencode` writes: it runs in OpenCode's process, so it is one file without imports of
// ours, and does as little as possible.

import { askingScript } from '../install/asking-script.ts'
import type { InstallOptions } from '../install/install-file.ts'
import { OPENCODE_EVENTS } from './events.ts'
import { opencodeFacts } from './facts.ts'

/** The text of the plugin. */
export function pluginText(options: InstallOptions): string {
  const bus = Object.keys(OPENCODE_EVENTS).filter(
    (name) => OPENCODE_EVENTS[name]?.isInstalled && name.startsWith('session.'),
  )
  return `${askingScript(opencodeFacts.name, options)}
const BUS_EVENTS = new Set(${JSON.stringify(bus)})

${BODY}`
}

// What does not depend on the installation.
const BODY = `// A denial is thrown: OpenCode gives its message to the model.
async function consultOrThrow(event, payload) {
  const said = await consult(event, payload, true)
  if (said.deny !== undefined) throw new Error(said.deny)
  return said
}

// The last text of each session, for the end of its turn.
const answers = new Map()
const MAX_ANSWERS = 100

function textParts(parts) {
  return parts.filter((part) => typeof part.text === 'string')
}

export const Arc = async ({ client, directory }) => {
  const tell = async ({ notice }) => {
    if (notice === undefined) return
    try {
      await client.tui.showToast({ body: { message: notice, variant: 'warning' } })
    } catch {
      // No reader: the trace has it.
    }
  }
  const calls = new Map()
  return {
    event: async ({ event }) => {
      if (!BUS_EVENTS.has(event.type)) return
      const session = event.properties?.sessionID
      const answer = event.type === 'session.idle' ? answers.get(session) : undefined
      if (answer !== undefined) answers.delete(session)
      await tell(await consult(event.type, { ...event, answer, directory }, false))
    },
    'experimental.text.complete': async (input, output) => {
      const said = await consult('experimental.text.complete', { input, output, directory }, false)
      if (typeof said.output === 'string') output.text = said.output
      if (answers.size >= MAX_ANSWERS) answers.clear()
      answers.set(input.sessionID, output.text)
      await tell(said)
    },
    'chat.message': async (input, output) => {
      const said = await consultOrThrow('chat.message', { input, output, directory })
      const [first, ...others] = textParts(output.parts)
      if (said.prompt !== undefined && first !== undefined) {
        first.text = said.prompt
        for (const part of others) part.text = ''
      }
      if (said.context !== undefined && first !== undefined) first.text += '\\n\\n' + said.context
      await tell(said)
    },
    'tool.execute.before': async (input, output) => {
      const said = await consultOrThrow('tool.execute.before', { input, output, directory })
      if (said.args !== undefined) {
        for (const key of Object.keys(output.args)) delete output.args[key]
        Object.assign(output.args, said.args)
      }
      calls.set(input.callID, output.args)
      await tell(said)
    },
    'permission.ask': async (input, output) => {
      // The arguments of the call, as they were checked before it.
      const args = calls.get(input.callID)
      const call = { input: args === undefined ? input : { ...input, args }, directory }
      try {
        const said = await consultOrThrow('permission.ask', call)
        if (said.allow === true) output.status = 'allow'
      } catch {
        output.status = 'deny'
      }
    },
    'tool.execute.after': async (input, output) => {
      calls.delete(input.callID)
      const said = await consult('tool.execute.after', { input, output, directory }, false)
      if (typeof said.result === 'string') output.output = said.result
      if (said.context !== undefined) output.output += '\\n\\n' + said.context
      await tell(said)
    },
  }
}
`
