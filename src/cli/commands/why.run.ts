// `arc why`: explains one decision: the step, the verdict of each hook, the edits and the outcome.

import { type Approval, Approvals } from '../../approvals/approvals.ts'
import { findLastDecision } from '../../daemon/live/action-search.ts'
import { systemClock } from '../../platform/engine-services.ts'
import { newId } from '../../platform/ids.ts'
import type { Found, TraceStore } from '../../storage/ports.ts'
import { canonicalize } from '../../trace/canonical.ts'
import { heldStepLines } from '../approval-text.ts'
import { openState, openTrace } from '../home-stores.ts'
import { print, printJson, report } from '../output.ts'
import { explainStep } from '../step-explanation.ts'

/** The options of `arc why`. */
export interface WhyOptions {
  readonly any?: boolean
  readonly json?: boolean
}

/** Shows a record, given its id, a unique prefix, or `last`. */
export async function why(id: string, options: WhyOptions): Promise<number> {
  const store = openTrace()
  try {
    const found = find(store, id, options)
    if (found.found === 'nothing' || found.found === 'several') {
      const held = found.found === 'nothing' ? findHeldStep(id) : undefined
      if (held === undefined) report(notFound(store, id, found))
      else if (options.json === true) printJson({ found: 'approval', record: held })
      else for (const line of heldStepLines(held, { isWhole: true })) print(line)
      return held === undefined ? 1 : 0
    }
    if (options.json === true) printJson(found)
    else if (found.found === 'step') printStep(found)
    else print(JSON.stringify(found.record, null, 2))
    return 0
  } finally {
    store.close()
  }
}

function find(store: TraceStore, id: string, { any }: WhyOptions): Found {
  if (id !== 'last' || any === true) return store.get(id)
  const last = findLastDecision(store)
  return last === undefined ? { found: 'nothing' } : { found: 'step', ...last }
}

// Finds the step of an approval.
function findHeldStep(id: string): Approval | undefined {
  const found = listApprovals().filter((approval) => approval.id.startsWith(id))
  return id.length >= MIN_PREFIX && found.length === 1 ? found[0] : undefined
}

function findPending(stepId: string): Approval | undefined {
  return listApprovals().find((approval) => approval.stepId === stepId && approval.status === 'pending')
}

function listApprovals(): readonly Approval[] {
  const { state, close } = openState()
  try {
    return new Approvals({ state, clock: systemClock, newId, canonicalize }).list()
  } finally {
    close()
  }
}

const MIN_PREFIX = 4

function notFound(store: TraceStore, id: string, found: Found): string {
  if (found.found === 'several') return `${id} is not a unique prefix: ${found.ids.join(', ')}`
  if (id !== 'last') return `there is no record ${id}`
  if (store.get('last').found === 'nothing') return 'there are no records yet; to create some: arc sample'
  return 'every decision so far was a pass; to show the last: arc why --any'
}

function printStep({ record, evaluations }: Extract<Found, { found: 'step' }>): void {
  const pending = record.decision === 'pass' ? undefined : findPending(record.id)
  for (const line of explainStep({ record, evaluations, pending })) print(line)
}
