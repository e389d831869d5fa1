// Sends messages about held steps from a process that ends soon, such as `arc hook`: in another process, since a
// target may answer late.

import type { Approval } from '../../approvals/approvals.ts'
import { describe } from '../../engine/errors.ts'
import { runHomeProgram } from '../process/home-program.ts'

interface BackgroundAnnouncer {
  readonly home: string
  /** The path of `arc`. */
  readonly program: string
  readonly report: (message: string) => void
}

/** Sends the message that is due for an approval, if there is one. Never throws. */
export function announceInBackground(
  { id, status, announced = [] }: Approval,
  { home, program, report }: BackgroundAnnouncer,
): void {
  // Only a message that was sent needs a second one.
  if (status !== 'pending' && !announced.includes('waiting')) return
  try {
    runHomeProgram({ home, program, args: ['approvals', 'announce', id] })
  } catch (error) {
    report(`The message about ${id} cannot be sent: ${describe(error)}`)
  }
}
