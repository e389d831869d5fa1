// The checks of `arc doctor` on a host. Types only.

import type { InstallTarget, Texts } from './install/install-file.ts'

/** One check of `arc doctor`. */
export interface Check {
  readonly name: string
  readonly ok: boolean
  readonly detail: string
  /** What to do if the check failed. */
  readonly fix?: string | undefined
}

/** The facts about an installed host. */
export interface HostFacts {
  readonly place: InstallTarget
  /** The files of `pathsToRead` and `pathsToDiagnose`. */
  readonly texts: Texts
  /** The path of `arc` that the host should call. */
  readonly command: string
  /** Is that path executable? */
  readonly isCommandThere: boolean
  /** Is the mode enforce? */
  readonly isEnforced?: boolean | undefined
  /** The version of the installed program, if it could be read. */
  readonly version?: string | undefined
}
