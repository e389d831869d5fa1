// Prints notices of hooks for the person, in commands without another channel.

import type { Notice } from '../engine/outcome.ts'
import type { ScriptNotice } from '../hooks/pipeline-services.ts'
import { info } from './output.ts'

/** Prints a notice on stderr. */
export function printNotice(notice: Notice | ScriptNotice): void {
  const text = 'message' in notice ? notice.message : `${nameDecision(notice)}: ${notice.reason ?? 'no reason given'}`
  info(`arc[${notice.hook}] ${text}`)
}

// A decision that was not applied is called `would block` or `would ask`.
function nameDecision({ decision, applied }: Notice): string {
  return applied || decision === 'flag' || decision === 'pass' ? decision : `would ${decision}`
}
