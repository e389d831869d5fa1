// Folders of the tests: each is removed when its file's tests are over, whether they passed or not.

import { mkdtempSync, realpathSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll } from 'vitest'

const folders: string[] = []

// Registered while the test file is collected, so before its own hooks; those run first, in reverse order, and close what
// they opened in here.
afterAll(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
})

/** Makes a folder whose name begins with `prefix`, and gives its real path. */
export function makeTempFolder(prefix: string): string {
  const folder = realpathSync(mkdtempSync(join(tmpdir(), prefix)))
  folders.push(folder)
  return folder
}
