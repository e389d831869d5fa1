// Events about the own permissions of a host: what they mean for the supervisor, and what the reviewer of the host gets.

import { describeRefusal } from '../../approvals/host-permission.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRefusal, type PermissionEvent } from '../../engine/permission.ts'
import type { HostStep } from '../../hosts/host.ts'
import { HOSTS } from '../../hosts/list.ts'
import { describeFacts } from '../../hosts/reviewer-facts.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { HostFinding } from '../../supervisor/traced-engine.ts'

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
