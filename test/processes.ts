// Finds processes by a variable of the environment that they were started with: their descendants carry it too, also those
// that left the process group or lost their parent.

import { type FoundProcess, findProcesses as findAll } from '../bench/chaos/processes.mjs'

/** Those whose environment has this `NAME=value`, except this process and the workers of vitest. Nothing where there is no /proc. */
export function findProcesses(variable: string): FoundProcess[] {
  return findAll(variable).filter(({ command }) => !/\bvitest\b.*\bworkers\b/.test(command))
}
