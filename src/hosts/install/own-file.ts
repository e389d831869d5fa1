// A file that is ARC's from its first byte to its last: made, kept up to date and taken away as a whole.

import type { InstallFile, InstallOptions } from './install-file.ts'

/** By this line a file is known as ARC's. */
export const OWN_MARK = 'Written by arc install; arc uninstall removes it.'

/** A file of ours. One of the same name that is not ours is left alone, and refused. */
export function ownFile(path: string, content: (options: InstallOptions) => string, mode?: number): InstallFile {
  return {
    path,
    ...(mode === undefined ? {} : { mode }),
    has: isOwn,
    add: (text, options) => (text === undefined || isOwn(text) ? content(options) : FOREIGN),
    remove: (text) => (isOwn(text) ? undefined : text),
  }
}

/** Is this a file that ARC wrote? */
export function isOwn(text: string): boolean {
  return text.includes(OWN_MARK)
}

const FOREIGN = {
  line: 1,
  column: 1,
  message: 'There is a file of this name that ARC did not write. Move it or rename it, and install again.',
}
