// Prints notices of hooks for the person, in commands without another channel.

import type { Notice } from '../engine/outcome.ts'
import type { ScriptNotice } from '../hooks/pipeline-services.ts'
import { info } from './output.ts'

/** Prints a notice on stderr. */
export function printNotice(notice: Notice | ScriptNotice): void {
  const text = 'message' in notice ? notice.message : `${notice.decision}: ${notice.reason ?? 'no reason given'}`
  info(`arc[${notice.hook}] ${text}`)
}
