// Lists the files of a project that a shell pattern matches, up to a limit.

import { readdirSync } from 'node:fs'
import { dirname, join, sep } from 'node:path'
import { compileGlob } from '../../engine/glob.ts'

const MAX_LOOKED = 20_000
const MAX_MATCHED = 500

/** The matching files, sorted; undefined when the pattern leaves the folder or matches too many files. */
export function matchFiles(pattern: string, within: string): string[] | undefined {
  const fixed = pattern.slice(0, pattern.search(/[*?[{$`(]/))
  const root = fixed.endsWith(sep) ? fixed.slice(0, -1) : dirname(fixed)
  if (/[$`]/.test(pattern) || !(root === within || root.startsWith(within + sep))) return undefined
  const matches = compilePattern(pattern.slice(root.length + 1))
  if (matches === undefined) return undefined
  const deep = pattern.includes('**') ? Number.POSITIVE_INFINITY : pattern.slice(root.length + 1).split('/').length
  const found: string[] = []
  let looked = 0
  const visit = (folder: string, prefix: string, depth: number): boolean => {
    for (const entry of listEntries(folder)) {
      if (++looked > MAX_LOOKED || found.length > MAX_MATCHED) return false
      const name = prefix + entry.name
      if (entry.isDirectory() && entry.name !== '.git') {
        if (depth < deep && !visit(join(folder, entry.name), `${name}/`, depth + 1)) return false
      } else if (matches(name)) found.push(join(folder, entry.name))
    }
    return true
  }
  return visit(root, '', 1) ? found.sort() : undefined
}

function compilePattern(pattern: string): ((text: string) => boolean) | undefined {
  try {
    return compileGlob(pattern)
  } catch {
    // The pattern is not supported.
    return undefined
  }
}

function listEntries(folder: string) {
  try {
    return readdirSync(folder, { withFileTypes: true })
  } catch {
    // Missing or unreadable: nothing matches.
    return []
  }
}
