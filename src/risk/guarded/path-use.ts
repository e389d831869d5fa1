// The paths in the arguments of a command, and what can happen to a path.

import type { Call } from '../call.ts'
import type { Word } from '../shell/execution.ts'

/**
 * - `list`: only its name, its size or the names in it.
 * - `read`: its contents.
 * - `copy`: everything in it is read and put elsewhere.
 * - `create`: a folder is made there.
 * - `write`: it is written, and what it held is gone.
 * - `fill`: files that are not named are written into it.
 * - `delete`: it is deleted, moved away or covered.
 * - `replace`: something else takes its place.
 * - `mode`: its permissions or its owner change.
 * - `alias`: another name leads to it afterwards.
 * - `unknown`: anything.
 */
export type PathUseKind =
  | 'list'
  | 'read'
  | 'copy'
  | 'create'
  | 'write'
  | 'fill'
  | 'delete'
  | 'replace'
  | 'mode'
  | 'alias'
  | 'unknown'

/** A path that a command names, and what happens with it. */
export interface PathUse {
  readonly kind: PathUseKind
  readonly file: Word
  /** The change also concerns everything in a folder. */
  readonly isDeep?: boolean | undefined
}

/** The paths that an argument may hold: all of it, the value of `--option=path`, the parts of `a:b`, `@file`, `-Cpath`. */
export function pathsInWord(word: Word): Word[] {
  const { text } = word
  const first = text.charCodeAt(0)
  if (first === 45) return optionPaths(word)
  if (/\s/.test(text) && first !== 47 && first !== 126) return []
  if (!/[=:,@]/.test(text)) return text === '' ? [] : [word]
  const parts = text.split(/[=:,@]+/).filter((part) => part !== '' && part !== text)
  const file = text.startsWith('file://') ? [text.replace(/^file:\/\/(?:localhost)?/, '')] : []
  return [word, ...[...parts, ...file].map((part) => ({ ...word, text: part }))]
}

function optionPaths(word: Word): Word[] {
  const { text } = word
  const equals = text.indexOf('=')
  if (equals > 0) return pathsInWord({ ...word, text: text.slice(equals + 1) })
  const rest = text.slice(2)
  return text.charCodeAt(1) !== 45 && /[/~$]/.test(rest) ? pathsInWord({ ...word, text: rest }) : []
}

/** The argument of an option, however it is attached: `-d dir`, `-ddir`, `--directory dir`, `--directory=dir`. */
export function findOptionArgument(call: Call, names: readonly string[]): Word | undefined {
  const { args } = call.command
  for (const [index, word] of args.entries()) {
    const name = names.find((one) => word.text.startsWith(one))
    if (name === undefined) continue
    if (word.text === name) return args[index + 1]
    const rest = word.text.slice(name.length)
    if (name.startsWith('--') ? rest.startsWith('=') : true)
      return { ...word, text: name.startsWith('--') ? rest.slice(1) : rest }
  }
  return undefined
}

const EMBEDDED = /(?:~|\$HOME|\$\{HOME\}|\/)[^\s'"`;|&()<>,\]}]*/g
// The home in Tcl, make, Perl, PowerShell and Nushell.
const HOME_OF_OTHERS = /\$(?:(?:::)?env\(HOME\)|\(HOME\)|ENV\{["']?HOME["']?\}|env:HOME\b|env\.HOME\b)/gi
const MAX_TEXT = 20_000

/** The paths that stand in a text, at its place. */
export function pathsInText(text: string, span: Word['span']): Word[] {
  const matches = text.slice(0, MAX_TEXT).replace(HOME_OF_OTHERS, '~').match(EMBEDDED) ?? []
  return matches.slice(0, 50).map((path) => ({ text: path, isKnown: true, isGlob: /[*?[]/.test(path), span }))
}
