// Where a command of the configuration runs: a project's in the project, the user's where the agent works.

import { statSync } from 'node:fs'
import type { Handler } from '../../../engine/hook.ts'
import { type CommandOptions, commandHandler } from './command.ts'

/** A command handler that runs in its `cwd`, or without one in the workspace of each step. */
export function commandInWorkspace(options: CommandOptions): Handler {
  const usual = commandHandler(options)
  if (options.cwd !== undefined) return usual
  const handler: Handler = (step, run) => {
    const { workspace } = step
    // A folder that is gone would keep every command from starting.
    if (workspace === undefined || !isDirectory(workspace)) return usual(step, run)
    return commandHandler({ ...options, cwd: workspace })(step, run)
  }
  const { timeoutMs, overtimeMs, onError } = usual
  return Object.assign(handler, { timeoutMs, overtimeMs, ...(onError && { onError }) })
}

function isDirectory(path: string): boolean {
  return statSync(path, { throwIfNoEntry: false })?.isDirectory() === true
}
