// Notes that a reply carries although the call was decided: an open breaker, problems of the configuration, a trace that
// is not durable.

import { clip } from '../../engine/errors.ts'
import type { Gap } from '../../storage/gap-notes.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

/** The notes of a reply, one line each. */
export function buildReplyNotes(supervisor: Supervisor): string[] {
  const notes: string[] = []
  if (readBreakerState(supervisor) === 'open') {
    notes.push('ARC: hooks failed too often; hooks that are not critical only log for now (arc breaker status).')
  }
  const problems = supervisor.problems.filter(({ kind }) => kind !== 'looser')
  const [first] = problems
  if (first !== undefined) {
    const count = `${problems.length} problem${problems.length === 1 ? '' : 's'}`
    const why = (problems.find(({ kind }) => kind === 'held') ?? first).message
    notes.push(
      `ARC: the configuration has ${count} (arc doctor). Mode ${supervisor.engine.mode} is in force. ${clip(why, 300)}`,
    )
  }
  const mismatch = supervisor.stores.takeMismatch()
  if (mismatch !== undefined) notes.push(`ARC: ${mismatch} (arc trace verify)`)
  const gap = supervisor.stores.gap()
  if (gap !== undefined) notes.push(`ARC: the trace cannot be written now, ${describeGap(gap)} (arc doctor).`)
  else if (!supervisor.isDurable) notes.push('ARC: nothing is recorded beyond this process (arc doctor).')
  return notes
}

/** How many entries are missing, and why. */
export function describeGap({ count, why }: Gap): string {
  return `${count} ${count === 1 ? 'entry is' : 'entries are'} not on record: ${clip(why, 300)}`
}

function readBreakerState(supervisor: Supervisor): string | undefined {
  try {
    return supervisor.breaker().state
  } catch {
    // The state cannot be read; the engine has reported that.
    return undefined
  }
}
