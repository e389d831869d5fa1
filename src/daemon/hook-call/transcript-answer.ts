// The answer at a turn's end from the transcript of the agent, for agents whose event does not have it.

import { closeSync, fstatSync, openSync, readSync } from 'node:fs'
import type { HostStep } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'

const MAX_READ = 256 * 1024

/** The step with the answer in its data. Unchanged where it has one, and where there is no transcript. Never throws. */
export function addAnswer(step: HostStep): HostStep {
  const { transcript } = HOSTS[step.host]
  const path = step.context.metadata?.transcript
  if (transcript === undefined || !step.spec.hasAnswer || step.data.output !== undefined) return step
  if (typeof path !== 'string' || !transcript.isOwn(path)) return step
  const output = transcript.readAnswer(readEnd(path))
  return output === undefined ? step : { ...step, data: { ...step.data, output } }
}

function readEnd(path: string): string {
  let file: number | undefined
  try {
    file = openSync(path, 'r')
    const { size } = fstatSync(file)
    const end = Buffer.alloc(Math.min(size, MAX_READ))
    const count = readSync(file, end, 0, end.length, size - end.length)
    return end.toString('utf8', 0, count)
  } catch {
    // No file, or one that cannot be read: there is no answer to tell.
    return ''
  } finally {
    if (file !== undefined) closeSync(file)
  }
}
