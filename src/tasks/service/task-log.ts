// The moves of tasks in the log.

import { recordEvent } from '../../hooks/pipeline-services.ts'
import { systemClock } from '../../platform/engine-services.ts'
import type { TraceStore } from '../../storage/ports.ts'
import type { DelegatorOptions } from '../delegator.ts'

/** Writes every move of a task to the log, under `tasks`. */
export function logMoves(trace: Pick<TraceStore, 'append'>, profile?: string): NonNullable<DelegatorOptions['onMove']> {
  return ({ id, from, to, status, version }, { action, actor }) => {
    const message = `${actor ?? 'ARC'}: ${action} ${id}, from ${from} to ${to}, is ${status}`
    const level = status === 'failed' ? 'warn' : 'info'
    const data = { task: id, from, to, status, version, by: actor ?? null }
    const when = { time: systemClock.wall(), ...(profile !== undefined && { profile }) }
    recordEvent(trace, { component: 'tasks', action: `task:${action}`, level, message, data }, when)
  }
}
