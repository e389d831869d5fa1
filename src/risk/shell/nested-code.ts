// Words and inputs as shell scripts: `bash -c word`, `eval words`, `sh < input`.

import type { Input, ShellCommand } from './execution.ts'
import type { Field, LocatedInput } from './frame.ts'
import type { Code } from './invocation.ts'

/** Whether no part of a script is known, so that it may do anything. */
export function isDynamic(code: Code): boolean {
  return !code.isKnown && (code.text === '' || /^\s*["']?[$`<]/.test(code.text))
}

/** The commands whose output runs as code, as a property of the command that runs them. */
export function runsOutput(code: Code | undefined): Partial<ShellCommand> | undefined {
  return code?.from?.length ? { runsOutputOf: code.from } : undefined
}

/** The standard input as a script; undefined for the terminal, or a file with unknown content. */
export function inputCode(input: Input | LocatedInput | undefined): Code | undefined {
  if (!input) return undefined
  const { text, from } = input
  const written = 'written' in input ? input.written : undefined
  if (text === undefined && written === undefined && from.length === 0) return undefined
  return { text: text ?? written ?? '', isKnown: text !== undefined, from, at: 'at' in input ? input.at : undefined }
}

/** Several words as one script, joined by blanks as eval and ssh do. */
export function joinCode(fields: readonly Field[]): Code {
  const [only] = fields
  if (only && fields.length === 1) return only
  return {
    text: fields.map((field) => field.text).join(' '),
    isKnown: fields.every((field) => field.isKnown),
    from: fields.flatMap((field) => field.from ?? []),
  }
}
