// A tool call has one step, and may have further ones: the agent asks for permission, the tool returned. They name the first.

import { isRecord } from '../engine/plain-data.ts'
import type { StepRecord } from './record.ts'

/** The first step of the tool call that a further step belongs to; undefined for a first step. */
export function readFirstStep({ point, metadata }: Pick<StepRecord, 'point' | 'metadata'>): string | undefined {
  if (!isRecord(metadata)) return undefined
  const first = point.startsWith('post:tool') ? metadata.preStep : point === 'pre:tool' ? metadata.asksAbout : undefined
  return typeof first === 'string' ? first : undefined
}
