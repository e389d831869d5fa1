// Which steps end the questions of a session: the result of the tool, the end of the turn or session, a new message.

import { type StepEnd, toHeldStep, type WithdrawnBy } from './approval.ts'

const ENDS: Readonly<Record<string, WithdrawnBy>> = {
  'post:tool': 'result',
  'post:tool:failure': 'result',
  'pre:turn:end': 'turn',
  'run:end': 'turn',
  'pre:message': 'message',
  'session:end': 'session',
}

/** The end that a step reports; undefined for all other steps. */
export function readStepEnd(step: {
  readonly point: string
  readonly data: object
  readonly session?: string | undefined
  readonly workspace?: string | undefined
  readonly metadata?: object | undefined
}): StepEnd | undefined {
  const by = Object.hasOwn(ENDS, step.point) ? ENDS[step.point] : undefined
  if (by === undefined) return undefined
  const { session, workspace, data } = step
  if (by !== 'result') return { by, session, workspace }
  const { preStep } = (step.metadata ?? {}) as { readonly preStep?: unknown }
  const { tool, args } = data as { readonly tool?: unknown; readonly args?: unknown }
  const held = toHeldStep({ point: 'pre:tool', data: { tool, args }, workspace, session })
  return { by, session, workspace, call: { stepId: typeof preStep === 'string' ? preStep : undefined, step: held } }
}
