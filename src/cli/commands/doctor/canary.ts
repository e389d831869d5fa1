// A call through the very line that stands in a host's configuration, as the host would make it. It must leave a row in
// the trace: anything else means that the host is not supervised, whatever its files say.

import { spawn } from 'node:child_process'
import { accessSync, constants } from 'node:fs'
import { unquoteFromShell } from '../../../engine/shell-quote.ts'
import type { Check } from '../../../hosts/diagnose.ts'
import type { Host, HostName } from '../../../hosts/host.ts'
import { readTexts } from '../../../hosts/install/apply.ts'
import { hookLine } from '../../../hosts/install/command-line.ts'
import type { Place } from '../../../hosts/install/plan.ts'
import { newId } from '../../../platform/ids.ts'
import { openStores } from '../../../storage/open-stores.ts'
import { context } from '../../context.ts'

const LIMIT_MS = 20_000
const COMMAND = 'echo arc-canary'

/** Sends a canary; ok when it arrived. */
export async function sendCanary(host: Host, place: Place, home: string): Promise<Check> {
  const name = `${host.name}: canary`
  const fix = `arc install ${host.name}, then arc doctor --live`
  const command = commandIn(host, place)
  if (command === undefined) return { name, ok: false, detail: 'no line of ARC to send it through', fix }
  const session = `arc-doctor-${newId()}`
  const [event, payload] = CANARIES[host.name](session, place.dir)
  const line = hookLine(command, host.name, event)
  const ran = await run(line, JSON.stringify(payload), home)
  const rows = rowsOf(home, session)
  if (rows > 0) return { name, ok: true, detail: `${line}: ${rows} evaluations in the trace` }
  return { name, ok: false, detail: `${line}: ${ran}, and nothing in the trace`, fix }
}

/** Can this file be run? */
export function isRunnable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

// The path as the configuration has it, which need not be the one that would be installed now.
function commandIn(host: Host, place: Place): string | undefined {
  const files = host.install.files(place)
  const texts = readTexts(files.map(({ path }) => path))
  for (const { path, has, commandIn: find } of files) {
    const text = texts.get(path)
    if (text === undefined || !has(text)) continue
    return find?.(text) ?? lineIn(text, host.name)
  }
  return undefined
}

// A script or a plugin of ours names the program in a line of its own.
function lineIn(text: string, host: HostName): string | undefined {
  const [, script] = new RegExp(`^(?:exec )?(.+) hook ${host}(?: [\\w.-]+)?$`, 'm').exec(text) ?? []
  if (script !== undefined) return unquoteFromShell(script) ?? script
  const [, plugin] = /^const ARC = (".*")$/m.exec(text) ?? []
  const [, table] = /^command = (".*") *$/m.exec(text) ?? []
  if (plugin !== undefined) return JSON.parse(plugin) as string
  return table === undefined ? undefined : (JSON.parse(table) as string).replace(/ hook \w+.*$/, '')
}

type Canary = (session: string, dir: string) => readonly [event: string | undefined, payload: object]

const claudeLike =
  (event: string, tool: string): Canary =>
  (session, cwd) => [
    undefined,
    {
      session_id: session,
      cwd,
      hook_event_name: event,
      tool_name: tool,
      tool_input: { command: COMMAND },
      tool_use_id: session,
    },
  ]

const CANARIES: Readonly<Record<HostName, Canary>> = {
  claude: claudeLike('PreToolUse', 'Bash'),
  codex: claudeLike('PreToolUse', 'Bash'),
  gemini: claudeLike('BeforeTool', 'run_shell_command'),
  qwen: claudeLike('PreToolUse', 'run_shell_command'),
  copilot: (sessionId, cwd) => ['preToolUse', { sessionId, cwd, toolName: 'bash', toolArgs: { command: COMMAND } }],
  cline: (taskId, dir) => [
    'PreToolUse',
    {
      taskId,
      workspaceRoots: [dir],
      hookName: 'tool_call',
      tool_call: { id: taskId, name: 'run_commands', input: { commands: [COMMAND] } },
    },
  ],
  opencode: (sessionID, directory) => [
    'tool.execute.before',
    { input: { tool: 'bash', sessionID, callID: sessionID }, output: { args: { command: COMMAND } }, directory },
  ],
  cursor: (conversation_id, dir) => [
    undefined,
    {
      conversation_id,
      hook_event_name: 'preToolUse',
      workspace_roots: [dir],
      tool_name: 'Shell',
      tool_input: { command: COMMAND },
    },
  ],
}

// As a host runs it: through a shell, with hardly any environment.
function run(line: string, payload: string, home: string): Promise<string> {
  return new Promise((resolve) => {
    const { PATH, HOME, ARC_DAEMON } = context().env
    const env = { PATH, HOME, ARC_HOME: home, ...(ARC_DAEMON !== undefined && { ARC_DAEMON }) }
    const child = spawn('/bin/sh', ['-c', line], { env, timeout: LIMIT_MS })
    let said = ''
    child.stderr.on('data', (text) => {
      said = `${said}${text}`.slice(0, 300)
    })
    child.on('error', (error) => resolve(error.message))
    child.on('close', (code, signal) => resolve(`exit ${code ?? signal}${said === '' ? '' : `, ${said.trim()}`}`))
    child.stdin.on('error', () => undefined)
    child.stdin.end(payload)
  })
}

function rowsOf(home: string, session: string): number {
  const stores = openStores(home, () => undefined)
  try {
    return stores.isDurable ? stores.trace.query({ session, limit: 50 }).length : 0
  } finally {
    stores.close()
  }
}
