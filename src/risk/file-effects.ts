// The files that a call would read, overwrite or delete, with resolved paths: the same list for commands, scripts on disk,
// code of other languages and tools that write.

import type { Access } from './access.ts'
import { classifyPath } from './path-class.ts'
import type { Facts } from './rule.ts'
import type { CommandLocation } from './shell/execution.ts'

/** One file or folder that a call touches. */
export interface FileEffect {
  readonly kind: 'read' | 'overwrite' | 'append' | 'delete'
  /** Absolute where `isResolved`; otherwise as written, with variables. */
  readonly path: string
  readonly isResolved: boolean
  /** The path holds wildcards of the shell: all files that match. */
  readonly isPattern: boolean
  /** The program or tool. */
  readonly by: string
  /** Effects in containers and on other machines do not touch this machine's files. */
  readonly location: CommandLocation
}

const MAX_EFFECTS = 500

/** Adds an access as an effect. At most 500 are listed. */
export function addFileEffect(effects: FileEffect[], access: Access, facts: Facts): void {
  if (effects.length >= MAX_EFFECTS) return
  const { file, cwd, location, by, kind, isAppend } = access
  const { path } = classifyPath(file, cwd, facts, location)
  effects.push({
    kind: kind === 'write' ? (isAppend ? 'append' : 'overwrite') : kind,
    path,
    isResolved: path.startsWith('/') && !/[$`]/.test(path),
    isPattern: file.isGlob,
    by,
    location,
  })
}
