// Gemini CLI accepts system settings only from a file that only root can write, checked up to the root of
// the file system. It silently ignores other files, so a run that relies on them would be unsupervised.

import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/** The first part of a path, from the file upwards, that another user than root can write; undefined if there is none. */
export function findPartNotOwnedByRoot(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path)
    if (uid !== 0 || (mode & WRITABLE_BY_OTHERS) !== 0) return path
    if (path === dirname(path)) return undefined
  }
}
