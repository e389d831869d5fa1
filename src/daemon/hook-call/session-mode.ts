// The mode of each session as its events tell it, such as planning or editing: two events with different modes are a
// change of phase. Only used while a hook is registered for phases.

import { describe } from '../../engine/errors.ts'
import { isPlanTool, type ModeChange, readSessionMode } from '../../hosts/derived-steps.ts'
import type { HostStep } from '../../hosts/host.ts'
import type { StateStore } from '../../storage/ports.ts'
import { SESSION_TTL_MS, update } from '../../storage/state.ts'

interface StoredMode {
  readonly mode: string
  /** A call asked to change it. */
  readonly isAnnounced?: boolean
}

/** Stores the mode that an event tells, and returns the change since the event before it. Never throws. */
export function noteMode(step: HostStep, state: StateStore): ModeChange | undefined {
  const mode = readSessionMode(step)
  const { session, agent } = step.context
  if (mode === undefined || session === undefined) return undefined
  const isAnnounced = step.point === 'pre:tool' && isPlanTool(step)
  let change: ModeChange | undefined
  const store = (before: StoredMode | undefined): StoredMode | undefined => {
    const isSame = before === undefined || before.mode === mode
    change = isSame ? undefined : { from: before.mode, to: mode, isAnnounced: before.isAnnounced === true }
    if (before?.mode === mode && (before.isAnnounced === true || !isAnnounced)) return undefined
    return isAnnounced ? { mode, isAnnounced } : { mode }
  }
  try {
    update(state, `session-mode:${JSON.stringify([step.host, session, agent ?? ''])}`, store, SESSION_TTL_MS)
  } catch (error) {
    process.stderr.write(`arc: changes of the session's mode cannot be seen: ${describe(error)}\n`)
  }
  return change
}
