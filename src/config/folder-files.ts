// All files of a folder, bounded: for hooks that may run any of them.

import { type Dirent, readdirSync, statSync } from 'node:fs'
import { join } from 'node:path'

const MAX_FILES = 5_000
const MAX_BYTES = 64 * 1024 * 1024

/** The files of a folder, or why they are too many. The folder .git is skipped. */
export function listFolderFiles(dir: string): { readonly files: readonly string[]; readonly tooLarge?: string } {
  const files: string[] = []
  const waiting = [dir]
  let bytes = 0
  for (let folder = waiting.pop(); folder !== undefined; folder = waiting.pop()) {
    for (const entry of readEntries(folder)) {
      const path = join(folder, entry.name)
      if (entry.isDirectory()) {
        if (path !== join(dir, '.git')) waiting.push(path)
        continue
      }
      bytes += statSync(path, { throwIfNoEntry: false })?.size ?? 0
      files.push(path)
      if (files.length > MAX_FILES) return { files: [], tooLarge: `has more than ${MAX_FILES} files` }
      if (bytes > MAX_BYTES) return { files: [], tooLarge: `is larger than ${MAX_BYTES / 1024 / 1024} MiB` }
    }
  }
  return { files }
}

function readEntries(folder: string): readonly Dirent[] {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Not readable for this user, so a hook of theirs cannot read it either.
    return []
  }
}
