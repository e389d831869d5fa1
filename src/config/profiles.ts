// Which profiles there are, by the names of their files. Reads no file.

import { readdirSync } from 'node:fs'
import { basename, extname } from 'node:path'
import { EXTENSIONS } from './parse.ts'

/** The names of the profiles in a directory, sorted; none when it cannot be read. */
export function listProfiles(dir: string): readonly string[] {
  try {
    const files = readdirSync(dir).filter((file) => (EXTENSIONS as readonly string[]).includes(extname(file)))
    return [...new Set(files.map((file) => basename(file, extname(file))))].sort()
  } catch {
    // Whoever reads a profile from there reports why it cannot be read.
    return []
  }
}
