// The environment of a hook command: who, where and what, as ARC_* and under the older names ARCAN_*.

import type { Step } from '../../../engine/step.ts'
import { eventName } from '../envelope.ts'

/** The facts of a step that commands may use by name. */
export interface CommandFacts {
  readonly session_id: string
  readonly workspace: string
  readonly hook_event: string
  readonly tool_name: string | undefined
  readonly tool_input: string | undefined
}

/** The values of `{placeholders}`; also the names of the variables, in capitals. */
export const FACT_NAMES = ['session_id', 'workspace', 'hook_event', 'tool_name', 'tool_input'] as const

/** The name of a fact. */
export type FactName = (typeof FACT_NAMES)[number]

// Linux refuses a single variable above 128 KiB; what is larger is on stdin.
const MAX_VALUE_BYTES = 100_000

/** The facts of a step. */
export function readFacts(step: Step): CommandFacts {
  const data = step.data as { readonly tool?: unknown; readonly args?: unknown }
  return {
    session_id: step.session ?? '',
    workspace: step.workspace ?? '',
    hook_event: eventName(step.point),
    tool_name: typeof data.tool === 'string' ? data.tool : undefined,
    tool_input: data.args === undefined ? undefined : JSON.stringify(data.args),
  }
}

/** The variables for a command: this process's own, then the facts under both names. */
export function buildEnvironment(facts: CommandFacts, extra: Readonly<Record<string, string>> = {}): Environment {
  const variables: Environment = { ...extra }
  for (const name of FACT_NAMES) {
    const value = facts[name]
    const portable = value === undefined ? undefined : portableValue(value)
    variables[variableName(name)] = portable
    variables[`ARCAN_${name.toUpperCase()}`] = portable
  }
  return inheriting(variables)
}

type Environment = Record<string, string | undefined>

/**
 * Variables beside those that this process has now. A copy: an object that inherits from process.env keeps the names of
 * its first use, so variables that are set later would be missing.
 */
export function inheriting(variables: Readonly<Environment> = {}): Environment {
  return { ...process.env, ...variables }
}

/** The variable that carries a fact. */
export function variableName(name: FactName): string {
  return `ARC_${name.toUpperCase()}`
}

/**
 * A value as the environment can carry it. A variable cannot contain NUL, so NUL bytes are removed; what is too large is
 * replaced by a note. The envelope on stdin always has the exact value.
 */
export function portableValue(value: string): string {
  const bytes = Buffer.byteLength(value)
  if (bytes > MAX_VALUE_BYTES) return `[${bytes} bytes: too large for the environment, read it from stdin]`
  return value.includes('\0') ? value.replaceAll('\0', '') : value
}
