// Events about hook calls for the trace.

import { show } from '../../engine/errors.ts'
import type { HostStep } from '../../hosts/host.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'

interface CallEvent {
  readonly action: string
  readonly message: string
  readonly data: Readonly<Record<string, unknown>>
}

/** Models number their calls anew each turn, and an agent can choose an id on purpose: the call is evaluated in full. */
export function recordReusedId(
  supervisor: Supervisor,
  step: HostStep,
  { id, reusedFrom }: { readonly id: string; readonly reusedFrom?: string | undefined },
): Promise<unknown> {
  const message = `${step.host}: the call id ${show(step.callId)} was used before, for other arguments`
  const data = { tool: step.data.tool, callId: step.callId, step: id, usedBy: reusedFrom }
  return record(supervisor, step, { action: 'call:id-reused', message, data })
}

/** A tool ran and its call before it was never seen. */
export function recordUnsupervised(supervisor: Supervisor, step: HostStep, id: string): Promise<unknown> {
  const message = `${step.host}: ${String(step.data.tool)} ran without a call before it`
  return record(supervisor, step, { action: 'call:unsupervised', message, data: { tool: step.data.tool, step: id } })
}

/** The payload could not be parsed. */
export function recordUnreadable(supervisor: Supervisor, step: HostStep, why: string): Promise<unknown> {
  return record(supervisor, step, { action: 'payload:unreadable', message: why, data: { event: step.event } })
}

/** The host cannot carry out parts of the outcome, such as a block or an edit. */
export function recordUnsupported(
  supervisor: Supervisor,
  step: HostStep,
  lost: readonly string[],
  id: string,
): Promise<unknown> {
  const message = `${step.host} cannot carry out at ${step.event}: ${lost.join(', ')}`
  return record(supervisor, step, { action: 'reply:unsupported', message, data: { step: id, event: step.event, lost } })
}

function record(
  supervisor: Supervisor,
  { host, context }: HostStep,
  { action, message, data }: CallEvent,
): Promise<unknown> {
  const { profile } = supervisor.config
  const what = { component: 'hosts', action, level: 'warn', reason: message, metadata: data } as const
  const when = { id: newId(), time: systemClock.wall(), profile, host, session: context.session }
  return supervisor.trace.append({ ...what, ...when })
}
