// Finds the subreaper of this process, which adopts its orphans. Linux does not show it, so a shell leaves an orphan to find out.

import { execFileSync } from 'node:child_process'
import { readProcess } from './process-table.ts'

const LIMIT_MS = 2_000

/** The pid of the subreaper; undefined when it is unknown. Takes a few milliseconds. */
export function findSubreaper(): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const line = 'sleep 0.5 </dev/null >/dev/null 2>&1 & echo $!'
    const options = { encoding: 'utf8', timeout: LIMIT_MS, env: { PATH: '/usr/bin:/bin' } } as const
    const child = Number(execFileSync('/bin/sh', ['-c', line], options))
    return readProcess(child)?.parent
  } catch {
    // No shell is available.
    return undefined
  }
}
