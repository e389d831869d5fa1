// Sends one step through a real engine with one hook, for tests of what a single answer does.
// Points and answers come from tables there, so types are set aside here.

import type { EngineOptions } from '../src/engine/engine.ts'
import type { HookOptions } from '../src/engine/hook.ts'
import type { Evaluation, Fault, Notice, Outcome } from '../src/engine/outcome.ts'
import type { StepContext } from '../src/engine/step.ts'
import { createEngine } from '../src/platform/hook-engine.ts'

interface OneHook {
  readonly point: string
  readonly data?: object
  readonly context?: StepContext
  /** The engine's settings; it enforces unless they say otherwise. */
  readonly engine?: EngineOptions
  readonly hook?: HookOptions
}

/** The outcome of the step, and all its evaluations. */
interface Seen {
  readonly outcome: Outcome
  readonly evaluations: readonly Evaluation[]
  readonly notices: readonly Notice[]
  readonly faults: readonly Fault[]
}

/** The data of a tool call, for points that accept any data. */
export const TOOL_CALL = { tool: 'shell', args: { command: 'ls' } }

/** Sends the step through a hook that answers thus. */
export function sendPast(answer: unknown, step: OneHook): Promise<Seen> {
  return sendThrough(() => answer, step)
}

/** Sends the step through this handler. */
export async function sendThrough(handler: () => unknown, step: OneHook): Promise<Seen> {
  const { point, data = TOOL_CALL, context, engine: settings, hook = { name: 'hook' } } = step
  const evaluations: Evaluation[] = []
  const notices: Notice[] = []
  const faults: Fault[] = []
  const engine = createEngine({
    mode: 'enforce',
    sink: (evaluation) => void evaluations.push(evaluation),
    notify: (notice) => void notices.push(notice),
    onFault: (fault) => void faults.push(fault),
    ...settings,
  })
  engine.register(point as 'config:change', handler as () => 'pass', hook)
  const outcome = await engine.dispatch(point as 'config:change', data as Record<string, unknown>, context)
  return { outcome, evaluations, notices, faults }
}
