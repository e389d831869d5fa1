// The plugin that `arc install opencode` writes: it runs in OpenCode's process, so it is one file without imports of
// ours, and does as little as possible.

import type { InstallOptions } from '../install/install-file.ts'
import { OWN_MARK } from '../install/own-file.ts'
import { OPENCODE_EVENTS } from './events.ts'

// Longer than ARC's own limit: only a process that hangs is given up here.
const PLUGIN_LIMIT_MS = 60_000

/** The text of the plugin. */
export function pluginText({ command, failClosed }: InstallOptions): string {
  const bus = Object.keys(OPENCODE_EVENTS).filter(
    (name) => OPENCODE_EVENTS[name]?.isInstalled && name.startsWith('session.'),
  )
  return `// ${OWN_MARK}
import { spawn } from 'node:child_process'

const ARC = ${JSON.stringify(command)}
const BUS_EVENTS = new Set(${JSON.stringify(bus)})
const FAIL_CLOSED = ${failClosed === true}

${BODY}`
}

// What does not depend on the installation.
const BODY = `// Asks \`arc hook opencode EVENT\`; gives { code, stdout, stderr }, or { failure } when it could not be asked.
function ask(event, payload) {
  return new Promise((resolve) => {
    const child = spawn(ARC, ['hook', 'opencode', event], { windowsHide: true })
    const timer = setTimeout(() => child.kill('SIGKILL'), ${PLUGIN_LIMIT_MS})
    let stdout = ''
    let stderr = ''
    child.stdout.setEncoding('utf8').on('data', (data) => (stdout += data))
    child.stderr.setEncoding('utf8').on('data', (data) => (stderr += data))
    child.on('error', (error) => (clearTimeout(timer), resolve({ failure: error.message })))
    child.on('close', (code, signal) => {
      clearTimeout(timer)
      resolve(code === null ? { failure: 'ended by ' + signal } : { code, stdout, stderr })
    })
    child.stdin.on('error', () => {}) // It answered before it had read everything.
    child.stdin.end(JSON.stringify(payload))
  })
}

// The answer as an object. A denial is thrown: OpenCode gives its message to the model.
async function consult(event, payload, canStop) {
  const answer = await ask(event, payload)
  let said
  try {
    said = answer.stdout?.trim() ? JSON.parse(answer.stdout) : {}
  } catch {
    answer.failure = 'it answered what is not JSON'
  }
  const isBroken = answer.failure !== undefined || (answer.code !== 0 && answer.code !== 2)
  const why = answer.failure ?? (answer.stderr.trim() || 'exit code ' + answer.code)
  if (isBroken && FAIL_CLOSED && canStop) throw new Error('ARC could not be asked: ' + why)
  if (isBroken) return { notice: 'ARC could not be asked: ' + why }
  if (canStop && (said.deny !== undefined || answer.code === 2)) throw new Error(said.deny ?? answer.stderr.trim())
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
      const said = await consult('chat.message', { input, output, directory }, true)
      const [first, ...others] = textParts(output.parts)
      if (said.prompt !== undefined && first !== undefined) {
        first.text = said.prompt
        for (const part of others) part.text = ''
      }
      if (said.context !== undefined && first !== undefined) first.text += '\\n\\n' + said.context
      await tell(said)
    },
    'tool.execute.before': async (input, output) => {
      const said = await consult('tool.execute.before', { input, output, directory }, true)
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
        const said = await consult('permission.ask', call, true)
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
