// The files that command lines name: every word that is, or could become, a file of the project or beyond.
// Generous on purpose: one file too many asks once more, one too few would let a change through.

import { statSync } from 'node:fs'
import { resolve } from 'node:path'

/** Files that a program reads its commands from without being told. */
const IMPLICIT: Readonly<Record<string, readonly string[]>> = {
  npm: ['package.json'],
  npx: ['package.json'],
  pnpm: ['package.json'],
  yarn: ['package.json'],
  bun: ['package.json'],
  make: ['Makefile', 'makefile', 'GNUmakefile'],
  just: ['justfile', 'Justfile'],
}

/** What a program starts when it is given a directory. */
const ENTRIES = ['index.js', 'index.mjs', 'index.cjs', 'package.json', '__main__.py']

const MAX_FILES = 5_000

/** The paths that these commands name, resolved; existing or not. Nothing when they are too many to follow. */
export function namedFiles(
  dir: string,
  commands: readonly (string | readonly string[])[],
): readonly string[] | undefined {
  const found = new Set<string>()
  for (const command of commands) {
    const words = new Set(
      (typeof command === 'string' ? [command] : command).flatMap((part) => splitWords(part, dir, 0)),
    )
    // `cd scripts && ./check.sh`: a word may be meant from any directory that is named beside it.
    const bases = new Set([dir, ...[...words].map((word) => resolve(dir, word)).filter(isDirectory)])
    if (found.size + words.size * bases.size > MAX_FILES) return undefined
    for (const base of bases) {
      for (const word of words) {
        found.add(resolve(base, word))
        for (const file of (Object.hasOwn(IMPLICIT, word) ? IMPLICIT[word] : undefined) ?? []) {
          found.add(resolve(base, file))
        }
      }
      if (base !== dir) for (const entry of ENTRIES) found.add(resolve(base, entry))
    }
  }
  return [...found]
}

// Words as a shell would see them, roughly: quotes taken off, lines inside quotes taken apart again.
function splitWords(line: string, dir: string, depth: number): string[] {
  const known = line.replace(/\{workspace\}|\$\{?(?:ARC_WORKSPACE|ARCAN_WORKSPACE|PWD)\b\}?/g, () => dir)
  const raw = known.match(/(?:"(?:\\.|[^"\\])*"|'[^']*'|\\.|[^\s;|&()<>`=,"'\\])+/gs) ?? []
  return raw.flatMap((word) => {
    const bare = word.replace(/"((?:\\.|[^"\\])*)"|'([^']*)'|\\(.)/gs, (_all, double, single, escaped) =>
      String(double ?? single ?? escaped ?? '').replace(/\\(.)/gs, '$1'),
    )
    const inner = depth < 3 && /[\s;|&()<>`=,"']/.test(bare) ? splitWords(bare, dir, depth + 1) : []
    return [bare, ...inner].filter((text) => text !== '' && text.length < 1_000 && !/^-|[\0\n]/.test(text))
  })
}

function isDirectory(place: string): boolean {
  try {
    return statSync(place).isDirectory()
  } catch {
    return false
  }
}
