// Assertions on the outcome of a step, for tests of policies. They throw a plain Error that says what happened, so they
// work with any test runner. Import no test runner.

import type { Mode } from '../engine/mode.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { PointRef, SpecOf } from '../engine/point-names.ts'
import type { BuiltInPoints, DataOf } from '../engine/points.ts'
import type { StepContext } from '../engine/step.ts'

/** An engine, or a supervisor with its engine. */
export interface OutcomeSource {
  dispatch(point: never, data: never, context?: StepContext): Outcome | Promise<Outcome>
  readonly mode?: Mode
  readonly engine?: { readonly mode: Mode }
}

type Point = PointRef<BuiltInPoints>
type Data<Ref> = DataOf<SpecOf<BuiltInPoints, Ref>>

/**
 * Sends a step and expects that it must not run: it is blocked, or held for approval. Returns the outcome.
 * @example
 * const engine = createEngine({ mode: 'enforce' })
 * engine.register('pre:tool:shell', () => ({ decision: 'block', reason: 'no shell' }), { name: 'no-shell' })
 * await expectBlocked(engine, 'pre:tool', { tool: 'shell', args: { command: 'ls' } })
 */
export async function expectBlocked<Ref extends Point>(
  source: OutcomeSource,
  point: Ref,
  data: Data<Ref>,
  context?: StepContext,
): Promise<Outcome<Data<Ref>>> {
  const outcome = await send(source, point, data, context)
  if (outcome.blocked) return outcome
  throw new Error(
    `Expected ${nameStep(point, data)} to be blocked, but it may run.\n${describeOutcome(outcome, source)}`,
  )
}

/**
 * Sends a step and expects that it may run: it passes or is only flagged. Returns the outcome.
 * @example
 * await expectAllowed(engine, 'pre:tool', { tool: 'read', args: { path: 'notes.md' } })
 */
export async function expectAllowed<Ref extends Point>(
  source: OutcomeSource,
  point: Ref,
  data: Data<Ref>,
  context?: StepContext,
): Promise<Outcome<Data<Ref>>> {
  const outcome = await send(source, point, data, context)
  if (!outcome.blocked) return outcome
  throw new Error(`Expected ${nameStep(point, data)} to run, but it must not.\n${describeOutcome(outcome, source)}`)
}

// The types of the caller are checked above; a source with its own points has its own types.
async function send<Ref extends Point>(
  source: OutcomeSource,
  point: Ref,
  data: Data<Ref>,
  context: StepContext | undefined,
): Promise<Outcome<Data<Ref>>> {
  return (await source.dispatch(point as never, data as never, context)) as Outcome<Data<Ref>>
}

const MAX_DATA = 200

function nameStep(point: unknown, data: unknown): string {
  const name = typeof point === 'string' ? point : (point as { readonly name: string }).name
  const text = JSON.stringify(data) ?? String(data)
  return `${name} ${text.length > MAX_DATA ? `${text.slice(0, MAX_DATA)}…` : text}`
}

function describeOutcome(outcome: Outcome<unknown>, { mode, engine }: OutcomeSource): string {
  const { decision, wouldBe, hook, reason } = outcome
  const inForce = mode ?? engine?.mode
  return [
    `  decision: ${decision}`,
    ...(inForce === undefined ? [] : [`  mode: ${inForce}`]),
    `  hook: ${hook ?? 'none decided'}`,
    ...(reason === undefined ? [] : [`  reason: ${reason}`]),
    ...(wouldBe === 'block' || wouldBe === 'ask' ? [`  ${WOULD[wouldBe]}: set mode to 'enforce' to apply it`] : []),
  ].join('\n')
}

const WOULD = { block: 'would be blocked in enforce', ask: 'would be held for approval in enforce' } as const
