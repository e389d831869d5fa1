// One registered hook: its options checked, its handler in one form, its matcher compiled.

import { Failure, ON_ERROR, type OnError } from './degradation.ts'
import { ArcError, describe, rejectUnknownOptions, show } from './errors.ts'
import { compileMatch, type Match, type RegexCompiler, type StepTest } from './matcher.ts'
import { type Mode, type ModeInput, readMode } from './mode.ts'
import { isInstance, isRecord } from './plain-data.ts'
import type { PointSpec } from './points.ts'
import type { Step } from './step.ts'
import { type HandlerResult, type Verdict, VerdictWithFacts } from './verdict.ts'

/** The context of a handler, passed after the step. */
export interface RunContext {
  /** Aborted when the time limit is reached. */
  readonly signal: AbortSignal
  /** The name of the hook that runs. */
  readonly hook: string
  /** The time limit of this run. */
  readonly limitMs: number
  /** The mode in force for this run: for a hook that acts on its own, which only `enforce` allows. */
  readonly mode: Mode
}

/**
 * Handles a step: returns a verdict in any accepted form, or a promise of it. `Result` is what it really returns:
 * inferred, because TypeScript would widen `async () => 'pass'` to a promise of any text.
 */
export interface Handler<Spec = PointSpec, Result extends HandlerResult<Spec> = HandlerResult<Spec>> {
  (step: Step<Spec>, run: RunContext): Result | PromiseLike<Result>
  /** The handler's own default time limit. */
  readonly timeoutMs?: number
  /** Set by a handler that keeps the limit itself: how long after it the handler may need to clean up and answer. */
  readonly overtimeMs?: number
  /** Set by a handler that insists on what its failures mean, whatever the hook's own onError. */
  readonly onError?: OnError
}

/** Options of a registration. */
export interface HookOptions {
  /** For enabling, disabling and tracing; unique at its point. */
  readonly name?: string
  /** Lower runs earlier; 1 system, 10 security, 50 user, 100 the default. */
  readonly priority?: number
  readonly match?: Match
  /** The most this hook may do, whatever the engine's mode. */
  readonly mode?: ModeInput
  readonly timeoutMs?: number
  readonly onError?: OnError
  /** Never lowered by the breaker. */
  readonly critical?: boolean
  /**
   * Which of this hook's blocks hold in every mode but `off`, breaker open or not. A function, so that no configuration
   * and no answer of a program can ask for it.
   */
  readonly alwaysBlocks?: (verdict: Verdict) => boolean
  /** Run again on data that a later hook edited, before the outcome is given back. For deterministic guards. */
  readonly rechecksEdits?: boolean
  /**
   * See each action once, at the first of its points: a tool call that writes a file is not checked again as a file write.
   * Default: true for a hook in object form without `points`, false for all others.
   */
  readonly oncePerAction?: boolean
  /** Take the place of the hook of this name at this point. */
  readonly replace?: boolean
}

/** The object form of a hook: a check and, optionally, facts to add to the metadata. */
export interface HookObject<Spec = PointSpec, Ref = string, Result extends HandlerResult<Spec> = HandlerResult<Spec>>
  extends HookOptions {
  readonly name: string
  /** The points of the hook; default: every `pre:` point. */
  readonly points?: readonly Ref[]
  check(step: Step<Spec>, run: RunContext): Result | PromiseLike<Result>
  inject?(step: Step<Spec>, run: RunContext): Injected | PromiseLike<Injected>
}

/** What `inject` gives: facts for the metadata, or nothing. */
// biome-ignore lint/suspicious/noConfusingVoidType: an inject that returns nothing has the type void
export type Injected = Readonly<Record<string, unknown>> | null | undefined | void

