// Looks right before a project's hook runs whether its files are still those that were trusted: watching notices a change
// only a moment later. What happens between this look and the start of the program is not covered.

import { type BigIntStats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LoadedProject } from '../config/load.ts'
import { fingerprint } from '../config/trust.ts'
import { Failure } from '../engine/degradation.ts'
import type { Handler } from '../engine/hook.ts'
import { findExecutedFiles } from './executed-files/collect-files.ts'

/** Are the files of a project's hooks those that were trusted? */
export type IsUnchanged = () => boolean

/** The check for a project as it was loaded. */
export function trustCheck(project: LoadedProject): IsUnchanged {
  let known: string | undefined
  // New files count where any file may run, and those cannot be seen in the known ones.
  const canCompare = project.unfollowed.length === 0 && !project.hasPatterns
  return () => {
    // Taken before the files are read: what changes meanwhile is seen the next time.
    const stamp = canCompare ? readStamp(project) : undefined
    if (stamp !== undefined && stamp === known) return true
    const isSame = fingerprint(project, findExecutedFiles).hash === project.hash
    known = isSame ? stamp : undefined
    return isSame
  }
}

/** A handler that does not run once a file of its project has changed. */
export function whileTrusted(handler: Handler, isUnchanged: IsUnchanged): Handler {
  const { timeoutMs, overtimeMs, onError, dispose } = handler as Handler & { dispose?: () => void }
  const checked: Handler = (step, context) => {
    if (isUnchanged()) return handler(step, context)
    return new Failure('start', 'a file that it runs was changed after the project was trusted; arc trust shows it')
  }
  const settings = { timeoutMs, overtimeMs, onError, dispose }
  return Object.assign(checked, Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)))
}

// Size and times of each file and of its folder; the time of the last change cannot be set by a program.
function readStamp({ files }: LoadedProject): string {
  const paths = new Set(files.flatMap(({ file, target }) => [file, dirname(file), ...(target ? [target] : [])]))
  const parts = [...paths].map((path) => {
    const stats: BigIntStats | undefined = tryStat(path)
    return stats === undefined ? '-' : `${stats.ino} ${stats.size} ${stats.mtimeNs} ${stats.ctimeNs}`
  })
  return parts.join('\n')
}

function tryStat(path: string): BigIntStats | undefined {
  try {
    return statSync(path, { bigint: true, throwIfNoEntry: false })
  } catch {
    // Not to be reached: that is a state of its own.
    return undefined
  }
}
