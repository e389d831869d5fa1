// Asks one handler about one tool call through a real engine on a real clock, for tests of handlers that reach out of
// the process.

import type { EngineOptions } from '../src/engine/engine.ts'
import type { Handler, HookOptions } from '../src/engine/hook.ts'
import type { Evaluation, Fault, Notice, Outcome } from '../src/engine/outcome.ts'
import type { ToolCallData } from '../src/engine/points.ts'
import type { StepContext } from '../src/engine/step.ts'
import { createEngine } from '../src/platform/hook-engine.ts'

interface Asking {
  readonly data?: ToolCallData
  readonly context?: StepContext
  readonly hook?: HookOptions
  readonly engine?: EngineOptions
}

interface Answered {
  readonly outcome: Outcome
  readonly evaluation: Evaluation
  /** All messages, as one text. */
  readonly told: string
}

/** Asks, in enforce. */
export async function ask(handler: Handler, asking: Asking = {}): Promise<Answered> {
  const { data = { tool: 'shell', args: { command: 'ls' } }, context = { session: 's-1' }, hook } = asking
  const evaluations: Evaluation[] = []
  const notices: Notice[] = []
  const faults: Fault[] = []
  const engine = createEngine({
    mode: 'enforce',
    timeoutMs: 20_000,
    sink: (evaluation) => void evaluations.push(evaluation),
    notify: (notice) => void notices.push(notice),
    onFault: (fault) => void faults.push(fault),
    ...asking.engine,
  })
  engine.register('pre:tool', handler as Handler<never>, { name: 'asked', ...hook })
  const outcome = await engine.dispatch('pre:tool', data, context)
  const [evaluation] = evaluations
  if (evaluation === undefined) throw new Error('nothing was recorded')
  return { outcome, evaluation, told: JSON.stringify({ outcome, evaluations, notices, faults }) }
}
