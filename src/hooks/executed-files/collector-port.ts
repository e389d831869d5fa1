// The collector of executed files as its readers see it. Types only: the readers of languages, make and packages call
// the collector through this interface and never import it.

/** A language whose code is read; `other` is code that is not read, `none` is no code. */
export type FileLanguage = 'shell' | 'javascript' | 'python' | 'other' | 'none'

/** Where a piece of code is and runs. */
export interface CodeLocation {
  /** The folder that the code would run in. */
  readonly cwd: string
  /** The file that contains the code. */
  readonly file?: string | undefined
  readonly depth: number
}

/** A file to read, with its language where the caller knows it. */
export type CodeFile = Omit<CodeLocation, 'file'> & { readonly language?: FileLanguage | undefined }

export interface CollectorPort {
  /** The root of the project. */
  readonly dir: string
  /** Adds a file, and reads it for further files. */
  addFile(file: string, location: CodeFile): void
  /** Adds a file without reading it. */
  coverFile(file: string): void
  /** Reads a shell script for files. */
  readShell(text: string, location: CodeLocation): void
  /** Notes code that cannot be found without running it. */
  noteUnfollowed(what: string): void
  isInProject(file: string): boolean
  /** The path as users read it: relative to the project. */
  displayPath(file: string): string
}
