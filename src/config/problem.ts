// One thing that is wrong with a configuration, with its place in the file. A value: nothing here is thrown.

import { type Position, START } from './position.ts'

/** What kinds of problem there are, and what each means for the file. */
const PROBLEM_KINDS = {
  unreadable: 'The file cannot be read: no permission, not a file, not text.',
  'too-large': 'The file is larger or deeper than a configuration can be.',
  syntax: 'The text is not JSON, YAML or .arma; half-written files are of this kind.',
  invalid: 'A key that does not exist, or a value that it cannot have.',
  cycle: 'Files extend each other in a circle, or too deeply.',
  missing: 'A file that is named does not exist.',
  ambiguous: 'Two files stand for the same thing, and only one can be in force.',
  looser: "A project's layer tries to loosen what the user set; that entry is ignored, the rest applies.",
  untrusted: "A project's hooks are not trusted yet, so they do not run; its other settings apply.",
  held: 'The files ask for less than what was last in force, because one is missing or bad; what was last in force holds.',
  'not-saved': 'The last good state cannot be kept on disk; it is in force all the same.',
} as const satisfies Record<string, string>

/** The kind of a problem. */
export type ProblemKind = keyof typeof PROBLEM_KINDS

/** A problem, with everything a person needs to find and mend it. */
export interface Problem extends Position {
  readonly kind: ProblemKind
  readonly file: string
  /** The setting, such as `hooks.risk-detection.timeout`; empty for the whole file. */
  readonly key: string
  /** What was expected, what came, and the nearest name where one is near. */
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

/** Kinds that leave the file in force: the problem concerns one entry, or something beside the text. */
const HARMLESS: readonly ProblemKind[] = ['looser', 'untrusted', 'ambiguous', 'held', 'not-saved']

/** Does this problem put the whole file out of force? */
export function isFatal({ kind }: Problem): boolean {
  return !HARMLESS.includes(kind)
}

/** One line in the form that editors and terminals link: `file:line:column: message`. */
export function formatProblem({ file, line, column, message }: Problem): string {
  return `${file}:${line}:${column}: ${message}`
}

/** A path of keys as people write it: `commands[1].event`. */
export function formatKey(path: readonly PropertyKey[]): string {
  return path.reduce<string>((text, part) => {
    if (typeof part === 'number') return `${text}[${part}]`
    return text === '' ? String(part) : `${text}.${String(part)}`
  }, '')
}
