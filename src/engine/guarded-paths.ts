// What is asked about the paths that belong to the supervision. Types only: src/risk/guarded/path-relation.ts compares paths,
// src/guard/guarded-set.ts knows the real paths of this machine.

/** What a guarded path is. */
export type GuardedKind = 'home' | 'package' | 'node' | 'launcher' | 'host-settings'

/** One guarded file, or folder with everything in it. */
export interface GuardedRoot {
  readonly kind: GuardedKind
  /** Absolute, without `.` and `..`. */
  readonly path: string
  /** The folder that exists for it, such as `~/.claude`: replacing this folder replaces the guarded path. */
  readonly folder?: string | undefined
  /** It is there, so that every folder above it contains it. False for places that may not be used at all. */
  readonly isPresent: boolean
  /** Folders from this one upwards do not count: the project that has an agent's settings in it is worked in. */
  readonly notAbove?: string | undefined
}

/** How a path relates to a guarded one. */
export interface Guarded {
  readonly kind: GuardedKind
  /** The guarded path. */
  readonly root: string
  /** The path that was compared, after links. */
  readonly path: string
  /** The path is the guarded one or inside it; otherwise it contains it. */
  readonly isInside: boolean
  /** It contains the guarded path and exists for it, as `~/.claude` does. */
  readonly isNear: boolean
  /** A file that lets its reader act as a person: the token, the socket, the database. */
  readonly isSecret: boolean
}

/** A process of ARC that is running. */
export interface OwnProcess {
  readonly pid: number
  /** The name that pkill compares. */
  readonly name: string
  readonly commandLine: string
}

/** What the rules ask about the supervision. */
export interface Guard {
  /** What the path has to do with the supervision. `isPattern`: it holds wildcards of the shell. */
  guards(path: string, isPattern?: boolean): Guarded | undefined
  /** The real path of a folder: links on the disk are followed. Absent where nothing is looked up. */
  realFolder?(folder: string): string
  /** May a name lead somewhere else through a link on the disk? */
  readonly followsLinks: boolean
  readonly roots: readonly GuardedRoot[]
  /** Variables of the environment that lead to guarded folders. */
  readonly variables: ReadonlyMap<string, string>
  /** The daemon, when one is running. */
  readonly process?: OwnProcess | undefined
}

/** How paths are compared with the guarded ones. */
export interface GuardedComparison {
  readonly ofPath: (path: string, roots: readonly GuardedRoot[]) => Guarded | undefined
  readonly ofPattern: (pattern: string, roots: readonly GuardedRoot[]) => Guarded | undefined
}
