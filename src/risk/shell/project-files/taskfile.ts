// Task files of go-task: the commands of tasks and of what they need.

import { type Constants, MAX_PARTS, type ScriptPart, withNeeded } from './script-part.ts'
import { readYamlScalars, type YamlScalar } from './yaml-lines.ts'

/** The scripts of these tasks; of the task `default` if there is none. */
export function readTaskfile(text: string, names: readonly string[], given: Constants): readonly ScriptPart[] {
  const scalars = readYamlScalars(text)
  const known = new Map<string, string>()
  for (const { path, value } of scalars) {
    const [first, name] = path
    if (first === 'vars' && name !== undefined && path.length === 2) known.set(name, value)
  }
  for (const [name, value] of given) known.set(name, value)
  const needs = (task: string) => scalars.flatMap(({ path, value }) => (isNeed(path, task) ? [value] : []))
  return withNeeded(names.length > 0 ? names : ['default'], needs)
    .flatMap((task) => scalars.flatMap((scalar) => toPart(scalar, task, known)))
    .slice(0, MAX_PARTS)
}

/** The scripts of all tasks. */
export function readAllTasks(text: string): readonly ScriptPart[] {
  const names = readYamlScalars(text).flatMap(({ path: [first, name] }) => (first === 'tasks' && name ? [name] : []))
  return names.length === 0 ? [] : readTaskfile(text, [...new Set(names)], new Map())
}

function isNeed([first, name, key, ...rest]: readonly string[], task: string): boolean {
  if (first !== 'tasks' || name !== task) return false
  if (key === 'deps') return rest.length === 1 || rest.at(-1) === 'task'
  return key === 'cmds' && rest.at(-1) === 'task'
}

// `task: command`, `task: [commands]`, `task: {cmds: [commands]}`, `task: {cmd: command}`
function toPart({ path, value, start, end }: YamlScalar, task: string, known: Constants): readonly ScriptPart[] {
  const [first, name, key, ...rest] = path
  if (first !== 'tasks' || name !== task) return []
  const isShort = key === undefined || /^\d+$/.test(key)
  const isCommand = key === 'cmd' || (key === 'cmds' && (rest.length === 1 || rest.at(-1) === 'cmd'))
  const isCheck = key === 'status' || key === 'preconditions' || rest.at(-1) === 'sh'
  if (!isShort && !isCommand && !isCheck) return []
  const text = value.replace(
    /\{\{\s*\.(\w+)[^{}]*\}\}/g,
    (_whole, variable: string) => known.get(variable) ?? `\${${variable}}`,
  )
  return [{ text, start, end, name: task }]
}
