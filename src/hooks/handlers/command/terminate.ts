// Ends a child together with everything it started: its process group gets TERM and, after a grace, KILL.

import { readdirSync, readFileSync } from 'node:fs'

const FIRST_LOOK_MS = 5
const LONGEST_PAUSE_MS = 100
// No process survives KILL, but the system may need a moment to deliver it.
const KILL_WAIT_MS = 200

/** Ends a process group; resolves when no process in it is alive. */
export async function terminateGroup(leader: number, graceMs: number): Promise<void> {
  if (!signalGroup(leader, 'SIGTERM') || (await isGoneWithin(leader, graceMs))) return
  signalGroup(leader, 'SIGKILL')
  await isGoneWithin(leader, KILL_WAIT_MS)
}

async function isGoneWithin(leader: number, ms: number): Promise<boolean> {
  const giveUpAt = performance.now() + ms
  for (let pauseMs = FIRST_LOOK_MS; ; pauseMs = Math.min(pauseMs * 2, LONGEST_PAUSE_MS)) {
    const leftMs = giveUpAt - performance.now()
    if (leftMs <= 0) return false
    await new Promise((resolve) => setTimeout(resolve, Math.min(pauseMs, leftMs)))
    if (!isGroupAlive(leader)) return true
  }
}

/** Is anybody of a process group still running? */
export function isGroupAlive(leader: number): boolean {
  if (!signalGroup(leader, 0)) return false
  return process.platform === 'linux' ? hasLivingMember(leader) : true
}

// Sends a signal to a whole group; false when the group is empty.
function signalGroup(leader: number, signal: NodeJS.Signals | 0): boolean {
  try {
    process.kill(-leader, signal)
    return true
  } catch (error) {
    // EPERM: somebody of the group changed its user. It exists, but is out of reach.
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

// In a container whose first process does not collect orphans, dead processes stay in their group forever as zombies, and
// signals to them succeed. The process table tells them from the living.
function hasLivingMember(leader: number): boolean {
  return readdirSync('/proc').some((name) => /^\d+$/.test(name) && isLivingMember(name, leader))
}

function isLivingMember(pid: string, leader: number): boolean {
  try {
    // `pid (name) state parent group …`; the name may hold anything, also brackets.
    const stat = readFileSync(`/proc/${pid}/stat`, 'latin1')
    const [state, , group] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    return Number(group) === leader && state !== 'Z' && state !== 'X'
  } catch {
    // Gone between the listing and the look.
    return false
  }
}
