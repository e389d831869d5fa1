// Ends a program with everything it started. Agents run commands in their own groups, so the group is not
// enough: on Linux the process table says who descends from whom.

import { listPids, type ProcessEntry, readProcess } from '../../../guard/process-table.ts'
import { isGroupAlive, terminateGroup } from './terminate.ts'

/** Ends a process group and all who descend from its leader: TERM, and KILL after a grace. */
export async function endTree(leader: number, graceMs: number): Promise<void> {
  // Looked up first: once their parents are gone, their origin is unknown.
  const strays = findStrays(leader)
  signal(strays, 'SIGTERM')
  await terminateGroup(leader, graceMs)
  signal(strays, 'SIGKILL')
}

/** The same at once, without a grace: for a process that is about to end itself. */
export function killTree(leader: number): void {
  const strays = findStrays(leader)
  if (isGroupAlive(leader)) signalPid(-leader, 'SIGKILL')
  signal(strays, 'SIGKILL')
}

function signal(processes: readonly ProcessEntry[], name: NodeJS.Signals): void {
  for (const known of processes) if (readProcess(known.pid)?.start === known.start) signalPid(known.pid, name)
}

function signalPid(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name)
  } catch (error) {
    // ESRCH: already gone. EPERM: it changed its user and is out of reach.
    if (!['ESRCH', 'EPERM'].includes((error as NodeJS.ErrnoException).code ?? '')) throw error
  }
}

// Those who descend from a process and are not in its group.
function findStrays(leader: number): readonly ProcessEntry[] {
  if (process.platform !== 'linux') return []
  const all = listPids().flatMap((pid) => readProcess(pid) ?? [])
  const family = new Set([leader])
  // A child may precede its parent in the table.
  for (let size = 0; size < family.size; ) {
    size = family.size
    for (const { pid, parent, group } of all) if (family.has(parent) || group === leader) family.add(pid)
  }
  return all.filter(({ pid, group }) => family.has(pid) && group !== leader && pid !== leader)
}
