// `/run` in a script: its words are one line for the shell, and variables are values in it, never code. The compiler of
// placeholders quotes a value for its position, so each variable is passed as a placeholder.

import type { ArmaHook } from '../../config/arma/compile-script.ts'
import type { Clock } from '../../engine/clock.ts'
import { ArcError, show } from '../../engine/errors.ts'
import type { Handler } from '../../engine/hook.ts'
import { type CommandHandler, type CommandOptions, commandHandler } from '../handlers/command/command.ts'
import { portableValue, variableName } from '../handlers/command/environment.ts'
import { compilePlaceholders } from '../handlers/command/placeholders.ts'
import { commandInWorkspace } from '../handlers/command/workspace-command.ts'
import { valueOnStep, withoutGiven } from './variables.ts'

// A line at one point does not need the name of the event.
const STAND_IN = 'hook_event'
const REFERENCE = `\${${variableName(STAND_IN)}-}`

interface ScriptCommandOptions {
  readonly cwd: string | undefined
  readonly clock: Clock
  readonly permissions: () => readonly string[] | undefined
}

/** A handler that runs the line of a `/run`; throws an ArcError where a variable has no safe form. */
export function scriptCommand(hook: ArmaHook, options: ScriptCommandOptions): Handler {
  const { cwd, clock, permissions } = options
  const { line, names } = compileLine(hook)
  const make = (env: Record<string, string>): CommandOptions => ({ command: line, env, ...(cwd && { cwd }) })
  const probe: CommandHandler = commandHandler(make({}))
  const run: Handler = (step, context) => {
    const scope = { step, timeMs: clock.wall(), permissions: permissions() }
    const values = names.map((name) => portableValue(valueOnStep(scope, name) ?? ''))
    const env = Object.fromEntries(values.map((value, index) => [variableAt(index), value]))
    return commandInWorkspace(make(env))(step, context)
  }
  return Object.assign(run, { timeoutMs: probe.timeoutMs, overtimeMs: probe.overtimeMs })
}

function compileLine(hook: ArmaHook): { readonly line: string; readonly names: readonly string[] } {
  const names: string[] = []
  const words = withoutGiven(hook).map((template) => {
    const parts = template.map((part) => {
      if ('text' in part) return part.text
      names.push(part.variable)
      return `{${STAND_IN}}`
    })
    return parts.join('')
  })
  const text = words.join(' ')
  const pieces = compilePlaceholders(text).split(REFERENCE)
  if (pieces.length !== names.length + 1) {
    const what = `The line ${show(text)} uses the name ${variableName(STAND_IN)}, which is reserved for variables here.`
    throw new ArcError('ARC_COMMAND_INVALID', what)
  }
  const line = pieces.reduce((all, piece, index) => `${all}\${${variableAt(index - 1)}-}${piece}`)
  return { line, names }
}

function variableAt(index: number): string {
  return `ARC_VALUE_${index + 1}`
}
