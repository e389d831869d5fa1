// The releases of the agents themselves: what their programs are called, and how one release stands to another. Pure; the
// programs are run by whoever asks.

import type { HostName } from './host.ts'

/** What is run with `--version`; undefined where there is nothing to run. */
export const CLIENT_PROGRAMS: Readonly<Record<HostName, string | undefined>> = {
  claude: 'claude',
  codex: 'codex',
  gemini: 'gemini',
  qwen: 'qwen',
  copilot: 'copilot',
  cline: 'cline',
  opencode: 'opencode',
  cursor: undefined,
}

/** The release in what a program prints about itself: `codex-cli 0.166.0`, `2.1.325 (Claude Code)`. */
export function readVersion(text: string): string | undefined {
  return /(?:^|[^\d.])(\d{1,9}\.\d{1,9}\.\d{1,9})(?![\d.]*\d)/.exec(text)?.[1]
}

/** How a release stands to the one that an adapter was checked with. */
export type Standing = 'same' | 'older' | 'newer' | 'other'

/** `other` is one whose first number differs: its hooks may be others altogether. */
export function standingOf(version: string, verified: string): Standing {
  const [mine, theirs] = [version, verified].map((text) => text.split('.').map(Number)) as [number[], number[]]
  if (mine[0] !== theirs[0]) return 'other'
  for (const [at, part] of mine.entries()) {
    const difference = part - (theirs[at] ?? 0)
    if (difference !== 0) return difference < 0 ? 'older' : 'newer'
  }
  return 'same'
}
