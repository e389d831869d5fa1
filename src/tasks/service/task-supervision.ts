// Tasks under supervision: each passes the pipeline, as the spawning of an agent does, before it is stored.

import { ArcError } from '../../engine/errors.ts'
import type { Outcome } from '../../engine/outcome.ts'
import { isRecord } from '../../engine/plain-data.ts'
import { newId } from '../../platform/ids.ts'
import type { Supervisor } from '../../supervisor/supervisor.ts'
import type { DelegatorOptions } from '../delegator.ts'
import type { TaskDraft } from '../task.ts'

/** A task that the pipeline did not let through: by which hook, why, and where the whole decision is. */
export class TaskRefusal extends ArcError {
  readonly hook: string | undefined
  readonly reason: string | undefined
  readonly suggestion: string | undefined
  /** The id in the trace. */
  readonly step: string

  constructor(draft: TaskDraft, { decision, reason, hook, suggestion, metadata }: Outcome, step: string) {
    const what = `The task of ${draft.from} for ${draft.to}`
    const instead = suggestion === undefined ? '' : ` Instead: ${suggestion}`
    const because = (reason ?? 'no reason was given').replace(/\.$/, '')
    const why = `${hook ?? 'a hook'}: ${because}.${instead} (trace ${step})`
    if (decision === 'ask') super('ARC_TASK_HELD', `${what} needs approval${approvalIn(metadata)}, asked by ${why}`)
    else super('ARC_TASK_BLOCKED', `${what} was blocked by ${why}`)
    this.hook = hook
    this.reason = reason
    this.suggestion = suggestion
    this.step = step
  }
}

/**
 * Sends every task through a supervisor before it is stored. A blocked or held task throws, with the reason.
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
    const id = newId()
    const step = { id, agent: from, source: 'agent', ...context }
    const outcome = await supervisor.dispatch('pre:agent:spawn', { agent: to, config }, step)
    if (outcome.blocked) throw new TaskRefusal(draft, outcome, id)
    return { ...draft, description: readPrompt(outcome, description) }
  }
}

function approvalIn({ approval }: Outcome['metadata']): string {
  return isRecord(approval) && typeof approval.id === 'string' ? ` (${approval.id})` : ''
}

// A hook may have changed what is asked for.
function readPrompt({ data }: Outcome, description: string): string {
  const { config } = data as { readonly config?: unknown }
  return isRecord(config) && typeof config.prompt === 'string' ? config.prompt : description
}
