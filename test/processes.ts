// Finds processes by a variable of the environment that they were started with: their descendants carry it too, also those
// that left the process group or lost their parent.

import { readdirSync, readFileSync } from 'node:fs'

/** A process that runs. */
export interface FoundProcess {
  readonly pid: number
  readonly command: string
}

/** Those whose environment has this `NAME=value`, except this process and the workers of vitest. Nothing where there is no /proc. */
export function findProcesses(variable: string): FoundProcess[] {
  return processIds().flatMap((pid) => {
    const environment = readProc(pid, 'environ')
    if (pid === process.pid || !environment.split('\0').includes(variable)) return []
    const command = readProc(pid, 'cmdline').split('\0').join(' ').trim()
    // A zombie has no command line: it has ended, and its parent has not looked yet.
    if (command === '' || /\bvitest\b.*\bworkers\b/.test(command)) return []
    return [{ pid, command }]
  })
}

function processIds(): number[] {
  try {
    return readdirSync('/proc')
      .filter((name) => /^\d+$/.test(name))
      .map(Number)
  } catch {
    // Another system than Linux.
    return []
  }
}

function readProc(pid: number, name: string): string {
  try {
    return readFileSync(`/proc/${pid}/${name}`, 'utf8')
  } catch {
    // It ended meanwhile, or belongs to another user.
    return ''
  }
}
