import { writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect, it } from 'vitest'
import { makeTempFolder } from '../../test/temp-folder.ts'
import { findPartNotOwnedByRoot } from './root-owned.ts'

it.skipIf(process.platform === 'win32')('knows what only root can write, up to the root of the file system', () => {
  expect(findPartNotOwnedByRoot('/etc/passwd')).toBeUndefined()
})

it.skipIf(process.platform === 'win32')('names the first part that somebody else can write', () => {
  const folder = makeTempFolder('arc-root-only-')
  const file = join(folder, 'settings.json')
  writeFileSync(file, '{}', { mode: 0o666 })
  expect([file, folder, tmpdir(), '/tmp']).toContain(findPartNotOwnedByRoot(file))
})
