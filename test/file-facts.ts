// Facts about files that a test makes up: contents by path, and what the project or the agent wrote.

import type { FileContent, FileFacts } from '../src/risk/facts.ts'

export interface FakeFiles {
  readonly files: Readonly<Record<string, string | FileContent>>
  /** Under version control and unchanged. */
  readonly isProjects?: boolean
  readonly facts?: Partial<FileFacts>
}

/** Facts from memory. */
export function fakeFacts({ files, isProjects = false, facts }: FakeFiles): FileFacts {
  const has = (path: string) => Object.hasOwn(files, path)
  return {
    exists: has,
    size: (path) => (typeof files[path] === 'string' ? files[path].length : undefined),
    isTracked: () => isProjects,
    isClean: () => isProjects,
    changedInSession: () => !isProjects,
    isOwnEdit: () => false,
    isCopied: () => false,
    findChanges: () => undefined,
    refExists: () => undefined,
    read: (path) => {
      const found = files[path]
      return typeof found === 'string' ? { text: found } : (found ?? { why: 'missing' })
    },
    ...facts,
  }
}
