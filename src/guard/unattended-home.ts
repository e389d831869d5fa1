// The file that marks a home without confirmations, made by `arc init --confirm none` for scripts and tests. It lists
// the processes that created the home, so that they do not count as supervised agents.

import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { isRecord } from '../engine/plain-data.ts'
import { agentVariables, type HomeCreator, readAncestors } from './human-caller.ts'
import { isProcessManager } from './known-programs.ts'
import { openProcessTable } from './process-table.ts'
import { findSubreaper } from './subreaper.ts'

/** The path of the file. */
export function confirmFile(home: string): string {
  return join(home, 'confirm.json')
}

/** The creator of an unattended home; undefined when the home needs confirmations. */
export function readUnattendedHome(home: string): HomeCreator | undefined {
  try {
    const found: unknown = JSON.parse(readFileSync(confirmFile(home), 'utf8'))
    if (!isRecord(found) || found.confirm !== 'none') return undefined
    const processes = Array.isArray(found.processes) ? found.processes.filter(isProcess) : []
    const variables = Array.isArray(found.variables) ? found.variables.filter((name) => typeof name === 'string') : []
    return { processes, variables }
  } catch {
    // No readable file: confirmations are needed.
    return undefined
  }
}

/** Marks a home as unattended. Its creator is the parent process, or the given process, with its ancestors. */
export function markHomeUnattended(home: string, maker = process.ppid): void {
  const table = openProcessTable()
  const subreaper = findSubreaper()
  const line = table === undefined ? [] : readAncestors(maker, table)
  const end = line.findIndex((one) => one.pid === subreaper || isProcessManager(one))
  const above = end === -1 ? line : line.slice(0, end)
  const processes = above.map(({ pid, start }) => ({ pid, start }))
  const own = Object.keys(process.env).map((name) => `${name}=`)
  const variables = agentVariables([...own, ...line.flatMap(({ environment }) => environment ?? [])])
  const file = confirmFile(home)
  mkdirSync(home, { recursive: true, mode: 0o700 })
  writeFileSync(file, `${JSON.stringify({ confirm: 'none', processes, variables }, null, 2)}\n`, { mode: 0o600 })
  chmodSync(file, 0o600)
}

function isProcess(value: unknown): value is HomeCreator['processes'][number] {
  return isRecord(value) && typeof value.pid === 'number' && typeof value.start === 'string'
}
