// Builds what the tests run as a user would (the CLI, the examples), if it is missing or out of date; and sees to it that
// the whole run leaves neither a folder nor a process behind.

import { execFileSync } from 'node:child_process'
import { chmodSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { findProcesses } from './processes.ts'

export default function setup(): () => Promise<void> {
  execFileSync(process.execPath, [fileURLToPath(new URL('../scripts/setup.mjs', import.meta.url))], {
    stdio: 'inherit',
  })
  const folder = mkdtempSync(join(tmpdir(), 'arc-tests-'))
  // As the system's own: tests that run as another user need a way in.
  chmodSync(folder, 0o1777)
  // Every worker and whatever it starts inherit this, so it also marks the processes of this run.
  process.env.TMPDIR = folder
  // What outlives a home is written here, not into the home of the person who runs the tests.
  process.env.XDG_STATE_HOME = join(folder, 'state')
  return async () => {
    const folders = readdirSync(folder)
      .filter((name) => name.startsWith('arc-'))
      .map(describeFolder(folder))
    const processes = await leftProcesses(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    const left = [...folders.map((name) => `folder ${name}`), ...processes]
    if (left.length === 0) return
    process.exitCode = 1
    throw new Error(`The tests left behind (see test/temp-folder.ts):\n  ${left.join('\n  ')}`)
  }
}

// One that was told to end may need a moment.
async function leftProcesses(folder: string): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const found = findProcesses(`TMPDIR=${folder}`)
    if (found.length === 0 || tries === 40) return found.map(({ pid, command }) => `process ${pid} ${command}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

// What is in it tells which test made it.
function describeFolder(parent: string): (name: string) => string {
  return (name) => {
    const files = readdirSync(join(parent, name), { recursive: true }).slice(0, 8)
    return `${name} (${files.join(', ')})`
  }
}
