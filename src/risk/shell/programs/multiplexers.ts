// Terminal multiplexers: tmux and screen start commands, or type them into a running shell.

import type { Field, Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import { type ShellInvocation, unwrap } from '../invocation.ts'
import { joinCode } from '../nested-code.ts'
import { readOptions } from './options.ts'

export const MULTIPLEXERS: ReadonlyMap<string, Program> = new Map<string, Program>([
  ['tmux', runTmux],
  ['screen', runScreen],
])

const TYPING = new Set(['send-keys', 'send', 'send-prefix', 'set-buffer', 'setb', 'stuff'])
const STARTING = new Set(
  (
    'new-session new new-window neww split-window splitw respawn-pane respawnp respawn-window respawnw run-shell run ' +
    'if-shell if pipe-pane pipep display-popup popup command-prompt confirm-before bind-key bind set-hook wait-for'
  ).split(' '),
)
/** Names of keys, which are pressed and not typed. */
const KEY = /^(?:Enter|KPEnter|Escape|Space|Tab|BSpace|Up|Down|Left|Right|Home|End|[CMS]-.+|\^.)$/

// `tmux [options] command … \; command …`
function runTmux(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { rest } = readOptions(call.fields, { short: 'cfLST' })
  for (const part of partsBetween(call.fields.slice(rest), ';')) {
    const [command, ...words] = part
    if (command === undefined) continue
    if (TYPING.has(command.text)) runTyped(shell, call, words, `tmux ${command.text}`)
    else if (STARTING.has(command.text)) runStarted(shell, call, words, `tmux ${command.text}`)
  }
  return undefined
}

function partsBetween(fields: readonly Field[], separator: string): Field[][] {
  const parts: Field[][] = [[]]
  for (const field of fields) {
    if (field.text === separator || field.text === `\\${separator}`) parts.push([])
    else parts.at(-1)?.push(field)
  }
  return parts
}

function runTyped(shell: ProgramPort, call: ShellInvocation, words: readonly Field[], via: string): void {
  const { rest } = readOptions(words, { short: 'tNb' }, 0)
  // A key ends the line that was typed before it.
  const lines: Field[][] = [[]]
  for (const word of words.slice(rest)) {
    if (KEY.test(word.text)) lines.push([])
    else lines.at(-1)?.push(word)
  }
  for (const line of lines.filter((one) => one.length > 0)) runLine(shell, call, line, via)
}

function runStarted(shell: ProgramPort, call: ShellInvocation, words: readonly Field[], via: string): void {
  const { rest } = readOptions(words, { short: 'cehlnpstwxyFTIN' }, 0)
  // Which options take values differs between subcommands; a word with blanks is the script.
  const start = words.findIndex((word) => /\s/.test(word.text))
  const line = words.slice(start >= 0 ? start : rest)
  if (line.length > 0) runLine(shell, call, line, via)
}

function runLine(shell: ProgramPort, call: ShellInvocation, line: readonly Field[], via: string): void {
  const code = joinCode(line)
  const text = code.text.replace(/\\[nr]|\^M/g, '\n')
  const isSame = text === code.text
  shell.runCode({ ...call, input: undefined }, isSame ? code : { ...code, text, at: undefined }, via, call.scope.copy())
}

const SCREEN_SPEC = { short: 'cehpsStTx' }

// `screen -dm command`, `screen -S name -X stuff 'typed text'`
function runScreen(shell: ProgramPort, call: ShellInvocation): Output {
  shell.emit(call)
  const { rest, values } = readOptions(call.fields, SCREEN_SPEC)
  const [first, ...words] = call.fields.slice(rest)
  if (first === undefined) return undefined
  // `screen program words` starts the program without a shell.
  if (!values.has('X')) shell.runCall({ ...unwrap(call, [first, ...words], 'screen'), scope: call.scope.copy() })
  else if (words.length > 0) runLine(shell, call, words, `screen ${first.text}`)
  return undefined
}
