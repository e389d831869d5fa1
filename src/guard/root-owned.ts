// Gemini CLI takes system settings only from a file that nobody but root could have written, checked up to the root of
// the file system; from others it runs on without them. So does a run that would be supervised by them.

import { lstatSync } from 'node:fs'
import { dirname } from 'node:path'

const WRITABLE_BY_OTHERS = 0o022

/** The first part of a path, from the file upwards, that is not root's alone; nothing when all of them are. */
export function findPartNotOwnedByRoot(file: string): string | undefined {
  for (let path = file; ; path = dirname(path)) {
    const { uid, mode } = lstatSync(path)
    if (uid !== 0 || (mode & WRITABLE_BY_OTHERS) !== 0) return path
    if (path === dirname(path)) return undefined
  }
}
