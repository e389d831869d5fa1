// Who holds the place of the daemon of a home, by the note in its folder: without a question to it, so that a hook can look.

import { readFileSync } from 'node:fs'
import { isRecord } from '../core/plain-data.ts'
import { isAlive } from './firings.ts'
import { pidFile } from './places.ts'

/** Who runs. */
export interface DaemonNote {
  readonly pid: number
  readonly url?: string | undefined
  readonly startedAt: number
  /** A hook started it: it ends by itself, and gives way to a person. */
  readonly isOnDemand?: boolean | undefined
}

/** The daemon whose process lives, whether or not it answers. */
export function holderOf(home: string): DaemonNote | undefined {
  const note = readNote(home)
  return note !== undefined && isAlive(note.pid) && isDaemon(note.pid) ? note : undefined
}

/** What the note of a home says. */
export function readNote(home: string): DaemonNote | undefined {
  return readNoteIn(pidFile(home))
}

/** The same for a note in any place. */
export function readNoteIn(file: string): DaemonNote | undefined {
  try {
    const note: unknown = JSON.parse(readFileSync(file, 'utf8'))
    return isRecord(note) && typeof note.pid === 'number' ? (note as unknown as DaemonNote) : undefined
  } catch {
    // None, or one that was never finished: then nobody is known.
    return undefined
  }
}

/** Is this process a daemon? The number of a dead one is given to others. Where nothing tells, it counts as one. */
export function isDaemon(pid: number): boolean {
  try {
    return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes('serve')
  } catch {
    return process.platform !== 'linux'
  }
}
