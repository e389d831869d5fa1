// The types of process-figures.mjs for tests. Written by hand: the benches run as they are, without a build.

export interface ProcessFigures {
  readonly rssMb: number
  /** After a collection. */
  readonly heapMb: number
  readonly externalMb: number
  readonly descriptors: number
  /** Descriptors of `arc.db` itself. */
  readonly databases: number
  /** inotify watches. */
  readonly watches: number
  readonly timers: number
  readonly children: number
}

export function probeOptions(folder: string): {
  readonly nodeArgs: readonly string[]
  readonly env: Readonly<Record<string, string>>
}

export function readFigures(pid: number, folder: string): Promise<ProcessFigures>
