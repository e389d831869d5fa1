// Checks right before a project's hook runs that its files are unchanged since they were trusted; the file watcher
// notices a change only later. A change between this check and the start of the program is not detected.

import { type BigIntStats, statSync } from 'node:fs'
import { dirname } from 'node:path'
import type { LoadedProject } from '../config/load.ts'
import { fingerprint } from '../config/trust.ts'
import { Failure } from '../engine/degradation.ts'
import type { Handler } from '../engine/hook.ts'
import { findExecutedFiles } from './executed-files/collect-files.ts'

/** Whether the files of a project's hooks are unchanged since they were trusted. */
export type IsUnchanged = () => boolean

/** The check for a loaded project. */
export function trustCheck(project: LoadedProject): IsUnchanged {
  let known: string | undefined
  // Where any file may run, new files count too, and the known files do not show them.
  const canCompare = project.unfollowed.length === 0 && !project.hasPatterns
  return () => {
    // Taken before the files are read: a change meanwhile is detected the next time.
    const stamp = canCompare ? readStamp(project) : undefined
    if (stamp !== undefined && stamp === known) return true
    const isSame = fingerprint(project, findExecutedFiles).hash === project.hash
    known = isSame ? stamp : undefined
    return isSame
  }
}

/** A handler that fails once a file of its project has changed. */
export function whileTrusted(handler: Handler, isUnchanged: IsUnchanged): Handler {
  const { timeoutMs, overtimeMs, onError, dispose } = handler as Handler & { dispose?: () => void }
  const checked: Handler = (step, context) => {
    if (isUnchanged()) return handler(step, context)
    return new Failure('start', 'a file of this hook changed after the project was trusted; see arc trust')
  }
  const settings = { timeoutMs, overtimeMs, onError, dispose }
  return Object.assign(checked, Object.fromEntries(Object.entries(settings).filter(([, value]) => value !== undefined)))
}

// Size and times of each file and its folder; a program cannot set the change time (ctime).
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
    // An unreachable path counts as its own state.
    return undefined
  }
}
