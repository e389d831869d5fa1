// Shells: `bash -c script`, `sh script-file`, `… | sh`, `bash <(…)`.

import type { Field, LocatedInput, Output } from '../frame.ts'
import type { Program, ProgramPort } from '../interpreter-port.ts'
import type { Code, ShellInvocation } from '../invocation.ts'
import { inputCode, isDynamic, runsOutput } from '../nested-code.ts'
import { type Options, readOptions } from './options.ts'

const NAMES = [
  'sh',
  'bash',
  'zsh',
  'dash',
  'ash',
  'ksh',
  'mksh',
  'pdksh',
  'rbash',
  'fish',
  'csh',
  'tcsh',
  'hush',
  'yash',
  'posh',
  'oksh',
]

const SPEC = { short: 'oO', long: ['rcfile', 'init-file', 'emulate', 'init-command'] }

export const SHELLS: ReadonlyMap<string, Program> = new Map(NAMES.map((name) => [name, runShell]))

interface ShellScript {
  readonly code: Code | undefined
  readonly via: string
  readonly positional: readonly Field[]
  /** The value of `$0`. */
  readonly self?: Field | undefined
}

function runShell(shell: ProgramPort, call: ShellInvocation, name: string): Output {
  const script = findScript(shell, call, readOptions(call.fields, SPEC), name)
  const { code } = script
  shell.emit(call, runsOutput(code))
  if (!code) return undefined
  if (isDynamic(code)) {
    shell.noteDynamicScript(call, code)
    return undefined
  }
  const scope = call.scope.copy()
  scope.positional = script.positional
  if (script.self) scope.set('0', { text: code.file?.path ?? script.self.text, isKnown: script.self.isKnown })
  return shell.runCode(call, name === 'fish' ? translateFish(code) : code, script.via, scope)
}

// In fish `(command)` is a substitution. Quoted text stays.
function translateFish(code: Code): Code {
  const text = code.text.replace(/("(?:[^"\\]|\\.)*"|'[^']*'|\\.)|(?<![$])\(/gs, (_whole, quoted) => quoted ?? '$(')
  return text === code.text ? code : { ...code, text, at: undefined }
}

function findScript(shell: ProgramPort, call: ShellInvocation, options: Options, name: string): ShellScript {
  const { fields } = call
  const { rest, values } = options
  const operand = fields[rest]
  if (values.has('c') || values.has('command')) {
    const long = values.get('command')
    const code = printedFile(shell, call, long ?? operand)
    return { code, via: `${name} -c`, positional: fields.slice(rest + 2), self: fields[rest + 1] }
  }
  if (values.has('s') || !operand || operand.text === '-' || isInputFile(operand)) {
    return {
      code: values.has('version') || values.has('help') ? undefined : inputFile(shell, call),
      via: name,
      positional: fields.slice(rest),
    }
  }
  return { code: fileCode(shell, call, operand), via: name, positional: fields.slice(rest + 1), self: operand }
}

function isInputFile(field: Field): boolean {
  return field.text === '/dev/stdin' || field.text === '/dev/fd/0' || field.text === '/proc/self/fd/0'
}

/** The script in a file that the text wrote, that a substitution prints, or that is on disk; undefined for other files. */
export function fileCode(shell: ProgramPort, call: ShellInvocation, file: Field): Code | undefined {
  const feed = file.source ?? (file.isKnown ? call.scope.readFile(file.text) : undefined)
  if (feed) {
    const code = { text: feed.text ?? '', isKnown: feed.text !== undefined, from: feed.from, isFile: true }
    return printedFile(shell, call, code)
  }
  return file.isKnown && !file.isGlob ? shell.openFile(call, call.scope.copyOf(file.text)) : undefined
}

/** The script that `source` and interpreters read from a file or from their input. */
export function sourceCode(shell: ProgramPort, call: ShellInvocation, file: Field): Code | undefined {
  return isInputFile(file) || file.text === '-' ? inputFile(shell, call) : fileCode(shell, call, file)
}

/** The standard input as a script: also of a file on disk, `sh < file` and `cat file | sh`. */
export function inputFile(shell: ProgramPort, call: ShellInvocation): Code | undefined {
  const { input } = call
  const path = input && 'file' in input ? (input as LocatedInput).file : undefined
  const file = path === undefined ? undefined : shell.openFile(call, path)
  return file ?? printedFile(shell, call, inputCode(input))
}

/** Code that is the output of `cat file`: the text of the file, if it is known. */
export function printedFile<T extends Code>(
  shell: ProgramPort,
  call: ShellInvocation,
  code: T | undefined,
): T | Code | undefined {
  const [from, ...others] = code?.from ?? []
  if (!code || !from || from.name !== 'cat' || others.length > 0 || !isDynamic(code)) return code
  const [file, ...more] = from.args
  if (!file?.isKnown || file.isGlob || more.length > 0) return code
  const opened = shell.openFile({ ...call, scope: inFolder(call, from.cwd) }, file.text)
  return opened === undefined ? code : { ...opened, from: code.from }
}

function inFolder({ scope }: ShellInvocation, cwd: string | undefined): ShellInvocation['scope'] {
  const copy = scope.copy()
  copy.cwd = cwd
  return copy
}
