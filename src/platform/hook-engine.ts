// The engine and its table as programs use them: core, wired with this process's services.

import { CoreEngine, type EngineOptions, type EngineServices } from '../engine/engine.ts'
import type { RegexCompiler } from '../engine/matcher.ts'
import { BUILT_IN_POINTS, type DeclaredPoint, type WithDeclared } from '../engine/point-names.ts'
import type { BuiltInPoints, PointTable } from '../engine/points.ts'
import { HookTable } from '../engine/table.ts'
import { linearRegex, nodeServices } from './engine-services.ts'

/** The hook engine, ready to use. */
export class HookEngine<Points extends PointTable = BuiltInPoints> extends CoreEngine<Points> {
  /** `hasTrace`: evaluations are recorded without a sink, so failed hooks need no line on stderr. */
  constructor(options: EngineOptions = {}, services: Partial<EngineServices> = {}, { hasTrace = false } = {}) {
    super(options, { ...nodeServices({ hasSink: hasTrace || options?.sink !== undefined }), ...services })
  }
}

/**
 * Makes an engine. In `log`, the default mode, nothing is stopped or changed: `outcome.wouldBe` says what enforce would do.
 * @example
 * const engine = createEngine({ mode: 'enforce' })
 * engine.register('pre:tool:shell', (step) => (step.data.args.command === 'reboot' ? 'block' : 'pass'))
 * const outcome = await engine.dispatch('pre:tool', { tool: 'shell', args: { command: 'reboot' } })
 */
export function createEngine<const Declared extends readonly DeclaredPoint[] = readonly []>(
  options: EngineOptions & { readonly points?: Declared } = {},
): HookEngine<WithDeclared<Declared>> {
  return new HookEngine<WithDeclared<Declared>>(options)
}

/**
 * An immutable table of hooks, to build apart and swap in whole.
 * @example
 * const { table } = new HandlerTable().add('pre:tool', () => 'flag', { name: 'watch' })
 * engine.swap(table)
 */
export class HandlerTable extends HookTable {
  constructor(settings: { readonly maxHooksPerPoint?: number; readonly regex?: RegexCompiler } = {}) {
    const { maxHooksPerPoint = 50, regex = linearRegex } = settings
    super({ points: BUILT_IN_POINTS, regex, maxHooksPerPoint })
  }
}
