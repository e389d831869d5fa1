// Folders of the tests. test/file-setup.ts removes them when the tests of a file are over, whether they passed or not.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

const folders: string[] = []

/** Makes a folder whose name begins with `prefix`, and gives its real path. */
export function makeTempFolder(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  folders.push(folder)
  return folder
}

/** Removes all folders that this process made. */
export function removeTempFolders(): void {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
}
