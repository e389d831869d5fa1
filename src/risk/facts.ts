// What the classifier may ask about files and repositories. A port: the classifier reads no disk itself, and without the
// port it decides by the words of the call alone. An adapter answers at once, within limits, and runs no program.

/** Yes, no, or unknown. Unknown is never taken for a yes that would lower a risk. */
export type FactAnswer = boolean | undefined

/** Why the text of a file is not known. */
export type Unread = 'missing' | 'not-a-file' | 'binary' | 'too-large' | 'unreadable' | 'outside' | 'limit'

/** The text of a file, or why it is not known. */
export type FileContent =
  | { readonly text: string; readonly why?: undefined }
  | { readonly text?: undefined; readonly why: Unread }

/** The answers for one call. All paths are absolute. An adapter counts the questions of the call against its limits. */
export interface FileFacts {
  exists(path: string): FactAnswer
  /** In bytes; undefined if it is unknown. */
  size(path: string): number | undefined
  /** Whether the repository around the file has it under version control. False outside of repositories. */
  isTracked(path: string): FactAnswer
  /** Whether the file has the content that version control has of it. */
  isClean(path: string): FactAnswer
  /** Whether the file changed since the session of this call began, by the agent or by something that it ran. */
  changedInSession(path: string): FactAnswer
  /** Whether every change of the file since its last commit was made by calls of this session. */
  isOwnEdit(path: string): FactAnswer
  /** Whether this session copied the file or stashed the changes of its repository after the last change of the file. */
  isCopied(path: string): FactAnswer
  /** The tracked files at or below the path that differ from version control; undefined if it is unknown. */
  findChanges(path: string): readonly string[] | undefined
  /** Whether the repository of the folder has a branch, tag, remote branch or commit of this name. */
  refExists(folder: string, name: string): FactAnswer
  read(path: string): FileContent
}

/** What is said about a file whose text is not known. */
export const UNREAD_REASONS: Readonly<Record<Unread, string>> = {
  missing: 'does not exist',
  'not-a-file': 'is not a regular file',
  binary: 'is a binary file',
  'too-large': 'is too large to read',
  unreadable: 'cannot be read',
  outside: 'is outside of the project, the home and the temporary folders',
  limit: 'was not read: too many files or too little time',
}
