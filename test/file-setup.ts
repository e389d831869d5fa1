// Runs before each test file. Unit test files share a worker and its modules, so each leaves the process as it found it.

import { afterAll, vi } from 'vitest'
import { removeTempFolders } from './temp-folder.ts'

const environment = { ...process.env }
const folder = process.cwd()

// Registered before the hooks of the file. Hooks run in reverse order: those of the file close what they opened first.
afterAll(() => {
  vi.useRealTimers()
  vi.unstubAllGlobals()
  vi.restoreAllMocks()
  for (const name of Object.keys(process.env)) if (!(name in environment)) delete process.env[name]
  Object.assign(process.env, environment)
  process.chdir(folder)
  removeTempFolders()
})
