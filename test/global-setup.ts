// Gives the tests an environment that is the same on every machine, and fails a run that leaves a folder or a process behind.

import { chmodSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { cleanEnvironment } from './clean-environment.ts'
import { findProcesses } from './processes.ts'

export default function setup(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'arc-tests-'))
  // With the permissions of the system's own: tests that run as another user must be able to enter.
  chmodSync(folder, 0o1777)
  cleanEnvironment(folder)
  return async () => {
    const folders = readdirSync(folder)
      .filter((name) => name.startsWith('arc-'))
      .map(describeFolder(folder))
    if (existsSync(join(folder, 'home', '.arc'))) folders.push('home/.arc: a test ran without an ARC_HOME')
    const processes = await leftProcesses(folder)
    rmSync(folder, { recursive: true, force: true, maxRetries: 10 })
    const left = [...folders.map((name) => `folder ${name}`), ...processes]
    if (left.length === 0) return
    process.exitCode = 1
    throw new Error(`The tests left behind (see test/temp-folder.ts):\n  ${left.join('\n  ')}`)
  }
}

// A process that was asked to end may need a moment.
async function leftProcesses(folder: string): Promise<string[]> {
  for (let tries = 0; ; tries++) {
    const found = findProcesses(`TMPDIR=${folder}`)
    if (found.length === 0 || tries === 40) return found.map(({ pid, command }) => `process ${pid} ${command}`)
    await new Promise((resolve) => setTimeout(resolve, 250))
  }
}

// The files in a folder tell which test made it.
function describeFolder(parent: string): (name: string) => string {
  return (name) => {
    const files = readdirSync(join(parent, name), { recursive: true }).slice(0, 8)
    return `${name} (${files.join(', ')})`
  }
}
