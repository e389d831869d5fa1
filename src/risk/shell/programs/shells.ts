// Shells: `bash -c script`, `sh script-file`, `… | sh`, `bash <(…)`.

import type { Field, Output } from '../frame.ts'
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
  const script = findScript(call, readOptions(call.fields, SPEC), name)
  const { code } = script
  shell.emit(call, runsOutput(code))
  if (!code) return undefined
  if (isDynamic(code)) {
    shell.noteDynamicScript(call, code)
    return undefined
  }
  const scope = call.scope.copy()
  scope.positional = script.positional
  if (script.self) scope.set('0', { text: script.self.text, isKnown: script.self.isKnown })
  return shell.runCode(call, name === 'fish' ? translateFish(code) : code, script.via, scope)
}

// In fish `(command)` is a substitution. Quoted text stays.
function translateFish(code: Code): Code {
  const text = code.text.replace(/("(?:[^"\\]|\\.)*"|'[^']*'|\\.)|(?<![$])\(/gs, (_whole, quoted) => quoted ?? '$(')
  return text === code.text ? code : { ...code, text, at: undefined }
}

function findScript(call: ShellInvocation, options: Options, name: string): ShellScript {
  const { fields, input } = call
  const { rest, values } = options
  const operand = fields[rest]
  if (values.has('c') || values.has('command')) {
    const long = values.get('command')
    return { code: long ?? operand, via: `${name} -c`, positional: fields.slice(rest + 2), self: fields[rest + 1] }
  }
  if (values.has('s') || !operand || operand.text === '-' || isInputFile(operand)) {
    return {
      code: values.has('version') || values.has('help') ? undefined : inputCode(input),
      via: name,
      positional: fields.slice(rest),
    }
  }
  return { code: fileCode(call, operand), via: name, positional: fields.slice(rest + 1) }
}

function isInputFile(field: Field): boolean {
  return field.text === '/dev/stdin' || field.text === '/dev/fd/0' || field.text === '/proc/self/fd/0'
}

/** The script in a file that the text wrote, or that a substitution prints; undefined for other files. */
export function fileCode(call: ShellInvocation, file: Field): Code | undefined {
  const feed = file.source ?? (file.isKnown ? call.scope.readFile(file.text) : undefined)
  return feed && { text: feed.text ?? '', isKnown: feed.text !== undefined, from: feed.from }
}

/** The script that `source` and interpreters read from a file or from their input. */
export function sourceCode(call: ShellInvocation, file: Field): Code | undefined {
  return isInputFile(file) || file.text === '-' ? inputCode(call.input) : fileCode(call, file)
}
