// Unit tests start no process: each function that would start a process throws. A test that needs a process goes into a file
// named *.process.test.ts.

import { createRequire, syncBuiltinESMExports } from 'node:module'

const STARTERS = ['exec', 'execFile', 'execFileSync', 'execSync', 'fork', 'spawn', 'spawnSync'] as const

const childProcess = createRequire(import.meta.url)('node:child_process') as Record<string, unknown>
for (const name of STARTERS) childProcess[name] = refuse(name)
syncBuiltinESMExports()

function refuse(name: string): (command: unknown) => never {
  return (command) => {
    throw new Error(
      `a unit test must not start a process (${name} ${String(command)}): name its file *.process.test.ts`,
    )
  }
}
