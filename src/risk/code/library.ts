// What library functions do, in words of the shell: the interface between the evaluation of code and the tables of the
// languages.

import type { Value } from './value.ts'

/** The arguments of a call. */
export interface CallArguments {
  readonly values: readonly Value[]
  /** Python's keyword arguments; in JavaScript, the fields of the last argument that is an object. */
  readonly named: ReadonlyMap<string, Value>
  /** The object before the dot; undefined for functions of modules. */
  readonly receiver: Value | undefined
  /** The method after the dot, or the whole name. */
  readonly method: string
}

/** The result of a call: the shell commands with the same effect, and the value. */
export interface CallResult {
  readonly commands?: readonly string[] | undefined
  readonly value?: Value | undefined
  /** The effect is on the database that the code configures elsewhere. */
  readonly isOnModels?: boolean | undefined
  /** Code of the same language that it runs. */
  readonly code?: string | undefined
}

/** A row of a library: undefined if the row does not know these arguments. */
export type LibraryFunction = (call: CallArguments) => CallResult | undefined

/** The library of a language. */
export interface Library {
  /** By full name: `os.remove`. */
  readonly functions: ReadonlyMap<string, LibraryFunction>
  /** By method name, where the receiver is not known. */
  readonly methods: ReadonlyMap<string, LibraryFunction>
  /** For methods of no row. */
  readonly anyMethod?: LibraryFunction | undefined
  /** Values of names: `os.environ`, `process.env.HOME`. */
  readonly constants: ReadonlyMap<string, Value>
  /** Names that need no import. */
  readonly globals: ReadonlyMap<string, string>
  /** Variables that hold a temporary folder by custom. */
  readonly temporaryNames: RegExp
}

/** A table of rows: `names` are separated by blanks. */
export function table(rows: readonly (readonly [names: string, row: LibraryFunction])[]): Map<string, LibraryFunction> {
  return new Map(rows.flatMap(([names, row]) => names.split(' ').map((name) => [name, row] as const)))
}
