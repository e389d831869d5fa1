// Which process adopts the orphans of this one. Linux does not show it, so it is tried: a shell leaves a child behind.

import { execFileSync } from 'node:child_process'
import { readProcess } from './process-table.ts'

const LIMIT_MS = 2_000

/** The process that adopts orphans here; undefined where it cannot be told. Takes a few milliseconds. */
export function findSubreaper(): number | undefined {
  if (process.platform !== 'linux') return undefined
  try {
    const line = 'sleep 0.5 </dev/null >/dev/null 2>&1 & echo $!'
    const options = { encoding: 'utf8', timeout: LIMIT_MS, env: { PATH: '/usr/bin:/bin' } } as const
    const child = Number(execFileSync('/bin/sh', ['-c', line], options))
    return readProcess(child)?.parent
  } catch {
    // No shell to try it with.
    return undefined
  }
}