/** A hook as the table holds it. */
export interface RegisteredHook {
  readonly name: string
  readonly point: string
  readonly priority: number
  /** Registration order: decides between equal priorities. */
  readonly order: number
  readonly handler: Handler
  readonly matches: StepTest | undefined
  readonly mode: Mode | undefined
  readonly timeoutMs: number | undefined
  /** How long after its limit the handler may need to clean up. */
  readonly overtimeMs: number
  readonly onError: OnError | undefined
  readonly critical: boolean
  readonly alwaysBlocks: ((verdict: Verdict) => boolean) | undefined
  readonly rechecksEdits: boolean
  readonly oncePerAction: boolean
  readonly disabled: Disabled | undefined
  /** Identifies the registration: the same in all copies of a hook. */
  readonly registration: symbol
}

/** A hook that is switched off, for good or until a time. */
export interface Disabled {
  /** Wall-clock milliseconds; absent = until enabled again. */
  readonly until?: number | undefined
  readonly reason?: string | undefined
}

/** The priority of a hook that does not set one. */
const DEFAULT_PRIORITY = 100

const OPTIONS = [
  ...(['name', 'priority', 'match', 'mode', 'timeoutMs', 'onError', 'critical', 'alwaysBlocks'] as const),
  ...(['rechecksEdits', 'oncePerAction', 'replace'] as const),
] as const
const OBJECT_OPTIONS = [...OPTIONS, 'points', 'check', 'inject'] as const

/** Builds a hook, or throws an ArcError that says what is wrong with its options. */
export function buildHook(input: {
  readonly point: string
  readonly tool: string | undefined
  readonly order: number
  readonly handler: unknown
  readonly options: HookOptions
  readonly regex: RegexCompiler
  /** Registered at every `pre:` point, because it names none. */
  readonly isEverywhere?: boolean
}): RegisteredHook {
  const { point, tool, order, options, regex } = input
  const name = readName(options.name, order)
  const where = `hook ${show(name)}`
  const handler = readHandler(input.handler, where)
  const match = tool === undefined ? options.match : { ...options.match, tool: narrower(options.match, tool, where) }
  return Object.freeze({
    name,
    point,
    order,
    handler,
    priority: readNumber(options.priority === undefined ? DEFAULT_PRIORITY : options.priority, 'priority', where),
    matches: compileMatch(match, regex),
    mode: options.mode === undefined ? undefined : readMode(options.mode, `mode of ${where}`),
    timeoutMs: readTimeout(options.timeoutMs ?? handler.timeoutMs, where),
    overtimeMs: handler.overtimeMs ?? 0,
    onError: handler.onError ?? (options.onError === undefined ? undefined : readOnError(options.onError, where)),
    critical: readFlag(options.critical, 'critical', where),
    alwaysBlocks: readAlwaysBlocks(options.alwaysBlocks, where),
    rechecksEdits: readFlag(options.rechecksEdits, 'rechecksEdits', where),
    oncePerAction: readFlag(options.oncePerAction ?? input.isEverywhere, 'oncePerAction', where),
    disabled: undefined,
    registration: Symbol(name),
  })
}

/** Checks the keys of a registration's options. */
export function checkOptionKeys(options: object, isObjectForm: boolean): void {
  if (!isRecord(options)) throw new ArcError('ARC_OPTION_INVALID', `Options must be an object, not ${show(options)}.`)
  // The other fields of an instance of a class are its state.
  if (isObjectForm && isInstance(options)) return
  rejectUnknownOptions(options, isObjectForm ? OBJECT_OPTIONS : OPTIONS, 'register')
}

