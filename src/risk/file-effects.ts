// The files that a call would read, overwrite or delete, with resolved paths: the same list for commands, scripts on disk,
// code of other languages and tools that write.

import type { Access } from './access.ts'
import type { Call } from './call.ts'
import { classifyPath } from './path-class.ts'
import type { Facts } from './rule.ts'
import type { CommandLocation, Word } from './shell/execution.ts'

/** One file or folder that a call touches. */
export interface FileEffect {
  /** `copy`: its content is copied elsewhere. A move deletes the old path and overwrites the new one. */
  readonly kind: 'read' | 'overwrite' | 'append' | 'delete' | 'copy'
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

/** Adds the originals of `cp`. */
export function addCopies(effects: FileEffect[], { name, operands, command }: Call, facts: Facts): void {
  if (name !== 'cp' || operands.length < 2) return
  for (const file of operands.slice(0, -1)) {
    const { cwd, location } = command
    const { path } = classifyPath(file, cwd, facts, location)
    if (effects.length < MAX_EFFECTS) effects.push({ ...describe(path, file), kind: 'copy', by: name, location })
  }
}

function describe(path: string, { isGlob }: Word): Pick<FileEffect, 'path' | 'isResolved' | 'isPattern'> {
  return { path, isResolved: path.startsWith('/') && !/[$`]/.test(path), isPattern: isGlob }
}

/** Adds an access as an effect. At most 500 are listed. */
export function addFileEffect(effects: FileEffect[], access: Access, facts: Facts): void {
  if (effects.length >= MAX_EFFECTS) return
  const { file, cwd, location, by, kind, isAppend } = access
  const { path } = classifyPath(file, cwd, facts, location)
  effects.push({
    ...describe(path, file),
    kind: kind === 'write' ? (isAppend ? 'append' : 'overwrite') : kind,
    by,
    location,
  })
}
