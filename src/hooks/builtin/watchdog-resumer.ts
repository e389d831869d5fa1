// Resumes watchdogs at their limit for a process that ended: a small separate process reads the holds until all are gone.
// One such process for each set of options; it ends as soon as everything is resumed.

import { createHash } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { isProcessAlive } from '../../platform/process-alive.ts'
import { findLeasePid, takeLease } from '../../storage/lease.ts'
import type { StateStore } from '../../storage/ports.ts'

const LEASE_MS = 15_000
const POLL_MS = 500

/** The watchdogs that a resumer cares for. */
export interface PausedWatchdogs {
  /** Is one of them paused? */
  isPaused(): boolean
  /** Resumes those whose holds are all over. */
  resumeOverdue(): Promise<void>
}

/** Does a process wait to resume the watchdogs of these options? */
export function hasResumer(state: StateStore, options: string): boolean {
  return isRunning(findLeasePid(state, nameLease(options), LEASE))
}

/** Waits until none of the watchdogs is paused. Returns at once if another process does. */
export async function resumeAtLimit(state: StateStore, options: string, dogs: PausedWatchdogs): Promise<void> {
  // After the lease is given back it is looked once more: a pause in between relied on this process.
  while (dogs.isPaused()) {
    const taken = takeLease(state, nameLease(options), LEASE)
    if ('lease' in taken) {
      while (dogs.isPaused() && taken.lease.renew()) {
        await dogs.resumeOverdue()
        if (dogs.isPaused()) await sleep(POLL_MS)
      }
      taken.lease.release()
    } else if (isRunning(taken.heldBy)) return
    else await sleep(POLL_MS)
  }
}

const LEASE = { ttlMs: LEASE_MS, wall: Date.now }

function isRunning(pid: number | undefined): boolean {
  return pid !== undefined && pid > 0 && isProcessAlive(pid)
}

function nameLease(options: string): string {
  return `watchdog-resumer/${createHash('sha256').update(options).digest('hex').slice(0, 32)}`
}
