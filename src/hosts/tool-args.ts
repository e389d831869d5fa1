// One form of arguments for one kind of tool: whatever a host calls it, a shell command is the text in `command`.
// An edit made on that form is put back into the host's own.

import { isRecord } from '../engine/plain-data.ts'
import type { ToolArgs } from '../engine/points.ts'
import { quoteWordForShell } from '../engine/shell-quote.ts'
import { toolClass } from '../engine/tools.ts'
import { type Fields, own } from './fields.ts'

/** What a host gave as arguments, as an object: some send JSON as a text, and nothing that came is lost. */
export function readArgs(value: unknown): ToolArgs {
  if (isRecord(value)) return value
  if (value === undefined || value === null) return {}
  if (typeof value === 'string') {
    try {
      const parsed: unknown = JSON.parse(value)
      if (isRecord(parsed)) return parsed
    } catch {
      // Not JSON: the text itself is the argument.
    }
  }
  return { input: value }
}

/** The arguments as hooks see them. */
export function normaliseArgs(tool: string, args: ToolArgs): ToolArgs {
  const form = shellForm(tool, args)
  if (form === undefined) return args
  const { [form.key]: _, ...rest } = args
  return { ...rest, command: form.read(args[form.key]) }
}

/** Edited arguments in the form that the host gave them in. */
export function restoreArgs(tool: string, hostArgs: ToolArgs, edited: ToolArgs): ToolArgs {
  const form = shellForm(tool, hostArgs)
  if (form === undefined) return edited
  const before = form.read(hostArgs[form.key])
  const { command, ...rest } = edited
  if (command === undefined) return rest
  return { ...rest, [form.key]: command === before ? hostArgs[form.key] : form.write(command, hostArgs[form.key]) }
}

interface ShellForm {
  readonly key: string
  read(value: unknown): string
  write(command: unknown, original: unknown): unknown
}

// A list of commands runs one after the other, as lines of a script do.
const COMMAND_LIST: ShellForm = {
  key: 'commands',
  read: (value) => texts(value).join('\n'),
  write: (command) => [command],
}

const PLAIN = { read: (value: unknown): string => String(value), write: (command: unknown): unknown => command }

// `["bash", "-lc", "…"]` is the script at its end; any other list is one command, word by word.
const WORD_LIST: ShellForm = {
  key: 'command',
  read: (value) => scriptIn(texts(value)) ?? texts(value).map(quoteWordForShell).join(' '),
  write: (command, original) => {
    const words = texts(original)
    const shell = scriptIn(words) === undefined ? ['sh', '-c'] : words.slice(0, 2)
    return [...shell, command]
  },
}

function shellForm(tool: string, args: ToolArgs): ShellForm | undefined {
  if (toolClass(tool) !== 'shell') return undefined
  const fields: Fields = args
  const command = own(fields, 'command')
  if (Array.isArray(command)) return command.every((word) => typeof word === 'string') ? listForm(command) : undefined
  if (command !== undefined) return undefined
  const commands = own(fields, 'commands')
  if (Array.isArray(commands)) return commands.every(isCommandItem) ? COMMAND_LIST : undefined
  const key = ['cmd', 'script'].find((name) => typeof own(fields, name) === 'string')
  return key === undefined ? undefined : { key, ...PLAIN }
}

// `["rm -rf x"]` holds whole commands, not words. Where it could be either, it stays as the host gave it.
function listForm(words: readonly string[]): ShellForm | undefined {
  const isLine = (word: string): boolean => /\S\s+\S/.test(word)
  if (isLine(words[0] ?? '')) return { ...COMMAND_LIST, key: 'command' }
  const isUnclear = words.some(isLine) && !words.some((word) => word.startsWith('-'))
  return isUnclear ? undefined : WORD_LIST
}

// A text, or an object with a command and nothing else that could run. Other lists stay as the host gave them: the risk
// classifier reads those.
function isCommandItem(item: unknown): boolean {
  if (typeof item === 'string') return true
  if (!isRecord(item) || typeof item.command !== 'string') return false
  return Object.entries(item).every(([key, value]) => {
    return key === 'command' || key === 'description' || (typeof value !== 'string' && typeof value !== 'object')
  })
}

function texts(value: unknown): string[] {
  if (!Array.isArray(value)) return []
  return value.map(textOfItem)
}

function textOfItem(item: unknown): string {
  if (typeof item === 'string') return item
  return isRecord(item) && typeof item.command === 'string' ? item.command : JSON.stringify(item)
}

function scriptIn(words: readonly string[]): string | undefined {
  const isShell = /^(?:.*[\\/])?(?:ba|z|da|k|a|fi)?sh(?:\.exe)?$/.test(words[0] ?? '')
  return words.length === 3 && isShell && /^-[a-z]*c$/.test(words[1] ?? '') ? words[2] : undefined
}
