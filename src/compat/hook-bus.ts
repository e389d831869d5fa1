// The hook bus: named hooks with check and inject over one message context. A thin face of the engine.

import type { Decision } from '../engine/decision.ts'
import type { EngineOptions } from '../engine/engine.ts'
import type { HookObject, Injected, RunContext } from '../engine/hook.ts'
import type { ModeInput } from '../engine/mode.ts'
import { isInstance, isRecord } from '../engine/plain-data.ts'
import type { PointRef } from '../engine/point-names.ts'
import type { BuiltInPoints } from '../engine/points.ts'
import type { Step } from '../engine/step.ts'
import type { HandlerResult } from '../engine/verdict.ts'
import { HookEngine } from '../platform/hook-engine.ts'

/** The context of a bus hook. */
export interface HookContext {
  /** The prompt, or the answer at points after the model. */
  readonly message: string
  readonly toolName: string | undefined
  readonly toolArgs: unknown
  readonly sessionId: string | undefined
  readonly turnId: string | undefined
  readonly profile: string | undefined
  readonly adapter: string | undefined
  readonly source: string | undefined
  readonly riskTier: unknown
  readonly hookMetadata: HookMetadata
}

/** Facts that a hook adds for the hooks after it. */
export type HookMetadata = Readonly<Record<string, unknown>>

/**
 * A hook with all its fields, as a class implements it. Object literals may omit fields: see BusHook.
 * @example
 * const noDeploys: Hook = {
 *   name: 'no-deploys', priority: 30, mode: 'enforce',
 *   check: async ({ message }) => (message.includes('deploy') ? 'block' : 'pass'),
 * }
 */
export interface Hook {
  name: string
  priority: number
  mode: ModeInput
  check(context: HookContext): Promise<Decision>
  inject?(context: HookContext): Promise<HookMetadata>
}

/** A hook on the bus. */
export interface BusHook<Result extends HandlerResult = HandlerResult>
  extends Omit<HookObject, 'check' | 'inject' | 'mode' | 'points'> {
  readonly mode?: ModeInput
  /** The points of the hook; default: every `pre:` point. */
  readonly points?: readonly PointRef<BuiltInPoints>[]
  check(context: HookContext, run: RunContext): Result | PromiseLike<Result>
  inject?(context: HookContext, run: RunContext): Injected | PromiseLike<Injected>
}

/** The bus: the engine, with registration in the bus's form. */
export interface HookBus
  extends Pick<HookEngine, 'dispatch' | 'observe' | 'enable' | 'disable' | 'isEnabled' | 'list'> {
  readonly engine: HookEngine
  /** Registers a hook and returns its undo. */
  register<const Result extends HandlerResult>(hook: BusHook<Result>): () => void
}

/**
 * Creates a bus.
 * @example
 * const bus = createHookBus({ mode: 'enforce' })
 * bus.register({ name: 'no-deploys', priority: 30, check: (ctx) => (ctx.message.includes('deploy') ? 'block' : 'pass') })
 */
export function createHookBus(options: EngineOptions = {}): HookBus {
  const engine = new HookEngine(options)
  return {
    engine,
    register: (hook) => engine.register(adapt(hook) as never),
    dispatch: engine.dispatch.bind(engine),
    observe: engine.observe.bind(engine),
    enable: engine.enable.bind(engine),
    disable: engine.disable.bind(engine),
    isEnabled: engine.isEnabled.bind(engine),
    list: engine.list.bind(engine),
  }
}

/** The bus that a whole program shares. */
export const hookBus: HookBus = createHookBus()

// What is not a function stays as it is, so that the engine names the mistake.
function adapt(hook: BusHook): object {
  if (!isRecord(hook)) return hook
  const { check, inject } = hook
  // An instance of a class stays one: its other fields are its state and no options.
  const base: object = isInstance(hook) ? Object.create(hook) : { ...hook }
  Object.defineProperty(base, 'check', { value: adaptMethod(check, hook), enumerable: true })
  if (inject !== undefined)
    Object.defineProperty(base, 'inject', { value: adaptMethod(inject, hook), enumerable: true })
  return base
}

function adaptMethod<Result>(method: (context: HookContext, run: RunContext) => Result, hook: BusHook): unknown {
  if (typeof method !== 'function') return method
  return (step: Step, run: RunContext) => method.call(hook, buildContext(step), run)
}

function buildContext(step: Step): HookContext {
  const data = step.data as { prompt?: unknown; output?: unknown; tool?: unknown; args?: unknown }
  const { metadata } = step
  return {
    message: readText(data.output) ?? readText(data.prompt) ?? '',
    toolName: readText(data.tool),
    toolArgs: data.args,
    sessionId: step.session,
    turnId: step.turn,
    profile: step.profile,
    adapter: step.host,
    source: step.source ?? readText(metadata.messageSource),
    riskTier: metadata.riskTier,
    hookMetadata: metadata,
  }
}

function readText(value: unknown): string | undefined {
  return typeof value === 'string' ? value : undefined
}