/** One handler of an object's check and inject: the facts ride along with the verdict. */
export function buildObjectHandler(hook: HookObject): Handler {
  const { check, inject } = hook
  if (typeof check !== 'function') {
    throw new ArcError('ARC_HANDLER_INVALID', `Hook ${show(hook.name)} needs a check function, not ${show(check)}.`)
  }
  if (inject === undefined) return (step, run) => check.call(hook, step, run)
  if (typeof inject !== 'function') {
    throw new ArcError(
      'ARC_HANDLER_INVALID',
      `inject of hook ${show(hook.name)} must be a function, not ${show(inject)}.`,
    )
  }
  // A failure to find facts travels beside the verdict: it must not take a block away.
  const withFacts = (verdict: unknown, step: Step, run: RunContext): unknown => {
    try {
      const facts: unknown = inject.call(hook, step, run)
      return isThenable(facts) ? join(verdict, facts) : new VerdictWithFacts(verdict, facts)
    } catch (error) {
      return new VerdictWithFacts(verdict, crash(error))
    }
  }
  // Awaited and not chained by `then`: a thenable's own then may return anything.
  const join = async (verdict: unknown, facts: PromiseLike<unknown>) =>
    new VerdictWithFacts(verdict, await Promise.resolve(facts).catch(crash))
  const later = async (verdict: unknown, step: Step, run: RunContext) => withFacts(await verdict, step, run)
  return (step, run) => {
    const verdict: unknown = check.call(hook, step, run)
    return (isThenable(verdict) ? later(verdict, step, run) : withFacts(verdict, step, run)) as HandlerResult
  }
}

/** The failure of a handler that threw. */
export function crash(error: unknown): Failure {
  return new Failure('crash', describe(error))
}

/** Is this a promise or something like one? */
export function isThenable(value: unknown): value is PromiseLike<unknown> {
  return (
    value !== null &&
    (typeof value === 'object' || typeof value === 'function') &&
    typeof (value as { then?: unknown }).then === 'function'
  )
}

/** Calls `failed` if the value is a promise that rejects. */
export function onRejection(returned: unknown, failed: (error: unknown) => void): void {
  if (isThenable(returned)) void Promise.resolve(returned).then(undefined, failed)
}

/** Reads a time limit in milliseconds, or nothing when none is given. */
export function readTimeout(given: unknown, where: string): number | undefined {
  if (given === undefined) return undefined
  const ms = readNumber(given, 'timeoutMs', where)
  if (ms > 0) return ms
  throw new ArcError('ARC_OPTION_INVALID', `timeoutMs of ${where} must be greater than 0, not ${show(given)}.`)
}

/** Reads what to do on errors. */
export function readOnError(given: unknown, where: string): OnError {
  if ((ON_ERROR as readonly unknown[]).includes(given)) return given as OnError
  throw new ArcError('ARC_OPTION_INVALID', `onError of ${where} must be ${ON_ERROR.join(', ')}, not ${show(given)}.`)
}

/** Reads a finite number. */
export function readNumber(given: unknown, option: string, where: string): number {
  if (typeof given === 'number' && Number.isFinite(given)) return given
  throw new ArcError('ARC_OPTION_INVALID', `${option} of ${where} must be a finite number, not ${show(given)}.`)
}

function readName(given: unknown, order: number): string {
  if (given === undefined) return `anonymous#${order}`
  if (typeof given === 'string' && given.trim() !== '') return given
  throw new ArcError('ARC_OPTION_INVALID', `The name of a hook must be a text that is not empty, not ${show(given)}.`)
}

function readHandler(given: unknown, where: string): Handler {
  if (typeof given === 'function') return given as Handler
  throw new ArcError('ARC_HANDLER_INVALID', `The handler of ${where} must be a function, not ${show(given)}.`)
}

/** Reads true or false; false when absent. */
export function readFlag(given: unknown, option: string, where: string): boolean {
  if (given === undefined || typeof given === 'boolean') return given === true
  throw new ArcError('ARC_OPTION_INVALID', `${option} of ${where} must be true or false, not ${show(given)}.`)
}

function readAlwaysBlocks(given: HookOptions['alwaysBlocks'], where: string): HookOptions['alwaysBlocks'] {
  if (given === undefined || typeof given === 'function') return given
  throw new ArcError('ARC_OPTION_INVALID', `alwaysBlocks of ${where} must be a function, not ${show(given)}.`)
}

// `pre:tool:shell` with another tool in match would be two conditions on one thing.
function narrower(match: Match | undefined, tool: string, where: string): string {
  if (match?.tool === undefined) return tool
  throw new ArcError('ARC_OPTION_INVALID', `${where} names a tool in its point (${tool}) and again in match.tool.`)
}
