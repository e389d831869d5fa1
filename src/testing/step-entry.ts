// A dispatch that is over, as stores of the trace are given it: made up from what a test cares about.

import type { Evaluation, Outcome } from '../engine/outcome.ts'
import type { StepEnvelope } from '../engine/step.ts'
import type { Appended, TraceStore } from '../storage/ports.ts'
import type { StepEntry, TraceEntry } from '../trace/record.ts'

/** When an entry happened, unless it says so itself. */
export const ENTRY_TIME = Date.UTC(2026, 0, 31, 12, 30)

/** A step with its evaluations; the first that is applied decides the outcome. */
export function stepEntry(
  given: Partial<StepEnvelope> & { time?: number; evaluations?: Partial<Evaluation>[] } = {},
): StepEntry {
  const { time = ENTRY_TIME, evaluations = [{}], ...step } = given
  const point = step.point ?? 'pre:tool'
  const data = step.data ?? { tool: 'shell', args: { command: 'ls' } }
  const all = evaluations.map((own, at): Evaluation => ({ ...PLAIN, hook: `hook-${at + 1}`, point, ...own }))
  const decider = all.find(({ applied }) => applied)
  const decision = decider?.decision ?? 'pass'
  const blocked = decision === 'ask' || decision === 'block'
  const control = blocked ? 'stop' : 'proceed'
  const { hook, reason, suggestion } = decider ?? {}
  const outcome: Outcome = { decision, blocked, control, hook, reason, suggestion, data, metadata: {} }
  return { step: { id: 'step-1', metadata: {}, ...step, point, data }, evaluations: all, outcome, time }
}

const PLAIN = {
  priority: 100,
  mode: 'enforce',
  decision: 'pass',
  applied: false,
  cause: 'policy',
  durationMs: 0.25,
} as const

/** Appends entries in one turn of the event loop: they share a transaction. */
export function appendAll(store: Pick<TraceStore, 'append'>, entries: readonly TraceEntry[]): Promise<Appended[]> {
  return Promise.all(entries.map((entry) => store.append(entry)))
}
