// The facts that the built-in hooks ask for: files on the disk, and what the session did with them.

import type { Clock } from '../../engine/clock.ts'
import type { StateStore } from '../../storage/ports.ts'
import type { FactService } from '../builtin/services.ts'
import { openDiskFacts } from './disk-facts.ts'
import { noteCall, openSessionFacts } from './session-files.ts'

/** The facts of this machine. */
export function createFactService(state: StateStore, clock: Clock): FactService {
  const open: FactService['open'] = ({ workspace, home, session }) => {
    // The state is read only if a file is asked about.
    let read: ReturnType<typeof openSessionFacts> | undefined
    const facts = () => (read ??= openSessionFacts(state, session))
    return openDiskFacts({
      workspace,
      home,
      now: () => clock.now(),
      session: {
        changedInSession: (path) => facts().changedInSession(path),
        isOwnEdit: (path) => facts().isOwnEdit(path),
        isCopied: (path) => facts().isCopied(path),
      },
    })
  }
  return {
    open,
    note: (call, { effects, command }) => {
      const { session } = call
      if (session === undefined) return
      const files = open(call)
      const wasClean = (path: string) => files.exists(path) === false || files.isClean(path) === true
      noteCall(state, clock, { session, effects, command, wasClean })
    },
  }
}
