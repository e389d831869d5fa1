// Agents that answer one prompt from stdin and exit. The arguments are facts of each host.

import { basename } from 'node:path'
import { HOSTS } from './list.ts'

/** The hosts with a headless command. */
export const HEADLESS_HOSTS: readonly string[] = Object.values(HOSTS)
  .filter(({ headless }) => headless !== undefined)
  .map(({ name }) => name)

/**
 * The arguments with which a program answers one prompt; undefined for an unknown program.
 * @example
 * headlessArgs('/usr/local/bin/claude') // ['-p']
 */
export function headlessArgs(program: string): readonly string[] | undefined {
  const name = basename(program).replace(/\.(?:exe|cmd)$/i, '')
  return Object.values(HOSTS).find((host) => host.program === name)?.headless
}
