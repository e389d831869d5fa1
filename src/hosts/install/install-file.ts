// The files of an installation: which files hold ARC's hooks, and how the hooks are added and removed. Types only.

import type { TextProblem } from '../../json-text/json-text.ts'

/** Environment variables. */
export type Env = Readonly<Record<string, string | undefined>>

/** Where a host is to be registered. */
export interface InstallTarget {
  readonly scope: 'user' | 'project'
  /** The project's folder, or the user's home. */
  readonly dir: string
  /** For the variables with which hosts move their configuration. */
  readonly env: Env
}

/** The text of each file by its path; undefined where there is none. */
export type Texts = ReadonlyMap<string, string | undefined>

/** What is put into a file. */
export interface InstallOptions {
  /** The absolute path of the installed `arc`. */
  readonly command: string
  /** Should a broken hook stop the action, if the host has a setting for it? */
  readonly failClosed?: boolean | undefined
  /** The events to register that are registered on demand. Those that are registered already stay. */
  readonly onDemand?: readonly string[] | undefined
}

/** Why a file cannot be edited. */
export interface InstallProblem extends TextProblem {
  readonly path: string
}

export type { TextProblem }

/** One file that may hold ARC's part. */
export interface InstallFile {
  readonly path: string
  /** The mode of a new file, where it matters. */
  readonly mode?: number
  /** Is any of ARC's part in it? */
  has(text: string): boolean
  /** The text with ARC's part in it, just as before where that is there already. */
  add(text: string | undefined, options: InstallOptions): string | TextProblem
  /** The text without ARC's part; undefined when nothing is left that anybody would miss. */
  remove(text: string): string | undefined | TextProblem
  /** The path of `arc` that the text names, to tell whether anything else changed since. */
  commandIn?(text: string): string | undefined
  /** The events with ARC's lines. */
  eventsIn?(text: string): readonly string[]
}

/** How one host is installed. */
export interface HostInstall {
  /** Every file that may hold ARC's part at this place. */
  files(place: InstallTarget): readonly InstallFile[]
  /** Other files that the choice depends on. */
  alsoRead?(place: InstallTarget): readonly string[]
  /** Those to put it into, given what is there; all of them when not given. */
  choose?(place: InstallTarget, texts: Texts): readonly InstallFile[] | InstallProblem
  /** What the user has to do or know next. */
  next(place: InstallTarget): string
}
