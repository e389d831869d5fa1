// `arc hooks resume-watchdogs`: resumes paused watchdogs at their limit. Started in the background by a process that paused
// them and ends before; what to resume comes on stdin.

import { isRecord } from '../../../engine/plain-data.ts'
import { watchPauses } from '../../../hooks/builtin/watchdog-pauser.ts'
import { createServices } from '../../../hooks/pipeline-services.ts'
import { arcHome } from '../../../platform/home.ts'
import { openStores } from '../../../storage/open-stores.ts'
import { context } from '../../context.ts'
import { report } from '../../output.ts'

/** Waits until nothing is paused. */
export async function resumeWatchdogs(): Promise<number> {
  const parts: string[] = []
  for await (const part of context().stdin) parts.push(String(part))
  const job: unknown = JSON.parse(parts.join('') || 'null')
  if (!isRecord(job) || typeof job.profile !== 'string') return 0
  const { profile } = job
  const home = arcHome()
  const stores = openStores(home, report)
  try {
    await watchPauses(job.options, createServices({ ...stores, home, profile: () => profile, notify: () => undefined }))
    return 0
  } finally {
    stores.close()
  }
}
