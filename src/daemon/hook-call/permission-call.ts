// Events about the own permissions of a host: what they mean for the supervisor, and what the reviewer of the host gets.

import { isDeepStrictEqual } from 'node:util'
import { describeRefusal } from '../../approvals/host-permission.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRefusal, type PermissionEvent } from '../../engine/permission.ts'
import { isRecord } from '../../engine/plain-data.ts'
import type { HostStep } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'
import { describeFacts } from '../../hosts/reviewer-facts.ts'
import type { TraceStore } from '../../storage/ports.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { HostFinding } from '../../supervisor/traced-engine.ts'
import { readFirstStep } from '../../trace/second-step.ts'

/** The event as the supervisor needs it; undefined for an event that is not about permissions. */
export function readPermission({ host, spec, data }: HostStep): PermissionEvent | undefined {
  const { permission: role } = spec
  if (role === undefined) return undefined
  return { role, agent: HOSTS[host].title, reason: typeof data.error === 'string' ? data.error : undefined }
}

/** The refusal of a host's reviewer, as a row of the log. */
export function describeHostFinding(step: HostStep): HostFinding | undefined {
  if (!isRefusal(step.spec.permission)) return undefined
  const { agent, reason } = readPermission(step) ?? { agent: step.host }
  return { hook: `${step.host}-reviewer`, reason: describeRefusal(agent, reason) }
}

const MAX_SEARCHED = 100

/** The step of the call that a host asks about: the newest of the session that is the same and did not end. */
export function findCallOfRequest({ context, data }: HostStep, trace: Pick<TraceStore, 'records'>): string | undefined {
  const { session } = context
  if (session === undefined) return undefined
  const ended = new Set<string>()
  const newest = [...trace.records({ session, steps: true, limit: MAX_SEARCHED })].sort((a, b) => b.seq - a.seq)
  for (const record of newest) {
    if (record.kind !== 'step') continue
    const first = readFirstStep(record)
    if (first !== undefined && record.point !== 'pre:tool') ended.add(first)
    const isCall = first === undefined && record.point === 'pre:tool' && record.tool === data.tool
    if (isCall && isSameCall(record.data, data)) return ended.has(record.id) ? undefined : record.id
  }
  return undefined
}

// The record has no secrets: a call with one is not recognised, and has a separate row.
function isSameCall(recorded: unknown, { args }: HostStep['data']): boolean {
  return isRecord(recorded) && isDeepStrictEqual(recorded.args, args)
}

/** Whether a refusal may wait for a person: one is at the agent, or gets a message. In the lower modes no call waits. */
export function canReachPerson({ config, engine }: Supervisor, isUnattended: boolean): boolean {
  return engine.mode === 'enforce' && (!isUnattended || config.notify.length > 0)
}

/** The facts for the reviewer of a host, while it reviews. */
export function describeForReviewer(
  { spec, context }: HostStep,
  before: Pick<Outcome, 'metadata'> | undefined,
): string | undefined {
  const isReviewing = spec.reviewer === true && context.metadata?.permissionMode === 'auto'
  return isReviewing && before !== undefined ? describeFacts(before.metadata) : undefined
}
