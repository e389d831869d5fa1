// How each agent answers one prompt and ends: the prompt on its stdin, its answer alone on stdout. Measured with the
// programs; those that cannot do it so are not here. None of the flags lets an agent do more than it may anyway.

import { basename } from 'node:path'

const HEADLESS: Readonly<Record<string, readonly string[]>> = {
  claude: ['-p'],
  // The last argument says that the prompt is on stdin; a discussion need not be about a repository.
  codex: ['exec', '--skip-git-repo-check', '-'],
  gemini: ['-p', ''],
  // Its -p is on its way out: without a terminal it answers once by itself.
  qwen: [],
  copilot: ['--silent', '--no-color'],
  opencode: ['run'],
}

/** The agents that are known to answer so. */
export const HEADLESS_HOSTS: readonly string[] = Object.keys(HEADLESS)

/**
 * The arguments with which a program answers one prompt; undefined for one that is not known to.
 * @example
 * headlessArgs('/usr/local/bin/claude') // ['-p']
 */
export function headlessArgs(program: string): readonly string[] | undefined {
  const name = basename(program).replace(/\.(?:exe|cmd)$/i, '')
  return Object.hasOwn(HEADLESS, name) ? HEADLESS[name] : undefined
}
