// Runs an agent again while the pipeline objects to what it gives, with the objections as feedback to the next attempt.
// In enforce only: below it hooks have no say. Errors of the agent itself are its caller's business.

import { ArcError, rejectUnknownOptions, show } from '../engine/errors.ts'
import type { Mode } from '../engine/mode.ts'
import type { Outcome } from '../engine/outcome.ts'
import { isRecord } from '../engine/plain-data.ts'
import type { StepContext } from '../engine/step.ts'
import type { StateStore } from '../storage/ports.ts'
import { countAttempt } from './builtin/attempts.ts'
import type { SupervisionEvent } from './builtin/services.ts'

/** A pipeline that checks an output: an engine, a bus, or any object that dispatches and lists its hooks as they do. */
export interface Dispatcher {
  dispatch(point: never, data: never, context?: StepContext): Outcome | Promise<Outcome>
  list?(): readonly { readonly name: string; readonly effectiveMode: Mode }[]
}

export interface RetryOptions<Output = unknown> {
  /** The pipeline, or a function that creates it: `defaultPipeline`. */
  readonly pipeline: Dispatcher | (() => Dispatcher)
  /** The output of one attempt. Told what was objected to before: nothing at first. */
  readonly execute?: (feedback: string | undefined, attempt: number) => Output | PromiseLike<Output>
  /** The maximum number of attempts; default 3. */
  readonly maxAttempts?: number
  /** Told before each further attempt: which one failed, and why. */
  readonly onRetry?: (attempt: number, reason: string) => void
  /** The point at which the output is checked; default `pre:turn:end`. */
  readonly point?: string
  /** Who and where, for the hooks. Session and turn are what attempts are counted by. */
  readonly context?: StepContext
  /** Where attempts are counted, so that the limit holds over several processes. */
  readonly state?: StateStore
  /** Writes a line to the log. */
  readonly record?: (event: SupervisionEvent) => void
}

/** The result of all attempts. */
export interface RetryResult<Output = unknown> {
  /** The outcome of the last attempt. */
  readonly outcome: Outcome
  /** How often it was tried. */
  readonly attempts: number
  readonly output: Output | undefined
}

const OPTIONS = ['pipeline', 'execute', 'maxAttempts', 'onRetry', 'point', 'context', 'state', 'record'] as const

/**
 * Tries until the pipeline has nothing to object, or the limit is reached.
 * @example
 * const { output, attempts } = await runWithRetry({
 *   pipeline: engine,
 *   maxAttempts: 3,
 *   execute: (feedback) => agent.run(feedback === undefined ? task : `${task}\n\nMind this: ${feedback}`),
 * })
 */
export async function runWithRetry<Output = unknown>(options: RetryOptions<Output>): Promise<RetryResult<Output>> {
  const loop = new RetryLoop(options)
  let feedback: string | undefined
  for (let attempt = 1; ; attempt++) {
    const isLast = loop.begin(attempt)
    const output = await options.execute?.(feedback, attempt)
    const outcome = await loop.judge(output)
    const objections = loop.objectionsIn(outcome)
    const isOver = objections === undefined || isLast || outcome.metadata.shouldRetry === false
    loop.end(attempt, outcome, isOver)
    if (isOver) return { outcome, attempts: attempt, output }
    feedback = objections
    options.onRetry?.(attempt, feedback)
  }
}

class RetryLoop {
  readonly #options: Omit<RetryOptions, 'execute'>
  readonly #judge: Dispatcher
  readonly #maxAttempts: number

  constructor(options: Omit<RetryOptions, 'execute'>) {
    rejectUnknownOptions(options, OPTIONS, 'runWithRetry')
    const { maxAttempts = 3, pipeline } = options
    if (!Number.isInteger(maxAttempts) || maxAttempts < 1) {
      const what = `maxAttempts of runWithRetry must be a whole number above 0, not ${show(maxAttempts)}.`
      throw new ArcError('ARC_OPTION_INVALID', what)
    }
    this.#options = options
    this.#maxAttempts = maxAttempts
    this.#judge = readJudge(pipeline)
  }

  /** Counts an attempt before it is made, so that one that dies is counted too. Is it the last that is allowed? */
  begin(attempt: number): boolean {
    const { state, context } = this.#options
    this.#log('retry:start', 'info', `attempt ${attempt} of ${this.#maxAttempts}`, { attempt })
    if (state === undefined || context?.session === undefined) return attempt >= this.#maxAttempts
    const { turn = attempt } = countAttempt(state, { kind: 'retry', session: context.session, turn: context.turn })
    return Math.max(turn, attempt) >= this.#maxAttempts
  }

  judge(output: unknown): Outcome | Promise<Outcome> {
    const { point = 'pre:turn:end', context } = this.#options
    const data = isRecord(output) ? output : { output: output === undefined ? '' : String(output) }
    return this.#judge.dispatch(point as never, data as never, context)
  }

  /** What is to be done better, or nothing when there is no objection that counts. */
  objectionsIn(outcome: Outcome): string | undefined {
    // Held for a human: trying again would be going round them.
    const { decision } = outcome
    if (decision === 'pass' || decision === 'ask' || !this.#isEnforced(outcome)) return undefined
    const reasons = reasonsIn(outcome)
    return reasons.length > 0 ? reasons.join('\n') : `the pipeline answered ${decision}`
  }

  end(attempt: number, { decision, hook, reason }: Outcome, isOver: boolean): void {
    const data = { attempt, decision, hook }
    if (!isOver) this.#log('retry:again', 'warn', reason ?? `the pipeline answered ${decision}`, data)
    else if (decision === 'pass') this.#log('retry:end', 'info', `passed at attempt ${attempt}`, data)
    else this.#log('retry:end', 'warn', `ended with ${decision} at attempt ${attempt}`, data)
  }

  // A flag of a hook that only logs is an opinion. Where hooks cannot be listed, only what is really blocked counts.
  #isEnforced({ blocked, hook }: Outcome): boolean {
    const listed = this.#judge.list?.().find(({ name }) => name === hook)
    return listed === undefined ? blocked : listed.effectiveMode === 'enforce'
  }

  #log(
    action: string,
    level: SupervisionEvent['level'],
    message: string,
    data: Readonly<Record<string, unknown>>,
  ): void {
    const { record, context } = this.#options
    record?.({
      component: 'retry',
      action,
      level,
      message,
      data: { ...data, session: context?.session, turn: context?.turn },
    })
  }
}

function readJudge(pipeline: unknown): Dispatcher {
  const judge: unknown = typeof pipeline === 'function' ? (pipeline as () => unknown)() : pipeline
  if (typeof judge === 'object' && judge !== null && typeof (judge as Dispatcher).dispatch === 'function')
    return judge as Dispatcher
  const what = `pipeline of runWithRetry must be an engine, or a function that makes one, not ${show(pipeline)}.`
  throw new ArcError('ARC_OPTION_INVALID', what)
}

// Every hook that had something to say, in order; the decider alone where none left a suggestion.
function reasonsIn({ metadata, reason }: Outcome): string[] {
  const said = Array.isArray(metadata.suggestions) ? metadata.suggestions.filter(isRecord) : []
  const reasons = said.flatMap(({ reason: why, suggestion }) =>
    [why, suggestion].filter((text) => typeof text === 'string'),
  )
  if (reasons.length > 0) return [...new Set(reasons)]
  return reason === undefined ? [] : [reason]
}
