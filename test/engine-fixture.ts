// An engine on a clock that tests move by hand, with everything it tells the world kept to be looked at.

import { CoreEngine, type EngineOptions } from '../src/engine/engine.ts'
import type { Handler } from '../src/engine/hook.ts'
import type { Evaluation, Fault, Notice, Outcome } from '../src/engine/outcome.ts'
import type { BuiltInPoints, ToolCallData } from '../src/engine/points.ts'
import type { StepContext } from '../src/engine/step.ts'
import { linearRegex } from '../src/platform/engine-services.ts'
import { FakeClock } from '../src/testing/fake-clock.ts'

/** A handler at `pre:tool`. */
export type ToolHandler = Handler<BuiltInPoints['pre:tool']>

/** The step that most tests send. */
export const CALL: ToolCallData = Object.freeze({ tool: 'shell', args: Object.freeze({ command: 'ls' }) })

/** An engine in enforce, with a sink, unless the options say otherwise. */
export function makeEngine(options: EngineOptions = {}) {
  const records: Evaluation[] = []
  return { records, ...makeBareEngine({ sink: (evaluation) => void records.push(evaluation), ...options }) }
}

/** The same without a sink. */
export function makeBareEngine(options: EngineOptions = {}) {
  const clock = new FakeClock()
  const faults: Fault[] = []
  const notices: Notice[] = []
  let ids = 0
  const engine = new CoreEngine(
    { mode: 'enforce', notify: (notice) => void notices.push(notice), ...options },
    { clock, newId: () => `id-${++ids}`, regex: linearRegex, report: (fault) => void faults.push(fault) },
  )
  const dispatch = (data: ToolCallData = CALL, context?: StepContext) => engine.dispatch('pre:tool', data, context)
  return { engine, clock, faults, notices, dispatch }
}

/** A handler in both ways of answering: at once, and later. Tests of what must not depend on it run on each. */
export const WAYS: readonly (readonly [way: string, (handler: ToolHandler) => ToolHandler])[] = [
  ['synchronous', (handler) => handler],
  ['asynchronous', (handler) => async (step, run) => handler(step, run)],
]

/** A promise that nothing ever settles. */
export const NEVER: Promise<never> = new Promise(() => undefined)

/** Something to settle from outside. */
export function deferred<T>() {
  let resolve: (value: T) => void = () => undefined
  let reject: (error: unknown) => void = () => undefined
  const promise = new Promise<T>((onValue, onError) => {
    resolve = onValue
    reject = onError
  })
  return { promise, resolve, reject }
}

/** What dispatch gave, when it must have been given at once. */
export function atOnce<Data>(given: Outcome<Data> | Promise<Outcome<Data>>): Outcome<Data> {
  if (given instanceof Promise) throw new Error('expected an outcome, got a promise')
  return given
}
