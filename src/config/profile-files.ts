// Which profiles there are, by the names of their files. Reads no file.

import { lstatSync, readdirSync } from 'node:fs'
import { basename, extname, join } from 'node:path'
import { EXTENSIONS } from './extensions.ts'

/** The names of the profiles in a directory, sorted; none when it cannot be read. */
export function listProfiles(dir: string): readonly string[] {
  try {
    const files = readdirSync(dir).filter((file) => (EXTENSIONS as readonly string[]).includes(extname(file)))
    return [...new Set(files.map((file) => basename(file, extname(file))))].sort()
  } catch {
    // The reader of a profile reports why it cannot be read.
    return []
  }
}

/** What a profile's name may be, in words. */
export const PROFILE_NAME = `A profile's name is at most 64 letters (a to z), digits, ".", "_" and "-", not beginning with "." or "-"`

/** Can a profile have this name? It is the name of a file, so it must not lead out of its folder, hide or look like an option. */
export function isProfileName(name: string): boolean {
  return /^\w[\w.-]{0,63}$/.test(name)
}

/** The files of a profile, the one that applies first. */
export function profileFiles(dir: string, name: string): readonly string[] {
  return findVariants(join(dir, name))
}

/** The files that a path without its ending may mean, the one in force first; links that lead nowhere too. */
export function findVariants(stem: string): readonly string[] {
  const files = EXTENSIONS.map((extension) => `${stem}${extension}`)
  return files.filter((file) => lstatSync(file, { throwIfNoEntry: false }) !== undefined)
}
