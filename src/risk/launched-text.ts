// Commands inside the arguments of a program about which nothing is known: `program … -- command`, and options whose
// name says that their value is a command (`--exec 'command'`). Programs of the table are not read here.

import { quoteWordForShell } from '../engine/shell-quote.ts'
import type { ShellCommand, Word } from './shell/execution.ts'

/** The last word of the name of an option whose value is a command: `--exec`, `--pre-command`. */
const COMMAND_WORDS = new Set('exec execute command commands cmd shell run script scripts hook'.split(' '))
const SHORT_COMMAND_OPTION = /^-[cCxXe]$/

/** The shell texts that the command may run. A text counts only if it begins with a known program. */
export function findLaunchedTexts({ args }: ShellCommand, isKnown: (program: string) => boolean): readonly string[] {
  const texts: string[] = []
  const add = (text: string): void => {
    if (isKnown(firstProgram(text))) texts.push(text)
  }
  const dashes = args.findIndex(({ text }) => text === '--')
  const launched = dashes < 0 ? [] : args.slice(dashes + 1)
  if (launched.length > 0) add(launched.length === 1 ? (launched[0] as Word).text : launched.map(writeWord).join(' '))
  for (const [index, { text }] of args.entries()) {
    if (dashes >= 0 && index > dashes) break
    const value = optionValue(text, args[index + 1]?.text)
    if (value !== undefined && (/\s/.test(value) || isCommandOption(text))) add(value)
  }
  return texts
}

function optionValue(text: string, next: string | undefined): string | undefined {
  if (SHORT_COMMAND_OPTION.test(text)) return next
  if (!isCommandOption(text)) return undefined
  const equals = text.indexOf('=')
  return equals < 0 ? next : text.slice(equals + 1)
}

// Also `--on-change` and its like.
function isCommandOption(text: string): boolean {
  if (!text.startsWith('-')) return false
  const name = (text.split('=', 1)[0] ?? '').replace(/^--?/, '').toLowerCase()
  return name.startsWith('on-') || COMMAND_WORDS.has(name.slice(name.lastIndexOf('-') + 1))
}

function writeWord({ text, isKnown }: Word): string {
  return isKnown ? quoteWordForShell(text) : text
}

function firstProgram(text: string): string {
  const word = text.split(/\s+/, 16).find((part) => part !== '' && !/^[A-Za-z_]\w*=/.test(part)) ?? ''
  return word.slice(word.lastIndexOf('/') + 1)
}
