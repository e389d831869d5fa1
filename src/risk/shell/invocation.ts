// One simple command after expansion, and code that a command runs.

import type { Span } from '../assessment.ts'
import type { Input, Redirect, ShellCommand, Word } from './execution.ts'
import type { Field, Frame } from './frame.ts'
import type { Scope } from './scope.ts'
import type { SourceFile } from './source-files.ts'

/** A simple command after expansion. The first field is its name. */
export interface ShellInvocation {
  readonly fields: readonly Field[]
  readonly span: Span
  readonly redirects: readonly Redirect[]
  readonly input: Input | undefined
  readonly env: ReadonlyMap<string, Word>
  readonly frame: Frame
  readonly scope: Scope
}

/** Code that a command runs, as far as its text is known. */
export interface Code {
  readonly text: string
  readonly isKnown: boolean
  readonly at?: number | undefined
  readonly from?: readonly ShellCommand[] | undefined
  /** It is the text of a file, on disk or written by the analysed text. */
  readonly isFile?: boolean | undefined
  /** The file on disk that it is the text of. */
  readonly file?: SourceFile | undefined
}

/** The command inside a wrapper: fewer words, one more entry in `via`. */
export function unwrap(
  call: ShellInvocation,
  fields: readonly Field[],
  via: string,
  frame?: Partial<Frame>,
): ShellInvocation {
  const inner = { ...call.frame, ...frame, via: [...call.frame.via, via], depth: call.frame.depth + 1 }
  return { ...call, fields, frame: inner }
}
