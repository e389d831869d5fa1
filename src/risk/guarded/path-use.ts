// The paths in the arguments of a command, and the kinds of use.

import type { Call } from '../call.ts'
import type { Word } from '../shell/execution.ts'

/**
 * - `list`: only its name, its size or the names in it.
 * - `read`: its contents.
 * - `copy`: its whole content is copied to another path.
 * - `create`: a folder is created.
 * - `write`: it is written; the old content is lost.
 * - `fill`: unnamed files are written into it.
 * - `delete`: it is deleted, moved or hidden by a mount.
 * - `replace`: another file replaces it.
 * - `mode`: its permissions or owner change.
 * - `alias`: a link to it is created.
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

/** A path in a command, and its use. */
export interface PathUse {
  readonly kind: PathUseKind
  readonly file: Word
  /** The change includes everything in a folder. */
  readonly isDeep?: boolean | undefined
}

/** The paths that an argument may contain: the argument, the value of `--option=path`, the parts of `a:b`, `@file`, `-Cpath`. */
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

/** The argument of an option: `-d dir`, `-ddir`, `--directory dir`, `--directory=dir`. */
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

/** The paths in a text, with the span of the text. */
export function pathsInText(text: string, span: Word['span']): Word[] {
  const matches = text.slice(0, MAX_TEXT).replace(HOME_OF_OTHERS, '~').match(EMBEDDED) ?? []
  return matches.slice(0, 50).map((path) => ({ text: path, isKnown: true, isGlob: /[*?[]/.test(path), span }))
}
