// A fresh account with ARC installed for Claude, and calls through the line that its settings hold.

import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { onlyJson, type Ran, runProgram } from './run-arc.ts'
import { runArcInProcess } from './run-in-process.ts'
import { makeTempFolder } from './temp-folder.ts'

/** The account. */
export interface InstalledAgent {
  readonly user: string
  /** `$ARC_HOME`. */
  readonly home: string
  /** The variables of the account. */
  readonly env: Readonly<Record<string, string | undefined>>
  /** A command of the person, run in the process of the test. */
  arc(...args: string[]): Promise<Ran>
  /** A tool call through the installed line, with more variables. */
  call(command: string, env?: Readonly<Record<string, string | undefined>>, event?: string): Promise<Ran>
  /** The settings of Claude. */
  settings(): string
}

let calls = 0

/** Makes the account; the profile is made with this mode. */
export async function installAgent(mode: string): Promise<InstalledAgent> {
  const user = makeTempFolder('arc-user-')
  const home = join(user, '.arc')
  const env = { HOME: user, ARC_HOME: undefined, XDG_STATE_HOME: undefined, ARC_DAEMON: 'ask' }
  const arc = (...args: string[]): Promise<Ran> =>
    runArcInProcess(args, { home, env: { ...env, ARC_HOME: home }, cwd: user })
  const settings = (): string => readFileSync(join(user, '.claude/settings.json'), 'utf8')
  const call: InstalledAgent['call'] = (command, more = {}, event = 'PreToolUse') => {
    const line = JSON.parse(settings()).hooks[event][0].hooks[0].command as string
    const input = { session_id: 's', cwd: user, hook_event_name: event, tool_name: 'Bash', tool_input: { command } }
    const payload = JSON.stringify({ ...input, tool_use_id: `installed-${++calls}` })
    return runProgram('/bin/sh', ['-c', line], { cwd: user, input: payload, env: { ...env, ...more } })
  }
  const made = [await arc('init', '--enforcement', mode, '--json'), await arc('install', 'claude', '--json')]
  for (const ran of made) onlyJson(ran)
  return { user, home, env, arc, call, settings }
}
