// Words and inputs that run as shell scripts: `bash -c word`, `eval words`, `sh < input`.

import { type Call, type Field, type Frame, noteUnknown, type Output, type Walk } from './context.ts'
import type { Input, ShellCommand } from './execution.ts'
import { clip } from './limits.ts'
import type { PlacedInput } from './redirects.ts'
import type { Scope } from './scope.ts'
import { runScript } from './walk.ts'

/** A script and what is known of it. */
export interface Code {
  readonly text: string
  readonly isKnown: boolean
  readonly at?: number | undefined
  readonly from?: readonly ShellCommand[] | undefined
}

/** Whether nothing of a script can be seen, so that it may do anything. */
export function isDynamic(code: Code): boolean {
  return !code.isKnown && (code.text === '' || /^\s*["']?[$`<]/.test(code.text))
}

/** The commands whose output runs, for the command that runs it. */
export function runsOutput(code: Code | undefined): Partial<ShellCommand> | undefined {
  return code?.from?.length ? { runsOutputOf: code.from } : undefined
}

/** Runs a script that a program got; where only parts are known, the rest stands in it as variables do. */
export function runCode(
  walk: Walk,
  call: Call,
  code: Code,
  via: string,
  scope: Scope,
  change?: Partial<Frame>,
): Output {
  const origin = code.at ?? call.span
  if (isDynamic(code)) {
    noteDynamicScript(walk, call, code)
    return undefined
  }
  const frame: Frame = {
    ...call.frame,
    redirects: call.redirects,
    input: call.input,
    ...change,
    source: code.text,
    origin,
    via: [...call.frame.via, via],
    depth: call.frame.depth + 1,
  }
  const output = runScript(walk, code.text, frame, scope)
  return code.isKnown ? output : undefined
}

/** Notes that a script cannot be known. */
export function noteDynamicScript(walk: Walk, call: Call, code: Code): void {
  const { from } = code
  const text = clip(code.text || walk.text.slice(call.span.start, call.span.end))
  noteUnknown(walk, { why: 'dynamic-script', span: call.span, text, ...(from?.length && { from }) })
}

/** The standard input as a script; undefined when it is the terminal or a file of which nothing is known. */
export function inputCode(input: Input | PlacedInput | undefined): Code | undefined {
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
