// Types of processes.mjs, for the tests.

/** A process that runs. */
export interface FoundProcess {
  readonly pid: number
  readonly command: string
}

export function findProcesses(variable: string): FoundProcess[]
