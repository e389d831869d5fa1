// HookSystem: hooks that abort and modify. A thin layer over the engine in enforce mode.

import type { OnError } from '../engine/degradation.ts'
import { rejectUnknownOptions } from '../engine/errors.ts'
import type { Handler } from '../engine/hook.ts'
import type { Outcome } from '../engine/outcome.ts'
import type { PointRef, SpecOf } from '../engine/point-names.ts'
import type { BuiltInPoints, DataOf } from '../engine/points.ts'
import type { Step, StepContext } from '../engine/step.ts'
import type { HandlerResult } from '../engine/verdict.ts'
import { HookEngine } from '../platform/hook-engine.ts'

type Ref = PointRef<BuiltInPoints>
type Spec<R> = SpecOf<BuiltInPoints, R>

/** The context of a handler: the point's data at the top, and the step. */
export type HookSystemContext<R extends Ref = Ref> = DataOf<Spec<R>> & { readonly step: Step<Spec<R>> }

/** A handler of the hook system. */
export type HookSystemHandler<R extends Ref = Ref, Result extends HandlerResult<Spec<R>> = HandlerResult<Spec<R>>> = (
  context: HookSystemContext<R>,
) => Result | PromiseLike<Result>

/** Settings of the hook system: the `hooks:` block of a configuration. */
export interface HookSystemOptions {
  readonly errorBehavior?: OnError
  /** The time limit of a hook in milliseconds. */
  readonly timeout?: number
  readonly maxHooksPerPoint?: number
}

/**
 * Hooks that intercept actions and can abort or modify them.
 * @example
 * const hooks = new HookSystem()
 * hooks.register('pre:tool', async (context) => {
 *   if (context.tool === 'shell') return { abort: true, reason: 'no shell here' }
 * })
 * const { blocked, reason } = await hooks.dispatch('pre:tool', { tool: 'shell', args: { command: 'ls' } })
 */
export class HookSystem {
  readonly engine: HookEngine

  constructor(options: HookSystemOptions = {}) {
    rejectUnknownOptions(options, ['errorBehavior', 'timeout', 'maxHooksPerPoint'], 'HookSystem')
    const { errorBehavior = 'log', timeout = 5_000, maxHooksPerPoint = 50 } = options
    this.engine = new HookEngine({ mode: 'enforce', onError: errorBehavior, timeoutMs: timeout, maxHooksPerPoint })
  }

  /** Registers a handler and returns its undo. */
  register<R extends Ref, const Result extends HandlerResult<Spec<R>>>(
    point: R,
    handler: HookSystemHandler<R, Result>,
    options: { readonly name?: string; readonly priority?: number; readonly onError?: OnError } = {},
  ): () => void {
    const callable: unknown = handler
    const adapted: Handler<Spec<R>> = (step) => handler({ ...step.data, step } as HookSystemContext<R>)
    // The engine rejects a handler that is not a function.
    return this.engine.register(point, typeof callable === 'function' ? adapted : (handler as never), options)
  }

  /** Runs the hooks of a point on its data. */
  async dispatch<R extends Ref>(
    point: R,
    data: DataOf<Spec<R>>,
    context?: StepContext,
  ): Promise<Outcome<DataOf<Spec<R>>>> {
    return this.engine.dispatch(point, data, context)
  }

  enable(name: string): void {
    this.engine.enable(name)
  }

  disable(name: string): void {
    this.engine.disable(name)
  }

  isEnabled(name: string): boolean {
    return this.engine.isEnabled(name)
  }
}
