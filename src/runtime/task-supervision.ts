// Tasks under supervision: each passes the pipeline, as the spawning of an agent does, before it is stored.

import type { DelegatorOptions } from '../collaboration/tasks/delegator.ts'
import type { TaskDraft } from '../collaboration/tasks/task.ts'
import { ArcError } from '../core/errors.ts'
import type { Outcome } from '../core/outcome.ts'
import { isRecord } from '../core/plain-data.ts'
import type { Supervisor } from './supervisor.ts'

/**
 * Lets a supervisor judge every task before it is stored. What is blocked or held is thrown, with the reason.
 * @example
 * const { delegator } = await openTasks({ admit: admitBy(supervisor) })
 */
export function admitBy(
  supervisor: Pick<Supervisor, 'dispatch'>,
  context: { readonly workspace?: string } = {},
): NonNullable<DelegatorOptions['admit']> {
  return async (draft) => {
    const { from, to, description, priority, riskTier, metadata } = draft
    const config = { prompt: description, from, priority, ...(riskTier !== undefined && { riskTier }), metadata }
    const step = { agent: from, source: 'agent', ...context }
    const outcome = await supervisor.dispatch('pre:agent:spawn', { agent: to, config }, step)
    if (outcome.blocked) throw refusal(draft, outcome)
    return { ...draft, description: promptOf(outcome, description) }
  }
}

function refusal({ from, to }: TaskDraft, { decision, reason, hook, metadata }: Outcome): ArcError {
  const what = `The task of ${from} for ${to}`
  const why = `${hook ?? 'a hook'}: ${reason ?? 'no reason was given'}`
  if (decision !== 'ask') return new ArcError('ARC_TASK_BLOCKED', `${what} was blocked by ${why}.`)
  const { approval } = metadata
  const id = isRecord(approval) && typeof approval.id === 'string' ? ` (${approval.id})` : ''
  return new ArcError('ARC_TASK_HELD', `${what} is held for a person${id} by ${why}.`)
}

// A hook may have changed what is asked for.
function promptOf({ data }: Outcome, description: string): string {
  const { config } = data as { readonly config?: unknown }
  return isRecord(config) && typeof config.prompt === 'string' ? config.prompt : description
}
