// Versions of the agents' programs: reading and comparing.

/** Finds the version in the output of `--version`: `codex-cli 0.166.0`, `2.1.325 (Claude Code)`. */
export function readVersion(text: string): string | undefined {
  return /(?:^|[^\d.])(\d{1,9}\.\d{1,9}\.\d{1,9})(?![\d.]*\d)/.exec(text)?.[1]
}

/** The order of two versions; `other` for another major version. */
export type VersionOrder = 'same' | 'older' | 'newer' | 'other'

/** Compares a version with the one that an adapter was verified with. Another major version may have other hooks. */
export function compareVersions(version: string, verified: string): VersionOrder {
  const [mine, theirs] = [version, verified].map((text) => text.split('.').map(Number)) as [number[], number[]]
  if (mine[0] !== theirs[0]) return 'other'
  for (const [at, part] of mine.entries()) {
    const difference = part - (theirs[at] ?? 0)
    if (difference !== 0) return difference < 0 ? 'older' : 'newer'
  }
  return 'same'
}
