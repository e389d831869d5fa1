// The state of a shell: variables, functions, aliases, the working folder.
// A subshell works on a copy. Branches that may not run are merged.

import type { Function as FunctionNode } from 'unbash'
import type { ShellCommand, Word } from './execution.ts'
import { type CodeSource, type Field, type Frame, NO_ENV } from './frame.ts'
import { resolvePath } from './paths.ts'

/** The value of a variable. */
export interface Value {
  readonly text: string
  readonly isKnown: boolean
  /** The elements of an array, by index or key. */
  readonly items?: ReadonlyMap<string, Value> | undefined
  /** Other possible values, because a branch may not have run. */
  readonly others?: readonly Value[] | undefined
  /** The commands whose output is in it. */
  readonly from?: readonly ShellCommand[] | undefined
  /** Where the text begins in the analysed text. */
  readonly at?: number | undefined
  /** Read as a list: `$@`, `${a[@]}`. */
  readonly isList?: boolean | undefined
  /** Unset by the text. A variable that was never set has no value. */
  readonly isUnset?: boolean | undefined
}

/** A function of the script and the frame that its positions belong to. */
export interface Definition {
  readonly node: FunctionNode
  readonly frame: Frame
}

const MAX_OTHERS = 4

/** The state of one shell; changed in place by what it runs. */
export class Scope {
  variables = new Map<string, Value>()
  /** `declare -n a=b` */
  references = new Map<string, string>()
  functions = new Map<string, Definition>()
  aliases = new Map<string, string>()
  /** `exec 3<<<text` */
  descriptors = new Map<string, CodeSource>()
  /** Content that the text wrote to files, by path. */
  files = new Map<string, CodeSource>()
  /** Files that the text copied or moved: the path of the original, by the path of the copy. */
  copies = new Map<string, string>()
  exported: ReadonlyMap<string, Word> = NO_ENV
  /** Undefined when they are unknown. */
  positional: readonly Field[] | undefined
  cwd: string | undefined
  previousCwd: string | undefined
  folders: (string | undefined)[] = []
  readonly home: string

  constructor(cwd: string | undefined, home: string) {
    this.cwd = cwd
    this.home = home
  }

  /** A copy for a subshell. Changes to it do not change this scope. */
  copy(): Scope {
    const copy = new Scope(this.cwd, this.home)
    copy.variables = new Map(this.variables)
    copy.references = this.references.size ? new Map(this.references) : copy.references
    copy.functions = this.functions.size ? new Map(this.functions) : copy.functions
    copy.aliases = this.aliases.size ? new Map(this.aliases) : copy.aliases
    copy.descriptors = this.descriptors.size ? new Map(this.descriptors) : copy.descriptors
    // Files are shared by all shells.
    copy.files = this.files
    copy.copies = this.copies
    copy.exported = this.exported
    copy.positional = this.positional
    copy.previousCwd = this.previousCwd
    copy.folders = this.folders.slice()
    return copy
  }

  get(name: string): Value | undefined {
    return this.variables.get(this.target(name))
  }

  set(name: string, value: Value): void {
    this.variables.set(this.target(name), value)
  }

  /** Content that the text wrote to a file or descriptor. */
  readFile(path: string): CodeSource | undefined {
    const descriptor = /^\/dev\/fd\/(\d+)$/.exec(path)?.[1] ?? /^\/proc\/self\/fd\/(\d+)$/.exec(path)?.[1]
    if (descriptor !== undefined) return this.descriptors.get(descriptor)
    return this.files.size > 0 ? this.files.get(resolvePath(this.cwd, path)) : undefined
  }

  /** The file on disk that a path has the content of, after `cp` and `mv` of the text. */
  copyOf(path: string): string {
    return this.copies.size === 0 ? path : (this.copies.get(resolvePath(this.cwd, path)) ?? path)
  }

  /** Exports a variable to the programs that follow. */
  export(name: string, word: Word): void {
    this.exported = new Map(this.exported).set(name, word)
  }

  /** Merges branches that may have run: a variable has all their values, the folder is known only if it is the same. */
  mergeBranches(branches: readonly Scope[]): void {
    const names = new Set(branches.flatMap((branch) => [...branch.variables.keys()]))
    for (const name of names) {
      const values = branches.map((branch) => branch.variables.get(name)).filter((value) => value !== undefined)
      const merged = mergeValues(values)
      if (merged) this.variables.set(name, merged)
    }
    const [first, ...rest] = branches
    if (!first) return
    this.cwd = rest.every((branch) => branch.cwd === first.cwd) ? first.cwd : undefined
    for (const branch of branches) this.adopt(branch)
  }

  // Functions and aliases of a branch count as defined, because the branch may run.
  private adopt(branch: Scope): void {
    for (const [name, definition] of branch.functions) this.functions.set(name, definition)
    for (const [name, alias] of branch.aliases) this.aliases.set(name, alias)
    for (const [name, feed] of branch.descriptors) this.descriptors.set(name, feed)
    if (branch.exported.size > 0 && branch.exported !== this.exported) {
      this.exported = new Map([...this.exported, ...branch.exported])
    }
    this.positional ??= branch.positional
  }

  private target(name: string): string {
    if (this.references.size === 0) return name
    let target = name
    for (let hops = 0; hops < 8; hops++) {
      const next = this.references.get(target)
      if (next === undefined) return target
      target = next
    }
    return target
  }
}

/** One value with several alternatives. */
export function mergeValues(values: readonly Value[]): Value | undefined {
  const flat = values.flatMap((value) => [value, ...(value.others ?? [])])
  const distinct = flat.filter((value, index) => flat.findIndex((other) => isSame(other, value)) === index)
  const [first, ...others] = distinct
  if (!first) return undefined
  return { ...first, others: others.length > 0 ? others.slice(0, MAX_OTHERS) : undefined }
}

function isSame(one: Value, other: Value): boolean {
  return one.text === other.text && one.isKnown === other.isKnown && one.items === other.items
}
