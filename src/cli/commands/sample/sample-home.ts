// The home of the sample session. `arc sample` records in a home of the sample, never among the records of real agents.

import { join, resolve } from 'node:path'
import { readInstalls } from '../../../guard/installs.ts'
import { arcHome } from '../../../platform/home.ts'
import { openTrace } from '../../home-stores.ts'

/** The host of all steps of the sample: the mark of a sample. */
export const SAMPLE_HOST = 'sample'

/** The home with the records of `arc sample`. */
export function sampleHome(): string {
  return join(resolve(arcHome()), 'sample')
}

/** Is the home used for real agents? Then the sample is not played into it. */
export function hasRealRecords(): boolean {
  if (readInstalls(resolve(arcHome())).length > 0) return true
  const trace = openTrace()
  try {
    // A home with a real record gets no sample any more, so the newest records are enough.
    return trace.query({ component: 'hooks', limit: 100 }).some(({ host }) => host !== SAMPLE_HOST)
  } finally {
    trace.close()
  }
}
