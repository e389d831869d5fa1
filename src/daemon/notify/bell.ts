// Rings the bell of the terminal in which an agent runs.

import { closeSync, constants, openSync, writeSync } from 'node:fs'
import { openProcessTable, ttyName } from '../../guard/process-table.ts'

const BELL = '\u0007'
// Never waits for a terminal, and never gets one.
const FLAGS = constants.O_WRONLY | constants.O_NOCTTY | constants.O_NONBLOCK

/** Rings the bell of the terminal of a process; does nothing where the process has no terminal that can be found. */
export function ringBell(pid: number | undefined): void {
  const device = pid === undefined ? undefined : findTerminal(pid)
  if (device === undefined) return
  const file = openSync(device, FLAGS)
  try {
    writeSync(file, BELL)
  } finally {
    closeSync(file)
  }
}

function findTerminal(pid: number): string | undefined {
  if (process.platform !== 'linux') return undefined
  const name = ttyName(openProcessTable()?.read(pid)?.tty ?? 0)
  return name?.startsWith('pts/') === true ? `/dev/${name}` : undefined
}
