// A problem of a configuration with its position in the file. A value: never thrown.

import { type Position, START } from './position.ts'

/** The kinds of problems. */
const PROBLEM_KINDS = {
  unreadable: 'The file cannot be read: no permission, not a file, not text.',
  'too-large': 'The file is larger or deeper than a configuration can be.',
  syntax: 'The text is not JSON, YAML or .arma; half-written files are of this kind.',
  invalid: 'A key that does not exist, or a value that it cannot have.',
  cycle: 'Files extend each other in a circle, or too deeply.',
  missing: 'A file that is named does not exist.',
  ambiguous: 'Two files have the same name with different extensions; only one is used.',
  looser: "A project's layer tries to loosen what the user set; that entry is ignored, the rest applies.",
  refused: 'An exception that may not be used, such as one for tier 5; it is ignored, the rest applies.',
  untrusted: "A project's hooks are not trusted yet, so they do not run; its other settings apply.",
  held: 'A file is missing or bad and the rest is less strict than before; the last known strictness applies.',
  'not-saved': 'The last good state cannot be written to disk; the configuration applies all the same.',
} as const satisfies Record<string, string>

/** The kind of a problem. */
export type ProblemKind = keyof typeof PROBLEM_KINDS

/** A problem, with the information to find and fix it. */
export interface Problem extends Position {
  readonly kind: ProblemKind
  readonly file: string
  /** The setting, such as `hooks.risk-detection.timeout`; empty for the whole file. */
  readonly key: string
  /** The expected and the actual value, and a suggestion where a name is near. */
  readonly message: string
}

/** Builds a problem; at the start of the file unless a position is given. */
export function problem(
  kind: ProblemKind,
  file: string,
  message: string,
  where: { readonly key?: string; readonly position?: Position } = {},
): Problem {
  const { line, column } = where.position ?? START
  return { kind, file, line, column, key: where.key ?? '', message }
}

/** Kinds with which the file is still used: the problem concerns one entry, or not the text. */
const HARMLESS: readonly ProblemKind[] = ['looser', 'refused', 'untrusted', 'ambiguous', 'held', 'not-saved']

/** Whether the whole file is not used because of this problem. */
export function isFatal({ kind }: Problem): boolean {
  return !HARMLESS.includes(kind)
}

/** One line in the form that editors and terminals link: `file:line:column: message`. */
export function formatProblem({ file, line, column, message }: Problem): string {
  return `${file}:${line}:${column}: ${message}`
}

/** A path of keys as text: `commands[1].event`. */
export function formatKey(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}
